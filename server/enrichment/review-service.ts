// Matches of a track and the review list: lists candidates, applies one, dismisses a review, undoes an enrichment.
import { z } from 'zod';
import type { LiveSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import type { Origin, ReviewReason } from '../db/schema.ts';
import { fieldsFrom } from '../db/track-fields.ts';
import { conflict, notFound } from '../errors.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { EditHistory } from '../library/edits/edit-history.ts';
import type { FindTrack, TrackWithIdentity } from '../library/tracks/track-identity.ts';
import type { TrackIdentity } from '../library/tracks/track-values.ts';
import type { TrackWriter } from '../library/tracks/track-writer.ts';
import { Match } from './match.ts';
import { dismissReview, findUndo, listMatches, listReviews, saveUndo, setManual } from './queries.ts';
import type { PreviousMetadata } from './record.ts';

export interface TrackMatches {
  items: { n: number; match: Match }[];
  trustScore: number;
  /** The origins of the fields that have a value. */
  origins: Record<string, Origin>;
  canUndo: boolean;
}

interface Difference {
  field: string;
  tag: string | null;
  match: string;
}
export interface ReviewItem<T> {
  track: T;
  reason: ReviewReason;
  match: Match;
  differences: Difference[];
  createdAt: Date;
}

export interface ReviewServiceDeps {
  db: MainDb;
  now: () => Date;
  settings: LiveSettings;
  tracks: Pick<TrackWriter, 'batch' | 'setIdentity'>;
  findKnown: FindTrack;
  history: Pick<EditHistory, 'record'>;
  libraryChanged: () => void;
}

/** Tables whose rows an undo restores: a choice closes the review, and undoing the choice opens the review again. */
const REVIEW_TABLES = ['enrichment_reviews'];
const Differences = z.array(z.object({ field: z.string(), tag: z.string().nullable(), match: z.string() }));
export type ReviewService = ReturnType<typeof createReviewService>;

export function createReviewService({
  db,
  now,
  settings,
  tracks,
  findKnown,
  history,
  libraryChanged,
}: ReviewServiceDeps) {
  function findExisting(id: TrackId): TrackWithIdentity {
    const track = findKnown(id);
    if (!track) throw notFound('track', id);
    return track;
  }

  /** Writes what a person chose; later enrichments do not change it. */
  function applyChoice(track: TrackWithIdentity, identity: TrackIdentity, fpidScore: number | null): void {
    tracks.batch(() => tracks.setIdentity(track.id, identity, track.folder));
    setManual(db, track.id, { enrichedAt: now(), fpidScore });
  }

  const apply = db.$client.transaction((userId: UserId, id: TrackId, n: number): void => {
    const track = findExisting(id);
    const candidate = listMatches(db, id).find((match) => match.n === n);
    if (!candidate) throw notFound('match', n);
    history.record({ by: userId, kind: 'match', keeps: REVIEW_TABLES }, id, () =>
      applyChoice(track, applyMatch(track.identity, candidate.match), candidate.match.score),
    );
    saveUndo(db, id, { identity: track.identity, fpidScore: track.fpidScore } satisfies PreviousMetadata, now());
  });

  const undo = db.$client.transaction((userId: UserId, id: TrackId): void => {
    const track = findExisting(id);
    const previousMetadata = findUndo(db, id);
    if (!previousMetadata)
      throw conflict(
        `There is nothing to undo on “${track.identity.title}”: the last enrichment changed nothing, or the track ` +
          'was changed since.',
      );
    history.record({ by: userId, keeps: REVIEW_TABLES }, id, () =>
      applyChoice(track, previousMetadata.identity, previousMetadata.fpidScore),
    );
  });

  return {
    /** Returns the candidates of a track. Throws `not_found`. */
    matches(id: TrackId): TrackMatches {
      const { identity } = findExisting(id);
      return {
        items: listMatches(db, id),
        trustScore: settings.get('FPID_TRUST_SCORE'),
        origins: originsOf(identity),
        canUndo: findUndo(db, id) !== undefined,
      };
    },

    /** Applies candidate `n`, which a person chose. Throws `not_found`. */
    apply(userId: UserId, id: TrackId, n: number): void {
      apply.immediate(userId, id, n);
      libraryChanged();
    },

    /**
     * Restores the metadata before the last enrichment, because a person asked for it. Throws `not_found`, `conflict`.
     */
    undo(userId: UserId, id: TrackId): void {
      undo.immediate(userId, id);
      libraryChanged();
    },

    /** Lists reviews, newest first. `readTracks` returns those of the tracks that exist. */
    list<T extends { id: TrackId }>(page: Page, readTracks: (ids: TrackId[]) => T[]): Paged<ReviewItem<T>> {
      const { items, total } = listReviews(db, page);
      const byId = new Map(readTracks(items.map((row) => row.trackId)).map((track) => [track.id, track]));
      return {
        total,
        items: items.flatMap((row) => {
          const [track, match, differences] = [
            byId.get(row.trackId),
            Match.safeParse(row.match),
            Differences.safeParse(row.differences),
          ];
          return track && match.success && differences.success
            ? [
                {
                  track,
                  reason: row.reason,
                  match: match.data,
                  differences: differences.data,
                  createdAt: row.createdAt,
                },
              ]
            : [];
        }),
      };
    },

    /** Dismisses a review. Throws `not_found` when the track has no open review. */
    dismiss(id: TrackId): void {
      if (!dismissReview(db, id, now())) throw notFound('review of track', id);
    },
  };
}

/** Returns the values of the match. Where the match has none, those of the track are kept. */
function applyMatch(currentIdentity: TrackIdentity, match: Match): TrackIdentity {
  const hasArtists = match.artists.length > 0;
  const hasMatch = (field: 'title' | 'year' | 'trackNumber' | 'discNumber'): boolean => match[field] !== undefined;
  const chosenFields: Record<string, boolean> = {
    title: hasMatch('title'),
    artist: hasArtists,
    album: match.album !== undefined,
    year: hasMatch('year'),
    genre: match.genres.length > 0,
    trackNumber: hasMatch('trackNumber'),
    discNumber: hasMatch('discNumber'),
  };
  const manualOrigins = Object.entries(chosenFields).flatMap(([field, isChosen]): [string, Origin][] =>
    isChosen ? [[field, 'manual']] : [],
  );
  return {
    ...currentIdentity,
    title: match.title ?? currentIdentity.title,
    ...(hasArtists && { artists: match.artists, artist: match.artist, artistMbids: match.artistMbids }),
    ...(match.album !== undefined && {
      album: match.album,
      albumArtist: match.albumArtist,
      albumArtists: match.albumArtists,
      albumArtistMbids: match.albumArtistMbids,
      compilation: match.compilation,
      releaseGroupMbid: match.releaseGroupMbid,
      releaseMbid: undefined,
    }),
    year: match.year ?? currentIdentity.year,
    trackNumber: match.trackNumber ?? currentIdentity.trackNumber,
    discNumber: match.discNumber ?? currentIdentity.discNumber,
    genres: match.genres.length > 0 ? match.genres : currentIdentity.genres,
    recordingMbid: match.recordingMbid ?? currentIdentity.recordingMbid,
    acoustidId: match.acoustidId ?? currentIdentity.acoustidId,
    provenance: { ...currentIdentity.provenance, ...Object.fromEntries(manualOrigins) },
  };
}

function originsOf(identity: TrackIdentity): Record<string, Origin> {
  const hasValue: Record<string, boolean> = {
    title: true,
    artist: identity.artists.length > 0,
    album: identity.album !== undefined,
    genre: identity.genres.length > 0,
    ...fieldsFrom((field) => identity[field] !== undefined),
  };
  return Object.fromEntries(
    Object.entries(hasValue)
      .filter(([, isPresent]) => isPresent)
      .map(([field]) => [field, identity.provenance?.[field] ?? 'tag']),
  );
}
