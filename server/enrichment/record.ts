// Stores the result of an enrichment in one transaction. The result is merged with the track as it is at that time, so
// that an edit during the enrichment wins.
import { messageOf } from '../errors.ts';
import { type MainDb, withRelaxedCommit } from '../db/client.ts';
import type { AlbumId, TrackId } from '../db/ids.ts';
import type { MetadataStatus } from '../db/schema.ts';
import { isSameIdentity, type FindTrack, type TrackWithIdentity } from '../library/tracks/track-identity.ts';
import type { TrackIdentity } from '../library/tracks/track-values.ts';
import type { TrackWriter } from '../library/tracks/track-writer.ts';
import type { Match } from './match.ts';
import { mergeMetadata } from './merge.ts';
import { replaceMatches, saveUndo, setOutcome, setReview, setUnanswered } from './queries.ts';
import { whyNotIdentified } from './reasons.ts';
import { reviewOf } from './review.ts';
import type { StepOutcome } from './steps.ts';

export interface Findings {
  tags: StepOutcome<TrackIdentity>;
  fingerprint: StepOutcome<unknown>;
  /** The matches, best first. */
  lookup: StepOutcome<Match[]>;
  /** The recording that the tags name; set if no fingerprint was looked up. */
  taggedMatch?: Match | undefined;
  /** Whether a service was down, so that the track has to be looked up again. */
  isUnanswered: boolean;
}

interface Recorded {
  status: Extract<MetadataStatus, 'enriched' | 'failed'>;
  error: string | null;
  albumId: AlbumId | null;
  isChanged: boolean;
}

/** The metadata that an undo restores. */
export interface PreviousMetadata {
  identity: TrackIdentity;
  fpidScore: number | null;
}

interface RecorderDeps {
  db: MainDb;
  now: () => Date;
  tracks: Pick<TrackWriter, 'batch' | 'setIdentity'>;
  findKnown: FindTrack;
  threshold: () => number;
}

export type Recorder = ReturnType<typeof createRecorder>;

export function createRecorder({ db, now, tracks, findKnown, threshold }: RecorderDeps) {
  function write(track: TrackWithIdentity, findings: Findings): Recorded {
    const { id } = track;
    const time = now();
    const limit = threshold();
    const { tags: tagsOutcome, fingerprint, lookup } = findings;
    const tags = tagsOutcome.outcome === 'done' ? tagsOutcome.value : undefined;
    const matches = lookup.outcome === 'done' ? lookup.value : [];
    const [bestMatch] = matches;
    const { identity, isIdentified } = mergeMetadata({
      tags,
      match: bestMatch ?? findings.taggedMatch,
      currentIdentity: track.identity,
      threshold: limit,
    });

    const isChanged = !isSameIdentity(track.identity, identity);
    if (isChanged) tracks.setIdentity(id, identity, track.folder);
    const namedFields = { title: identity.provenance?.['title'] !== 'path', artist: identity.artists.length > 0 };
    const status = isIdentified ? 'enriched' : 'failed';
    const error = isIdentified ? null : whyNotIdentified({ tags: tagsOutcome, fingerprint, lookup }, namedFields);
    // A lookup without a match does not replace an earlier match, unless the track is new or its file changed.
    const isReplaced = lookup.outcome === 'done' && (bestMatch !== undefined || track.status === 'pending');
    setOutcome(db, id, { status, error, enrichedAt: time, ...(isReplaced && { fpidScore: bestMatch?.score ?? null }) });
    if (isChanged)
      saveUndo(db, id, { identity: track.identity, fpidScore: track.fpidScore } satisfies PreviousMetadata, time);
    if (isReplaced) replaceMatches(db, id, matches);
    if (lookup.outcome === 'done') setReview(db, id, reviewOf({ tags, match: bestMatch, threshold: limit }), time);
    setUnanswered(db, id, findings.isUnanswered, time);
    return { status, error, albumId: isChanged ? (findKnown(id)?.albumId ?? null) : track.albumId, isChanged };
  }

  const record = db.$client.transaction((id: TrackId, findings: Findings): Recorded | undefined => {
    const track = findKnown(id);
    return track && track.status !== 'manual' ? tracks.batch(() => write(track, findings)) : undefined;
  }).immediate;

  return {
    /**
     * Stores the result. Returns undefined if the track was deleted or edited during the enrichment. A power cut may
     * lose the result.
     */
    record: (id: TrackId, findings: Findings): Recorded | undefined =>
      withRelaxedCommit(db.$client, () => record(id, findings)),

    /**
     * Stores an unexpected error, and returns its text for people. It has its own transaction, so that the track does
     * not stay pending after the error.
     */
    recordCrash(id: TrackId, error: unknown): string {
      const reason = `Identification failed with an unexpected error (${kindOf(error)}), see the log.`;
      db.transaction((tx) => setOutcome(tx, id, { status: 'failed', error: reason, enrichedAt: now() }), {
        behavior: 'immediate',
      });
      return reason;
    },
  };
}

/**
 * Returns the kind of an error. Its message is not used, because it may contain SQL or paths, which must not be sent.
 */
const kindOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : error instanceof Error
      ? error.name
      : messageOf(error).slice(0, 100);
