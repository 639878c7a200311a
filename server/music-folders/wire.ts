// Zod schemas of the music folders' API.
import { z } from 'zod';
import { isoTime } from '../http/times.ts';
import { queryBool } from '../http/paging.ts';

const MAX_NAME_LENGTH = 100;
const Name = z.string().trim().min(1, 'must not be empty').max(MAX_NAME_LENGTH);
const Path = z.string().trim().min(1, 'must not be empty').max(4_096);
const Mode = z.enum(['copy', 'reference']);

export const MusicFolderOut = z
  .object({
    id: z.int(),
    name: z.string(),
    source_id_prefix: z.string().meta({ description: 'begins the source ids of its tracks; empty for the first one' }),
    path: z.string().nullable().meta({ description: 'on the server; null unless you are a superuser' }),
    mode: Mode.meta({ description: 'copy: files are copied into the storage; reference: they are only indexed' }),
    follow_links: z.boolean().meta({ description: 'whether links to folders outside are followed' }),
    is_fixed: z.boolean().meta({ description: 'path or mode come from the environment or the command line' }),
    state: z.enum(['ready', 'offline', 'removed']).meta({
      description: 'offline: it is not there or cannot be read; its tracks stay as they are',
    }),
    reason: z.string().nullable().meta({ description: 'why it is offline; null unless you are a superuser' }),
    watching: z
      .enum(['off', 'starting', 'watching', 'polling'])
      .meta({ description: 'polling: it cannot be watched and is scanned at intervals' }),
    tracks: z.int(),
    indexed_tracks: z.int().meta({ description: 'tracks whose only audio is the file in the folder' }),
    size_bytes: z.int(),
    duration_ms: z.int(),
    removed_at: isoTime.nullable(),
  })
  .meta({ id: 'MusicFolderOut' });
export type MusicFolderOut = z.output<typeof MusicFolderOut>;

export const MusicFoldersOut = z.object({ items: z.array(MusicFolderOut) }).meta({ id: 'MusicFoldersOut' });
export type MusicFoldersOut = z.output<typeof MusicFoldersOut>;

export const MusicFolderIn = z
  .strictObject({ name: Name, path: Path, mode: Mode.default('copy'), follow_links: z.boolean().default(false) })
  .meta({ id: 'MusicFolderIn' });
export type MusicFolderIn = z.output<typeof MusicFolderIn>;

export const MusicFolderPatch = z
  .strictObject({
    name: Name.optional(),
    path: Path.optional(),
    mode: Mode.optional(),
    follow_links: z.boolean().optional(),
  })
  .meta({ id: 'MusicFolderPatch' });
export type MusicFolderPatch = z.output<typeof MusicFolderPatch>;

const FolderName = z.object({ name: z.string(), path: z.string() });
export const ServerFolderQuery = z.object({
  path: z.string().min(1).max(4_096).optional().meta({ description: 'absolute; by default the home folder' }),
});
export const ServerFolderOut = z
  .object({
    path: z.string(),
    parent: z.string().nullable(),
    folders: z.array(FolderName).meta({ description: 'without hidden ones, and those of the system and of Tonearm' }),
    is_complete: z.boolean().meta({ description: 'false if there are more than 5,000' }),
    fault: z.string().nullable().meta({ description: 'why it cannot be a music folder' }),
    places: z.array(FolderName).meta({ description: 'where to begin: the home folder and disks' }),
    free_bytes: z.int().meta({ description: 'on its disk' }),
    total_bytes: z.int(),
  })
  .meta({ id: 'ServerFolderOut' });
export type ServerFolderOut = z.output<typeof ServerFolderOut>;

export const FolderContentsQuery = z.object({
  path: z.string().min(1).max(4_096).meta({ description: 'absolute' }),
  limit: z.coerce.number().int().min(1).max(100_000).default(100_000).meta({
    description: 'names to count; a folder with more is counted in part',
  }),
});
export const FolderContentsOut = z
  .object({
    path: z.string(),
    audio_files: z.int(),
    audio_bytes: z.int(),
    folders: z.int().meta({ description: 'inside it, at any depth' }),
    other_files: z.int(),
    protected_files: z.int().meta({ description: 'of the other files, those with copy protection, such as .m4p' }),
    other_kinds: z
      .array(z.object({ extension: z.string().meta({ description: 'without the dot' }), files: z.int() }))
      .meta({ description: 'the most frequent kinds of other files' }),
    ignored: z.int().meta({ description: 'files and folders that scans leave out because of their names' }),
    unreadable_folders: z.int(),
    is_complete: z.boolean().meta({ description: 'false if there are more names than `limit`' }),
    library_free_bytes: z.int().meta({ description: 'free on the disk to which files are copied' }),
  })
  .meta({ id: 'FolderContentsOut' });
export type FolderContentsOut = z.output<typeof FolderContentsOut>;

export const DryRunQuery = z.object({
  dry_run: queryBool.default(false).meta({ description: 'only say what would happen' }),
});

export const RemovalOut = z
  .object({
    to_trash: z.int().meta({ description: 'tracks whose audio is only in the folder; in the trash for 30 days' }),
    kept: z.int().meta({ description: 'tracks that stay, because their files were copied' }),
    detail: z.string().meta({ description: 'the same in a sentence' }),
  })
  .meta({ id: 'MusicFolderRemovalOut' });
export type RemovalOut = z.output<typeof RemovalOut>;
