// Zod schemas of shares: for their owners, and for guests.
import { z } from 'zod';
import type { TrackId } from '../db/ids.ts';
import { SHARE_KINDS } from '../db/schema.ts';
import { idList } from '../http/body.ts';
import { isoTime, isoTimeIn, toIso, toIsoOrNull } from '../http/times.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import { MAX_SHARED_TRACKS, type GuestShare, type ListedShare, type ShareDetails } from './service.ts';

const KindOut = z
  .enum(SHARE_KINDS)
  .nullable()
  .meta({ description: 'null for a selection, and for shares that Subsonic clients made' });
const description = z.string().trim().max(1_000).meta({ description: 'name of the share on its page' });
/** Shorter passwords could be guessed in days, within the limit of guesses. */
const password = z.string().min(6).max(200).nullable();
const expires_at = isoTimeIn.nullable().meta({ description: 'null: never' });

export const ShareIn = z
  .strictObject({
    track_ids: idList<TrackId>(MAX_SHARED_TRACKS, { least: 1 }),
    kind: z.enum(SHARE_KINDS).nullable().default(null).meta({ description: 'null for a selection' }),
    description: description.nullable().default(null),
    expires_at: expires_at.default(null),
    allows_saving: z.boolean().default(false).meta({ description: 'guests may save the audio, if the account may' }),
    password: password.default(null),
  })
  .transform(({ track_ids, expires_at: expiresAt, allows_saving: maySave, ...rest }) => ({
    trackIds: track_ids,
    details: { ...rest, expiresAt, maySave } satisfies ShareDetails,
  }))
  .meta({ id: 'ShareIn' });

export const ShareUpdate = z
  .strictObject({
    description: description.nullable().optional(),
    expires_at: expires_at.optional(),
    allows_saving: z.boolean().optional(),
    password: password.optional(),
    is_ended: z.boolean().optional().meta({ description: 'ends the share, or opens it again at the same address' }),
  })
  .transform(({ description, password, expires_at: expiresAt, allows_saving: maySave, is_ended: isEnded }) => ({
    ...(description !== undefined && { description }),
    ...(password !== undefined && { password }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(maySave !== undefined && { maySave }),
    ...(isEnded !== undefined && { isEnded }),
  }))
  .meta({ id: 'ShareUpdate' });

export const ShareOut = z
  .object({
    id: z.int(),
    path: z.string().meta({ description: 'the address of its page, below that of the server' }),
    kind: KindOut,
    name: z.string().nullable().meta({ description: 'its description, or else the name of its album or track' }),
    description: z.string().nullable(),
    state: z.enum(['open', 'expired', 'ended']),
    track_count: z.int(),
    duration_ms: z.int(),
    cover_track_id: z.int().nullable().meta({ description: 'a track with the cover of the share' }),
    allows_saving: z.boolean(),
    has_password: z.boolean(),
    expires_at: isoTime.nullable(),
    ended_at: isoTime.nullable(),
    created_at: isoTime,
    last_visited_at: isoTime.nullable(),
    visit_count: z.int(),
    play_count: z.int(),
  })
  .meta({ id: 'ShareOut' });
export type ShareOut = z.output<typeof ShareOut>;
export const ShareList = z.array(ShareOut);

export const toShareOut = (
  { share, state, trackCount, durationMs, albumId }: ListedShare,
  firstTrack: TrackSummary | undefined,
): ShareOut => ({
  id: share.id,
  path: `/share/${share.token}`,
  kind: share.kind,
  name: share.description ?? nameFrom({ trackCount, albumId }, firstTrack),
  description: share.description,
  state,
  track_count: trackCount,
  duration_ms: durationMs,
  cover_track_id: firstTrack?.hasCover ? firstTrack.id : null,
  allows_saving: share.maySave,
  has_password: share.passwordHash !== null,
  expires_at: toIsoOrNull(share.expiresAt),
  ended_at: toIsoOrNull(share.endedAt),
  created_at: toIso(share.createdAt),
  last_visited_at: toIsoOrNull(share.lastVisitedAt),
  visit_count: share.visitCount,
  play_count: share.playCount,
});

/** Returns the name of the one track or album that is shared; null if there are several. */
export function nameFrom(
  { trackCount, albumId }: Pick<ListedShare, 'trackCount' | 'albumId'>,
  firstTrack: TrackSummary | undefined,
): string | null {
  if (trackCount === 1) return firstTrack?.title ?? null;
  return albumId === null ? null : (firstTrack?.albumTitle ?? null);
}

export const SharePassword = z.strictObject({ password: z.string().max(200) }).meta({ id: 'SharePassword' });

/** A track for guests. Positions in the share take the place of the library's own ids. */
export const GuestTrackOut = z
  .object({
    position: z.int(),
    title: z.string(),
    artist_name: z.string().nullable(),
    album_title: z.string().nullable(),
    duration_ms: z.int().nullable(),
    cover_position: z.int().nullable().meta({ description: 'position of a track with the same cover' }),
    is_available: z.boolean().meta({ description: 'false if its audio is missing' }),
    format: z.string().nullable(),
    bitrate_kbps: z.int().nullable(),
    sample_rate_hz: z.int().nullable(),
  })
  .meta({ id: 'GuestTrack' });
export type GuestTrackOut = z.output<typeof GuestTrackOut>;

export const GuestShareOut = z
  .object({
    kind: KindOut,
    name: z.string().nullable(),
    artist_name: z.string().nullable().meta({ description: 'the artist of the one album or track' }),
    shared_by: z.string(),
    expires_at: isoTime.nullable(),
    allows_saving: z.boolean(),
    track_count: z.int(),
    duration_ms: z.int(),
    tracks: z.array(GuestTrackOut),
  })
  .meta({ id: 'GuestShare' });
export type GuestShareOut = z.output<typeof GuestShareOut>;

export const toGuestTrackOut = (
  position: number,
  coverPosition: number | null,
  { title, artistName, albumTitle, durationMs, availability, format, bitrateKbps, sampleRateHz }: TrackSummary,
): GuestTrackOut => ({
  position,
  title,
  artist_name: artistName,
  album_title: albumTitle,
  duration_ms: durationMs,
  cover_position: coverPosition,
  is_available: availability === 'available',
  format,
  bitrate_kbps: bitrateKbps,
  sample_rate_hz: sampleRateHz,
});

/** Returns the fields of a share that its page shows, without its tracks. */
export const toGuestShareOut = (
  { share, maySave }: GuestShare,
  extent: Pick<ListedShare, 'trackCount' | 'durationMs' | 'albumId'>,
  firstTrack: TrackSummary | undefined,
  username: string,
): Omit<GuestShareOut, 'tracks'> => ({
  kind: share.kind,
  name: share.description ?? nameFrom(extent, firstTrack),
  artist_name:
    extent.albumId === null && extent.trackCount > 1
      ? null
      : (firstTrack?.albumArtistName ?? firstTrack?.artistName ?? null),
  shared_by: username,
  expires_at: toIsoOrNull(share.expiresAt),
  allows_saving: maySave,
  track_count: extent.trackCount,
  duration_ms: extent.durationMs,
});
