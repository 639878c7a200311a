// Responses of AcoustID, reduced to the fields that are used. All fields are optional, and null and values of the wrong
// type count as absent, because the service's older data is inconsistent.
import { z } from 'zod';

const MAX_ITEMS = 100; // maximum length of a list: a popular recording is on hundreds of releases
const lenient = <T extends z.ZodType>(type: T) =>
  type
    .nullish()
    .catch(undefined)
    .transform((value) => value ?? undefined);
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(z.unknown())
    .nullish()
    .catch(undefined)
    .transform((values) =>
      (values ?? []).slice(0, MAX_ITEMS).flatMap((value) => {
        const parsed = item.safeParse(value);
        return parsed.success ? [parsed.data] : [];
      }),
    );

const text = lenient(z.string().trim().min(1).max(2_000));
const count = lenient(z.int().min(1).max(9_999));
export const mbid = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)
  .toLowerCase();

const Artist = z.object({ id: lenient(mbid), name: text, joinphrase: lenient(z.string().max(100)) });
const Track = z.object({ position: count, title: text, artists: list(Artist) });
const Medium = z.object({ position: count, track_count: count, tracks: list(Track) });
const Release = z.object({
  id: lenient(mbid),
  title: text,
  artists: list(Artist),
  country: text,
  track_count: count,
  medium_count: count,
  date: lenient(z.object({ year: lenient(z.int().min(1).max(9_999)), month: count, day: count })),
  mediums: list(Medium),
});
const ReleaseGroup = z.object({
  id: lenient(mbid),
  title: text,
  type: text,
  secondarytypes: list(z.string()),
  artists: list(Artist),
  releases: list(Release),
});
const Recording = z.object({
  id: mbid,
  title: text,
  duration: lenient(z.number().positive()),
  sources: lenient(z.int().min(0)),
  artists: list(Artist),
  releasegroups: list(ReleaseGroup),
});
const Result = z.object({ id: lenient(mbid), score: z.number().min(0).max(1), recordings: list(Recording) });

export const LookupAnswer = z.object({ status: z.literal('ok'), results: list(Result) });
export const LookupRefusal = z.object({
  status: z.literal('error'),
  error: z.object({ code: z.int(), message: z.string().max(1_000) }),
});

export type AcoustIdArtist = z.output<typeof Artist>;
export type AcoustIdTrack = z.output<typeof Track>;
export type AcoustIdRelease = z.output<typeof Release>;
export type AcoustIdReleaseGroup = z.output<typeof ReleaseGroup>;
export type AcoustIdRecording = z.output<typeof Recording>;
export type AcoustIdResult = z.output<typeof Result>;
