// API of covers: sends them in a requested size, replaces and removes them, and looks for them again.
import type { Request, Response } from 'express';
import { z } from 'zod';
import { AlbumIdIn, ArtistIdIn, TrackIdIn } from '../db/ids.ts';
import { notFound } from '../errors.ts';
import { readFormFile } from '../http/form-file.ts';
import { idParam } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import type { Editing } from '../library/edits/edit-rights.ts';
import type { CoverService } from './service.ts';
import type { ShownCover } from './mosaic.ts';
import { COVER_MIMES, MAX_COVER_BYTES } from './picture.ts';
import type { PlaceholderCovers } from './placeholder-covers.ts';
import { sendCover } from './send-cover.ts';
import type { SignedPictures } from './signed-pictures.ts';
import {
  candidateId,
  CandidateQuery,
  CoverCandidates,
  CoverChoice,
  CoverQuery,
  FoundCover,
  toCandidates,
} from './wire.ts';

const pictureRoute = {
  method: 'get' as const,
  access: 'stream' as const,
  query: CoverQuery,
  status: [200, 206, 304],
  produces: COVER_MIMES,
};

const artistPictureRoute = { access: 'user' as const, right: 'canEdit' as const, params: idParam(ArtistIdIn) };

export function coverRoutes(
  covers: CoverService,
  placeholders: Pick<PlaceholderCovers, 'sendOfTrack' | 'sendOfAlbum' | 'sendPicture'>,
  editing: Pick<Editing, 'assertAlbum'>,
): Route[] {
  const send = (
    req: Request,
    res: Response,
    cover: ShownCover | undefined,
    size: number | undefined,
  ): Promise<void> => {
    if (!cover) throw notFound('cover');
    return sendCover(covers, req, res, cover, size);
  };
  return [
    route(
      { ...pictureRoute, path: '/albums/:id/cover', params: idParam(AlbumIdIn), summary: 'Cover of an album' },
      async ({ params, query, req, res }) => {
        const cover = covers.find.ofAlbum(params.id);
        if (cover || !(await placeholders.sendOfAlbum(req, res, params.id))) await send(req, res, cover, query.size);
      },
    ),
    route(
      {
        ...pictureRoute,
        path: '/tracks/:id/cover',
        params: idParam(TrackIdIn),
        summary: "Cover of a track's album, the picture in a track without one, or the catalogue's of a placeholder",
      },
      async ({ params, query, req, res }) => {
        const cover = covers.find.ofTrack(params.id);
        if (cover || !(await placeholders.sendOfTrack(req, res, params.id))) await send(req, res, cover, query.size);
      },
    ),
    route(
      {
        ...pictureRoute,
        path: '/artists/:id/cover',
        params: idParam(ArtistIdIn),
        summary: 'Picture of an artist, or a mosaic of up to four covers of their albums',
      },
      ({ params, query, req, res }) => send(req, res, covers.find.ofArtist(params.id), query.size),
    ),
    route(
      {
        ...artistPictureRoute,
        method: 'put',
        path: '/artists/:id/cover',
        consumes: 'multipart/form-data',
        summary: 'Set the picture of an artist; field `file`, at most 20 MB',
      },
      async ({ params, req }) =>
        covers.artistPictures.set(params.id, await readCoverUpload(req), { source: null, credit: null }),
    ),
    route(
      {
        ...artistPictureRoute,
        method: 'delete',
        path: '/artists/:id/cover',
        summary: 'Remove the picture of an artist; no other is looked for',
      },
      ({ params }) => covers.artistPictures.remove(params.id),
    ),
    route(
      {
        ...artistPictureRoute,
        method: 'post',
        path: '/artists/:id/cover/undo',
        problems: ['conflict'],
        summary: 'Take back the last change of the picture of an artist',
      },
      ({ params }) => covers.artistPictures.undo(params.id),
    ),
    route(
      {
        method: 'put',
        path: '/albums/:id/cover',
        access: 'user',
        right: 'canEdit',
        orOwn: true,
        params: idParam(AlbumIdIn),
        consumes: 'multipart/form-data',
        summary: 'Replace the cover of an album; field `file`, at most 20 MB',
      },
      async ({ user, params, req }) => {
        editing.assertAlbum(user, params.id);
        await covers.setCover(params.id, await readCoverUpload(req));
      },
    ),
    route(
      {
        method: 'delete',
        path: '/albums/:id/cover',
        access: 'user',
        right: 'canEdit',
        orOwn: true,
        params: idParam(AlbumIdIn),
        summary: 'Remove the cover of an album; no other is looked for',
      },
      ({ user, params }) => {
        editing.assertAlbum(user, params.id);
        return covers.removeCover(params.id);
      },
    ),
    route(
      {
        method: 'post',
        path: '/albums/:id/cover/find',
        access: 'user',
        right: 'canEdit',
        orOwn: true,
        params: idParam(AlbumIdIn),
        reply: FoundCover,
        summary: 'Look for a cover again, in tags, folder and cover archive; also after it was removed',
      },
      ({ user, params, signal }) => {
        editing.assertAlbum(user, params.id);
        return covers.retryLookup(params.id, signal);
      },
    ),
    route(
      {
        method: 'get',
        path: '/albums/:id/cover/candidates',
        access: 'user',
        right: 'canEdit',
        orOwn: true,
        params: idParam(AlbumIdIn),
        query: CandidateQuery,
        reply: CoverCandidates,
        summary: 'Pictures that may be chosen as the cover of an album, each once',
      },
      async ({ user, params, query, signal }) => {
        editing.assertAlbum(user, params.id);
        return toCandidates(
          query.from === 'archive'
            ? await covers.candidates.listFromArchive(params.id, signal)
            : { items: await covers.candidates.listNearby(params.id), reason: null },
        );
      },
    ),
    route(
      {
        method: 'get',
        path: '/albums/:id/cover/candidates/:candidate',
        access: 'stream',
        right: 'canEdit',
        orOwn: true,
        params: idParam(AlbumIdIn).extend({ candidate: candidateId }),
        query: CoverQuery.pick({ token: true }),
        status: [200, 206, 304],
        produces: ['image/webp'],
        problems: ['unavailable'],
        summary: 'One of these pictures, at most 600 pixels large',
      },
      async ({ user, params, req, res }) => {
        editing.assertAlbum(user, params.id);
        const { key, readSmall } = await covers.candidates.find(params.id, params.candidate);
        if (!(await placeholders.sendPicture(req, res, { key, read: readSmall }))) throw notFound('cover');
      },
    ),
    route(
      {
        method: 'post',
        path: '/albums/:id/cover/choose',
        access: 'user',
        right: 'canEdit',
        orOwn: true,
        params: idParam(AlbumIdIn),
        body: CoverChoice,
        problems: ['unavailable'],
        summary: 'Make one of these pictures the cover of an album',
      },
      ({ user, params, body, signal }) => {
        editing.assertAlbum(user, params.id);
        return covers.choose(params.id, body.candidate, signal);
      },
    ),
  ];
}

