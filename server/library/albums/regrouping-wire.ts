import { z } from 'zod';
import { AlbumIdIn } from '../../db/ids.ts';
import { pagedOf } from '../../http/paging.ts';
import { isoTime } from '../../http/times.ts';
import { AlbumOut } from '../wire.ts';

export const AlbumChangeOut = z
  .object({
    title: z.string(),
    artist_name: z.string().nullable(),
    albums: z.array(AlbumOut).meta({ description: 'as they are' }),
    becomes: z
      .array(
        z.object({
          track_count: z.int(),
          year: z.int().nullable(),
          edition: z.string().nullable(),
          release_mbid: z.string().nullable(),
          folders: z.array(z.string()).meta({ description: 'the first three; empty for uploads' }),
        }),
      )
      .meta({ description: 'the albums that they become' }),
  })
  .meta({ id: 'AlbumChangeOut' });
export type AlbumChangeOut = z.output<typeof AlbumChangeOut>;

export const AlbumChangePage = pagedOf(AlbumChangeOut)
  .extend({ due_at: isoTime.nullable().meta({ description: 'when it happens by itself; null if nothing waits' }) })
  .meta({ id: 'PagedAlbumChanges' });
export type AlbumChangePage = z.output<typeof AlbumChangePage>;

export const AlbumChangesIn = z.object({
  album_ids: z.array(AlbumIdIn).max(1000).nullable().meta({ description: 'of the changes to make; null: all' }),
});

export const RegroupingOut = z
  .object({
    id: z.int(),
    title: z.string(),
    artist_name: z.string().nullable(),
    albums_before: z.int(),
    made_at: isoTime,
    expires_at: isoTime.meta({ description: 'until when it can be undone' }),
  })
  .meta({ id: 'RegroupingOut' });
export type RegroupingOut = z.output<typeof RegroupingOut>;
export const RegroupingPage = pagedOf(RegroupingOut).meta({ id: 'PagedRegroupings' });
export type RegroupingPage = z.output<typeof RegroupingPage>;
