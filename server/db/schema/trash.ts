// Deleted and merged tracks.
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { TrackId, UserId } from '../ids.ts';
import { users } from './accounts.ts';
import { flag, json, time } from './columns.ts';
import { tracks } from './tracks.ts';

/** Why two tracks were merged: by a person (`duplicate`, `chosen`) or by a scan (`same_audio`, `same_music`). */
export type MergeReason = 'duplicate' | 'chosen' | 'same_audio' | 'same_music';

/**
 * library/: a deleted track, for 30 days or until it is restored. The track is in no other table, so no list can show
 * it. Its stored audio stays, and so does the cover of an album that was deleted with it. `snapshot` is described in
 * track-snapshot.ts. A track that was merged into another one is here, too, for the same time; see merges.ts.
 */
export const trashedTracks = sqliteTable(
  'trashed_tracks',
  {
    id: integer('id').$type<TrackId>().primaryKey(), // id of the track
    title: text('title').notNull(),
    artistName: text('artist_name'),
    albumTitle: text('album_title'),
    source: text('source').notNull(),
    sourceId: text('source_id').notNull(),
    storageUri: text('storage_uri'),
    contentHash: text('content_hash'),
    sizeBytes: integer('size_bytes'),
    coverKey: text('cover_key'), // the cover of an album that had no other track
    uploadedBy: integer('uploaded_by')
      .$type<UserId>()
      .references(() => users.id, { onDelete: 'set null' }),
    deletedBy: integer('deleted_by')
      .$type<UserId>()
      .references(() => users.id, { onDelete: 'set null' }),
    deletedAt: time('deleted_at').notNull(),
    snapshot: json<unknown>('snapshot').notNull(),
    // the track into which this one was merged; null for a deleted track
    mergedInto: integer('merged_into').$type<TrackId>(),
    mergeReason: text('merge_reason').$type<MergeReason>(),
    // Whether the track was not deleted by a person: its file became several tracks, or one track again. Such tracks
    // are not listed, and never deleted for good.
    isHidden: flag('is_hidden').notNull().default(false),
    audioHash: text('audio_hash'),
    // For a merged track, the hash of its former audio: when a scan finds this audio again, it undoes the merge. The
    // value comes from former_audio, or is the hash that the remaining track had before it took over the file.
    formerAudioHash: text('former_audio_hash'),
  },
  (t) => [
    index('trashed_tracks_deleted_at').on(t.deletedAt, t.id),
    index('trashed_tracks_source_source_id').on(t.source, t.sourceId),
    index('trashed_tracks_content_hash').on(t.contentHash),
    index('trashed_tracks_audio_hash').on(t.audioHash),
    index('trashed_tracks_hidden')
      .on(t.audioHash)
      .where(sql`is_hidden = 1`),
    index('trashed_tracks_former_audio_hash')
      .on(t.formerAudioHash)
      .where(sql`former_audio_hash IS NOT NULL`),
    index('trashed_tracks_merged_into')
      .on(t.mergedInto)
      .where(sql`merged_into IS NOT NULL`),
    index('trashed_tracks_duration_ms')
      .on(sql`snapshot ->> '$.track.duration_ms'`)
      .where(sql`merged_into IS NULL AND json_valid(snapshot)`),
    index('trashed_tracks_uploaded_by').on(t.uploadedBy),
    index('trashed_tracks_deleted_by').on(t.deletedBy),
    index('trashed_tracks_cover_key')
      .on(t.coverKey)
      .where(sql`cover_key IS NOT NULL`),
  ],
);

/**
 * library/: a track whose file has left the music folder, while its copy stays in the storage and another track has the
 * same recording in a newer file. User data now belongs to the newer track; `carried` has what an undo needs.
 */
export const replacedTracks = sqliteTable(
  'replaced_tracks',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .primaryKey()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    byId: integer('by_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    replacedAt: time('replaced_at').notNull(),
    carried: json<unknown>('carried').notNull(),
  },
  (t) => [index('replaced_tracks_by_id').on(t.byId), index('replaced_tracks_replaced_at').on(t.replacedAt)],
);
