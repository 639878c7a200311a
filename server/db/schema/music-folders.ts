// Music folders, and the files in them as scans saw them.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { MusicFolderId, TrackId } from '../ids.ts';
import { flag, id, time } from './columns.ts';
import { type ImportMode, tracks } from './tracks.ts';

/**
 * music-folders/: a folder that is scanned. The first folder has the id 1 and the key ''; its path and mode are
 * settings. A removed folder keeps its row, so that its key is not used again and the folder can be restored.
 */
export const musicFolders = sqliteTable(
  'music_folders',
  {
    id: id<MusicFolderId>(),
    key: text('key').notNull(), // the source ids of the folder's tracks begin with it; see storage/music-roots.ts
    name: text('name').notNull(),
    path: text('path'), // absolute path; null for the first folder
    mode: text('mode').$type<ImportMode>(), // null for the first folder
    createdAt: time('created_at').notNull(),
    removedAt: time('removed_at'),
    followsLinks: flag('follows_links').notNull().default(false), // whether links to folders are followed
  },
  (t) => [uniqueIndex('music_folders_key_unique').on(t.key)],
);

/** scan/: a folder in a music folder, as the last scan saw it. */
export const sourceFolders = sqliteTable(
  'source_folders',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    source: text('source').notNull(),
    // relative path as spelled on disk, with `/` between parts; see storage/music-roots.ts
    path: text('path').notNull(),
    imageName: text('image_name'), // name of the best picture for a cover (cover, folder, front)
    signature: text('signature'), // hash of the folder's listing, by which scans skip unchanged folders
    artistImage: text('artist_image'), // name of the picture that shows an artist (artist.jpg)
    // the folder to which the path leads, if it is a link that the scan followed: an absolute path without links
    linkTarget: text('link_target'),
  },
  (t) => [
    uniqueIndex('source_folders_source_path_unique').on(t.source, t.path),
    index('source_folders_link_target')
      .on(t.source, t.linkTarget)
      .where(sql`link_target IS NOT NULL`),
  ],
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
    name: text('name').notNull(), // as spelled on disk; bytes that are not UTF-8 are written as \xNN
    sizeBytes: integer('size_bytes').notNull(),
    mtimeUs: integer('mtime_us').notNull(), // modification time in microseconds
    dev: real('dev').notNull(), // a real number, because identifiers may be wider than 53 bits
    ino: real('ino').notNull(),
    // `split`: the file contains several tracks, each with a row of its own, see files/section-names.ts
    state: text('state').$type<'track' | 'split' | 'failed' | 'deleted' | 'gone'>().notNull(),
    reason: text('reason'), // why the import failed, or why the CUE sheet is not used
    trackId: integer('track_id')
      .$type<TrackId>()
      .references(() => tracks.id, { onDelete: 'set null' }),
    lyricsMark: text('lyrics_mark'), // name, size and time of the lyrics file that was read
    // hash of the names, sizes and times of the CUE sheets that were read in the folder
    sheetsMark: text('sheets_mark'),
    ctimeUs: integer('ctime_us'), // time of the last change, also of metadata; null until a scan stores it
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
 * scan/: a scan that has changed rows and has not looked for tracks without files yet. Tracks with higher ids than this
 * are new in the scan. The row stays when the scan is killed, so that the next scan includes its tracks.
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