/**
 * Returns the picture of a multipart form. Throws `unsupported_type`, `bad_request`, `invalid` (no file), `too_large`.
 */
async function readCoverUpload(req: Request): Promise<Buffer> {
  const limits = { bytes: MAX_COVER_BYTES, tooLarge: 'A cover may be 20 MB at most.', missing: 'is required' };
  return (await readFormFile(req, limits)).bytes;
}

/** Sends a picture at a signed address that a client was given, see signed-pictures.ts. */
export const signedPictureRoute = (covers: CoverService, pictures: Pick<SignedPictures, 'open'>): Route =>
  route(
    {
      method: 'get',
      path: '/pictures/:name',
      access: 'public',
      summary: 'One picture, at an address that the Subsonic API gave out; it ends after two months',
      params: z.object({ name: z.string().max(100) }),
      status: [200, 206, 304],
      produces: ['image/jpeg'],
    },
    async ({ params, req, res }) => {
      const picture = pictures.open(params.name);
      const cover =
        picture && (picture.kind === 'al' ? covers.find.ofAlbum(picture.id) : covers.find.ofArtist(picture.id));
      if (!cover) throw notFound('picture');
      res.set('Cross-Origin-Resource-Policy', 'cross-origin');
      await sendCover(covers, req, res, cover, picture.size, { format: 'jpeg' });
    },
  );
