import { z } from 'zod';
import { TrackIdIn, type TrackId } from '../db/ids.ts';
import { idList } from '../http/body.ts';
import { pageQuery, pagedOf } from '../http/paging.ts';
import { isoTime, isoTimeIn, toIso, toIsoOrNull } from '../http/times.ts';
import { playId } from '../history/wire.ts';
import { TrackOut } from '../library/wire.ts';
import { toTrackOut } from '../library/wire-maps.ts';
import type { BookmarkSummary } from './bookmarks.ts';
import { MAX_QUEUED, type PlayQueue, type QueueListening } from './queue.ts';

/** The longest accepted position: no track or episode is longer. */
export const MAX_POSITION_MS = 7 * 86_400_000;
export const positionMs = z.int().min(0).max(MAX_POSITION_MS);

/** The play of the current track, for a device that continues it. */
const ListeningIn = z.strictObject({
  play_id: playId.meta({ description: 'that of the play, in HistoryIn' }),
  started_at: isoTimeIn.meta({ description: 'played_at of the play' }),
  heard_ms: z.int().min(0).max(MAX_POSITION_MS),
});

export const QueueIn = z
  .strictObject({
    track_ids: idList<TrackId>(MAX_QUEUED, {
      description: 'in order; a track may be there several times. Tracks that are not in the library are left out',
    }),
    current_index: z.int().min(0).max(MAX_QUEUED).default(0),
    position_ms: positionMs.default(0),
    listening: ListeningIn.nullish(),
    client: z.string().trim().max(100).optional(),
  })
  .meta({ id: 'QueueIn' });
export type QueueIn = z.output<typeof QueueIn>;

const ListeningOut = z.object({ play_id: z.string(), started_at: isoTime, heard_ms: z.int() });

export const QueueOut = z
  .object({
    track_ids: z.array(z.int()),
    current_index: z.int().meta({ description: 'index in track_ids, from 0' }),
    position_ms: z.int(),
    listening: ListeningOut.nullable(),
    changed_by: z.string().nullable().meta({ description: 'the client that saved it' }),
    updated_at: isoTime.nullable().meta({ description: 'null when no queue was ever saved' }),
  })
  .meta({ id: 'QueueOut' });
export type QueueOut = z.output<typeof QueueOut>;

export const QueueTracksPage = pagedOf(TrackOut).meta({ id: 'PagedQueueTracks' });
export const PlaybackPageQuery = z.object(pageQuery);

export const BookmarkIn = z
  .strictObject({
    position_ms: positionMs,
    comment: z.string().max(2_000).nullish().meta({ description: 'absent: it is kept' }),
  })
  .meta({ id: 'BookmarkIn' });
export type BookmarkIn = z.output<typeof BookmarkIn>;
export const BookmarkOut = z
  .object({
    track: TrackOut,
    position_ms: z.int(),
    comment: z.string().nullable(),
    created_at: isoTime,
    updated_at: isoTime,
  })
  .meta({ id: 'BookmarkOut' });
export type BookmarkOut = z.output<typeof BookmarkOut>;
export const BookmarkPage = pagedOf(BookmarkOut).meta({ id: 'PagedBookmarks' });

export const BookmarkParam = z.object({
  track_id: z
    .string()
    .regex(/^\d{1,15}$/, 'must be a positive whole number')
    .transform(Number)
    .pipe(TrackIdIn as unknown as z.ZodType<z.output<typeof TrackIdIn>, number>),
});

export const toListening = ({ play_id, started_at, heard_ms }: z.output<typeof ListeningIn>): QueueListening => ({
  playId: play_id,
  startedAt: started_at,
  heardMs: heard_ms,
});

export const toQueueOut = ({
  trackIds,
  currentIndex,
  positionMs: at,
  listening,
  client,
  updatedAt,
}: PlayQueue): QueueOut => ({
  track_ids: trackIds,
  current_index: currentIndex,
  position_ms: at,
  listening: listening && {
    play_id: listening.playId,
    started_at: toIso(listening.startedAt),
    heard_ms: listening.heardMs,
  },
  changed_by: client,
  updated_at: toIsoOrNull(updatedAt),
});

export const toBookmarkOut = ({
  track,
  positionMs: at,
  comment,
  createdAt,
  updatedAt,
}: BookmarkSummary): BookmarkOut => ({
  track: toTrackOut(track),
  position_ms: at,
  comment,
  created_at: toIso(createdAt),
  updated_at: toIso(updatedAt),
});
