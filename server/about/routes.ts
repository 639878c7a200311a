// Routes of information about artists, albums and labels, and of pictures of artists from online services.
import { AlbumIdIn, ArtistIdIn, type AlbumId, type UserId } from '../db/ids.ts';
import type { About } from '../db/schema.ts';
import type { PlaceholderCovers } from '../covers/placeholder-covers.ts';
import { notFound } from '../errors.ts';
import { idParam } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import type { LibraryService } from '../library/service.ts';
import type { AboutService } from './service.ts';
import { textIn } from './texts.ts';
import {
  AboutQuery,
  AlbumAbout,
  ArtistAbout,
  IdentityCandidates,
  IdentityIn,
  IdentitySearch,
  PictureCandidates,
  PictureChoice,
  PictureQuery,
  type AboutOut,
} from './wire.ts';

const ArtistParam = idParam(ArtistIdIn);
const AlbumParam = idParam(AlbumIdIn);
const edits = { access: 'user' as const, right: 'canEdit' as const, params: ArtistParam };

interface AboutRouteDeps {
  about: AboutService;
  library: Pick<LibraryService, 'getAlbum'>;
  placeholders: Pick<PlaceholderCovers, 'sendPicture'>;
}

export function aboutRoutes({ about, library, placeholders }: AboutRouteDeps): Route[] {
  const assertAlbumExists = (userId: UserId, id: AlbumId): void => void library.getAlbum(userId, id);

  return [
    route(
      {
        method: 'get',
        path: '/artists/:id/about',
        access: 'user',
        summary: 'What is known about an artist',
        params: ArtistParam,
        query: AboutQuery,
        reply: ArtistAbout,
      },
      ({ params, query }) => toArtistAbout(about.ofArtist(params.id), query.language),
    ),
    route(
      {
        method: 'post',
        path: '/artists/:id/about/lookup',
        access: 'user',
        summary: 'Look up an artist now, if that is due',
        params: ArtistParam,
        query: AboutQuery,
        reply: ArtistAbout,
      },
      async ({ params, query, signal }) => {
        await about.lookUpArtist(params.id, signal);
        return toArtistAbout(about.ofArtist(params.id), query.language);
      },
    ),
    route(
      {
        ...edits,
        method: 'get',
        path: '/artists/:id/about/candidates',
        summary: 'Artists of MusicBrainz that an artist may be',
        query: IdentitySearch,
        reply: IdentityCandidates,
        problems: ['conflict', 'unavailable'],
      },
      async ({ params, query, signal }) =>
        (await about.candidates(params.id, query.q, signal)).map(({ mbid, ...candidate }) => ({
          artist_mbid: mbid,
          ...candidate,
        })),
    ),
    route(
      {
        ...edits,
        method: 'put',
        path: '/artists/:id/about',
        summary: 'Say which artist of MusicBrainz an artist is',
        body: IdentityIn,
      },
      ({ params, body, signal }) => about.setIdentity(params.id, body.artist_mbid, signal),
    ),
    route(
      {
        ...edits,
        method: 'delete',
        path: '/artists/:id/about',
        summary: 'Go back to the artist that the tags or albums say',
      },
      ({ params, signal }) => about.setIdentity(params.id, undefined, signal),
    ),
    route(
      {
        ...edits,
        method: 'get',
        path: '/artists/:id/cover/candidates',
        summary: 'Pictures of an artist on Wikimedia Commons',
        reply: PictureCandidates,
        problems: ['conflict', 'unavailable'],
      },
      async ({ params, signal }) =>
        (await about.listPictures(params.id, signal)).map(({ name, width, height, credit, isCurrent }) => ({
          file: name,
          width,
          height,
          author: credit.author,
          licence: credit.licence,
          is_current: isCurrent,
        })),
    ),
    route(
      {
        ...edits,
        method: 'get',
        path: '/artists/:id/cover/candidate',
        access: 'stream',
        summary: 'One of these pictures, at most 600 pixels large',
        query: PictureQuery,
        status: [200, 206, 304],
        produces: ['image/webp'],
        problems: ['conflict', 'unavailable'],
      },
      async ({ query, req, res, signal }) => {
        const picture = { key: `commons ${query.file}`, read: () => about.readPicture(query.file, signal) };
        if (!(await placeholders.sendPicture(req, res, picture))) throw notFound('picture', query.file);
      },
    ),
    route(
      {
        ...edits,
        method: 'post',
        path: '/artists/:id/cover/choose',
        summary: 'Make one of these pictures that of the artist',
        body: PictureChoice,
        problems: ['conflict', 'unavailable', 'unsupported_type'],
      },
      ({ params, body, signal }) => about.choosePicture(params.id, body.file, signal),
    ),
    route(
      {
        method: 'get',
        path: '/albums/:id/about',
        access: 'user',
        summary: 'What is known about an album and its labels',
        params: AlbumParam,
        query: AboutQuery,
        reply: AlbumAbout,
      },
      ({ user, params, query }) => {
        assertAlbumExists(user.id, params.id);
        return toAlbumAbout(about.ofAlbum(params.id), query.language);
      },
    ),
    route(
      {
        method: 'post',
        path: '/albums/:id/about/lookup',
        access: 'user',
        summary: 'Look up an album and its labels now, if that is due',
        params: AlbumParam,
        query: AboutQuery,
        reply: AlbumAbout,
      },
      async ({ user, params, query, signal }) => {
        assertAlbumExists(user.id, params.id);
        await about.lookUpAlbum(params.id, signal);
        return toAlbumAbout(about.ofAlbum(params.id), query.language);
      },
    ),
  ];
}

const toAbout = (
  { name, type, country, area, begin, end, isEnded, links, texts }: About,
  language: string | undefined,
): AboutOut => ({
  name,
  type,
  country,
  area,
  begin,
  end,
  ended: isEnded,
  links,
  text: textIn(texts, language),
});

function toArtistAbout(
  { mbid, by, state, facts, inLibrary, picture }: ReturnType<AboutService['ofArtist']>,
  language: string | undefined,
): ArtistAbout {
  return {
    state,
    artist_mbid: mbid,
    identified_by: mbid === null ? null : by,
    about: facts && toAbout(facts, language),
    people: (facts?.people ?? []).map(({ mbid: id, name, relation, begin, end, isEnded }) => ({
      name,
      relation,
      begin,
      end,
      ended: isEnded,
      artist_id: inLibrary.get(id) ?? null,
    })),
    picture: picture?.origin
      ? {
          origin: picture.origin,
          is_none: picture.key === null,
          author: picture.credit?.author ?? null,
          licence: picture.credit?.licence ?? null,
          licence_url: picture.credit?.licenceUrl ?? null,
          page_url: picture.credit?.pageUrl ?? null,
        }
      : null,
  };
}

const toAlbumAbout = (
  { state, facts, labels }: ReturnType<AboutService['ofAlbum']>,
  language: string | undefined,
): AlbumAbout => ({
  state,
  about: facts && toAbout(facts, language),
  labels: labels.map((label) => toAbout(label, language)),
});
