// REST API for releases at MusicBrainz that may be an album. PATCH /albums/{id} takes their values over.
import { AlbumIdIn, type AlbumId, type UserId } from '../db/ids.ts';
import { AppError, notFound } from '../errors.ts';
import { idParam } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import type { Editing } from '../library/edits/edit-rights.ts';
import type { LibraryService } from '../library/service.ts';
import { ServiceError } from '../outbound/service-client.ts';
import { mbid } from './acoustid-wire.ts';
import {
  AlbumMatchDetails,
  AlbumMatchList,
  AlbumMatchQuery,
  toAlbumMatchDetails,
  toAlbumMatchOut,
} from './album-match-wire.ts';
import type { MusicBrainz } from './musicbrainz.ts';
import { findRelease, findReleases } from './musicbrainz-releases.ts';
import { pairTracks } from './paired-tracks.ts';

const AlbumParam = idParam(AlbumIdIn);
const ReleaseParam = AlbumParam.extend({ mbid });
/** Longer albums are paired by their first tracks only. */
const MAX_PAIRED_TRACKS = 1_000;

interface AlbumMatchRouteDeps {
  musicBrainz: Pick<MusicBrainz, 'find' | 'isEnabled'>;
  library: Pick<LibraryService, 'getAlbum' | 'listTracks'>;
  editing: Pick<Editing, 'assertAlbum'>;
}

export function albumMatchRoutes({ musicBrainz, library, editing }: AlbumMatchRouteDeps): Route[] {
  /** Looks up releases. Throws `unavailable` with the reason if MusicBrainz cannot be asked. */
  async function ask<T>(lookUp: () => Promise<T>): Promise<T> {
    if (!musicBrainz.isEnabled())
      throw new AppError('unavailable', 'Looking up at MusicBrainz is turned off. An administrator can turn it on.');
    try {
      return await lookUp();
    } catch (cause) {
      throw cause instanceof ServiceError ? new AppError('unavailable', cause.message, { cause }) : cause;
    }
  }

  const tracksOf = async (userId: UserId, albumId: AlbumId) =>
    (
      await library.listTracks(
        userId,
        { albumId, bestOnly: true },
        { sort: 'album' },
        { limit: MAX_PAIRED_TRACKS, offset: 0 },
      )
    ).items;

  return [
    route(
      {
        method: 'get',
        path: '/albums/:id/matches',
        problems: ['unavailable'],
        access: 'user',
        right: 'canEdit',
        orOwn: true,
        summary: 'Releases at MusicBrainz that may be the album, the best first, without their tracks',
        params: AlbumParam,
        query: AlbumMatchQuery,
        reply: AlbumMatchList,
      },
      async ({ user, params, query, signal }) => {
        const { title, artistName } = library.getAlbum(user.id, params.id);
        editing.assertAlbum(user, params.id);
        const words = { title: query.title ?? title, artist: query.artist ?? artistName ?? '' };
        return (await ask(() => findReleases(musicBrainz, words, signal))).map(toAlbumMatchOut);
      },
    ),

    route(
      {
        method: 'get',
        path: '/albums/:id/matches/:mbid',
        problems: ['unavailable'],
        access: 'user',
        right: 'canEdit',
        orOwn: true,
        summary: 'One of these releases with its tracks, paired with those of the album',
        params: ReleaseParam,
        reply: AlbumMatchDetails,
      },
      async ({ user, params, signal }) => {
        library.getAlbum(user.id, params.id);
        editing.assertAlbum(user, params.id);
        const release = await ask(() => findRelease(musicBrainz, params.mbid, signal));
        if (!release) throw notFound('release');
        return toAlbumMatchDetails(release, pairTracks(await tracksOf(user.id, params.id), release.tracks));
      },
    ),
  ];
}
