// Zod schemas of the folders' API.
import { z } from 'zod';
import { pagedOf } from '../../http/paging.ts';

export const folderPath = z.string().max(4_096);
export const FolderOut = z
  .object({
    path: folderPath.meta({ description: 'as in `source_id`; `:` is the first music folder' }),
    name: z.string(),
    is_offline: z.boolean().optional().meta({ description: 'of a music folder, in the list of them' }),
  })
  .meta({ id: 'FolderOut' });
export type FolderOut = z.output<typeof FolderOut>;

export const FolderPage = pagedOf(FolderOut)
  .extend({
    parents: z.array(FolderOut).meta({ description: 'the folder itself last; none for the list of music folders' }),
    is_offline: z.boolean().meta({ description: 'its music folder is not there' }),
    is_copied: z.boolean().meta({ description: 'files of its music folder are copied, and play without it' }),
    track_count: z.int().meta({ description: 'tracks whose files are directly in it' }),
  })
  .meta({ id: 'PagedFolders' });
export type FolderPage = z.output<typeof FolderPage>;
