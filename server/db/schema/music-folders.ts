// Music folders, and the files in them as scans saw them.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { MusicFolderId, TrackId } from '../ids.ts';
import { id, time } from './columns.ts';
import { type ImportMode, tracks } from './tracks.ts';

/**
 * music-folders/: a folder that is scanned. The first has the id 1 and the key ''; where it is, and its mode, are
 * settings. A removed folder keeps its row, so that its key is not used again and the folder can be restored.
 */
export const musicFolders = sqliteTable(
  'music_folders',
  {
    id: id<MusicFolderId>(),
    key: text('key').notNull(), // source ids of its tracks begin with it; see storage/music-roots.ts
    name: text('name').notNull(),
    path: text('path'), // absolute; null for the first
    mode: text('mode').$type<ImportMode>(), // null for the first
    createdAt: time('created_at').notNull(),
    removedAt: time('removed_at'),
  },
  (t) => [uniqueIndex('music_folders_key_unique').on(t.key)],
);

/** scan/: a folder in a music folder, as the last scan saw it. */
export const sourceFolders = sqliteTable(
  'source_folders',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    source: text('source').notNull(),
    path: text('path').notNull(), // relative, `/` between parts, as spelled on disk; storage/music-roots.ts
    imageName: text('image_name'), // best picture for a cover (cover, folder, front)
    signature: text('signature'), // hash of the listing, by which scans skip unchanged folders
    artistImage: text('artist_image'), // picture of an artist (artist)
  },
  (t) => [uniqueIndex('source_folders_source_path_unique').on(t.source, t.path)],
);

/**
 * scan/: a file in a music folder, with the result of its import. Failed and deleted files have a row, too, so that
 * they are not read again until they change.
 */
export const sourceFiles = sqliteTable(
  'source_files',
  {
    folderId: integer('folder_id')
      .notNull()
      .references(() => sourceFolders.id, { onDelete: 'cascade' }),
    name: text('name').notNull(), // as spelled on disk; bytes that are not UTF-8 as \xNN
    sizeBytes: integer('size_bytes').notNull(),
    mtimeUs: integer('mtime_us').notNull(), // microseconds
    dev: real('dev').notNull(), // real: identifiers may be wider than 53 bits
    ino: real('ino').notNull(),
    // `split`: the file has several tracks, each with a row of its own, see files/section-names.ts
    state: text('state').$type<'track' | 'split' | 'failed' | 'deleted' | 'gone'>().notNull(),
    reason: text('reason'), // why the import failed, or why the cue sheet is not used
    trackId: integer('track_id')
      .$type<TrackId>()
      .references(() => tracks.id, { onDelete: 'set null' }),
    lyricsMark: text('lyrics_mark'), // name, size and time of the lyrics file that was read
    sheetsMark: text('sheets_mark'), // hash of names, sizes and times of the cue sheets that were read in the folder
    ctimeUs: integer('ctime_us'), // last change, also of metadata; null until a scan saves it
  },
  (t) => [
    primaryKey({ columns: [t.folderId, t.name] }),
    index('source_files_track_id').on(t.trackId),
    index('source_files_ino').on(t.ino),
    index('source_files_gone')
      .on(t.trackId)
      .where(sql`state = 'gone'`),
  ],
);

/**
 * scan/: scans that changed rows and have not looked for tracks without files yet; tracks with higher ids are new in
 * them. The row stays when a scan is killed, so that the next scan includes its tracks.
 */
export const unfinishedScans = sqliteTable('unfinished_scans', {
  source: text('source').primaryKey(),
  afterId: integer('after_id').$type<TrackId>().notNull(),
});

/**
 * scan/: the audio that a track had until different music replaced its file. A file with that audio is the same track
 * when it comes back.
 */
export const formerAudio = sqliteTable(
  'former_audio',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .primaryKey()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    audioHash: text('audio_hash').notNull(),
    until: time('until'), // when different music replaced the file; null in rows of earlier versions
  },
  (t) => [index('former_audio_audio_hash').on(t.audioHash)],
);
