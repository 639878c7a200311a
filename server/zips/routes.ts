// Routes of GET /zip: an album, a playlist, an artist or a selection as one file.
import { z } from 'zod';
import { AlbumIdIn, ArtistIdIn, PlaylistIdIn, TrackIdIn } from '../db/ids.ts';
import { invalid } from '../errors.ts';
import { queryInt } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { PROFILE_NAMES } from '../media/transcode.ts';
import type { ZipContent, ZipService } from './service.ts';

const MAX_LISTED_TRACKS = 2_000;
const ONE_OF = 'album_id, artist_id, playlist_id and track_ids';

export const ZipFormat = z
  .enum(PROFILE_NAMES)
  .optional()
  .meta({ description: 'convert the tracks; without ffmpeg the originals are sent' });

const ZipQuery = z.object({
  album_id: queryInt.pipe(AlbumIdIn).optional(),
  artist_id: queryInt.pipe(ArtistIdIn).optional().meta({ description: 'everything the artist made' }),
  playlist_id: queryInt.pipe(PlaylistIdIn).optional(),
  track_ids: z
    .string()
    .transform((text) => text.split(',').map(Number))
    .pipe(z.array(TrackIdIn).min(1).max(MAX_LISTED_TRACKS))
    .optional()
    .meta({ description: `at most ${MAX_LISTED_TRACKS}, separated by commas` }),
  format: ZipFormat,
  max_bitrate: queryInt
    .pipe(z.int().min(16).max(10_000))
    .optional()
    .meta({ description: 'kbps; tracks above it are converted (mp3 without a format)' }),
  name: z.string().trim().min(1).max(200).optional().meta({ description: 'of the zip with track_ids' }),
  token: z.string().optional().meta({ description: 'download token, for browsers that cannot send headers' }),
});

export const zipRoutes = (zips: ZipService): Route[] => [
  route(
    {
      method: 'get',
      path: '/zip',
      access: 'stream',
      scope: 'download',
      right: 'canDownload',
      summary: 'Tracks as a zip, whole or by ranges; converted ones are made meanwhile, and have no ranges',
      query: ZipQuery,
      status: [200, 206, 304],
      problems: ['not_found', 'conflict'],
      produces: ['application/zip'],
    },
    ({ user, query, req, res, signal }) =>
      zips.send(
        req,
        res,
        {
          userId: user.id,
          zipped: zippedOf(query),
          wish: { format: query.format, maxBitrateKbps: query.max_bitrate, maxKbps: user.maxBitrateKbps },
        },
        signal,
      ),
  ),
];

function zippedOf(query: z.output<typeof ZipQuery>): ZipContent {
  const { album_id: albumId, artist_id: artistId, playlist_id: playlistId, track_ids: trackIds, name } = query;
  const selections: ZipContent[] = [
    ...(albumId === undefined ? [] : [{ albumId }]),
    ...(artistId === undefined ? [] : [{ artistId }]),
    ...(playlistId === undefined ? [] : [{ playlistId }]),
    ...(trackIds === undefined ? [] : [{ trackIds, name: name ?? 'Music' }]),
  ];
  const [selection, ...otherSelections] = selections;
  if (selection === undefined || otherSelections.length > 0)
    throw invalid([{ field: 'album_id', message: `exactly one of ${ONE_OF} is needed` }]);
  return selection;
}
