// REST API of the library.
import { z } from 'zod';
import { AlbumIdIn, ArtistIdIn, TrackIdIn, type TrackId, type UserId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import { idParam, toPaged, type Page } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import type { Editing } from './edits/edit-rights.ts';
import { EDIT_FORMS } from './edits/other-forms.ts';
import type { LibraryService } from './service.ts';
import {
  AlbumOut,
  AlbumPage,
  AlbumPatch,
  AlbumQuery,
  AlbumTrackQuery,
  ArtistAlbumQuery,
  ArtistOut,
  ArtistPage,
  ArtistPatch,
  ArtistQuery,
  ArtistTrackQuery,
  ContradictionOut,
  EditQuery,
  GenreList,
  ChaptersOut,
  LyricsOut,
  TrackOut,
  TrackPage,
  TrackPatch,
  TrackPut,
  TrackQuery,
} from './wire.ts';
import {
  toAlbumChanges,
  toAlbumFilter,
  toAlbumOut,
  toArtistChanges,
  toArtistFilter,
  toArtistOut,
  toContradictionOut,
  toGenreOut,
  toChaptersOut,
  toLyricsOut,
  toTrackFilter,
  toTrackOut,
  toTypedMetadata,
} from './wire-maps.ts';

const TrackParam = idParam(TrackIdIn);
const AlbumParam = idParam(AlbumIdIn);
const ArtistParam = idParam(ArtistIdIn);

const pageOf = ({ limit, offset }: Page): Page => ({ limit, offset });

interface LibraryRouteDeps {
  library: LibraryService;
  editing: Editing;
  toTrash: (userId: UserId, id: TrackId) => void;
  /** Makes clients reload their lists. */
  libraryChanged: () => void;
}

export const libraryRoutes = ({ library, editing, toTrash, libraryChanged }: LibraryRouteDeps): Route[] => [
  route(
    {
      method: 'get',
      path: '/tracks',
      access: 'user',
      summary: 'Tracks, filtered and sorted',
      query: TrackQuery,
      reply: TrackPage,
      hasEtag: true,
    },
    async ({ user, query }) =>
      toPaged(await library.listTracks(user.id, toTrackFilter(query), query, pageOf(query)), query, toTrackOut),
  ),

  route(
    { method: 'get', path: '/tracks/:id', access: 'user', summary: 'One track', params: TrackParam, reply: TrackOut },
    ({ user, params }) => toTrackOut(library.getTrack(user.id, params.id)),
  ),

  route(
    {
      method: 'patch',
      alsoMethods: ['put'],
      path: '/tracks/:id',
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Edit metadata of a track; what is absent stays, and so does the status',
      params: TrackParam,
      query: EditQuery,
      body: TrackPatch,
      accepts: EDIT_FORMS,
      reply: TrackOut,
    },
    ({ user, params, query, body }) => {
      editing.assertTracks(user, [params.id]);
      const track = library.updateTrack(user.id, params.id, toTypedMetadata(body), query.batch);
      libraryChanged();
      return toTrackOut(track);
    },
  ),

  route(
    {
      method: 'get',
      path: '/tracks/:id/lyrics',
      access: 'user',
      summary: 'Lyrics of a track: from its tags, a file next to it, a look-up or a person',
      params: TrackParam,
      reply: LyricsOut,
    },
    ({ user, params }) => {
      library.getTrack(user.id, params.id);
      const lyrics = library.lyrics.ofTrack(params.id);
      if (!lyrics || (lyrics.lines.length === 0 && !lyrics.isInstrumental))
        throw new AppError('not_found', `Track ${params.id} has no lyrics.`);
      return toLyricsOut(lyrics);
    },
  ),

  route(
    {
      method: 'get',
      path: '/tracks/:id/file-notes',
      access: 'user',
      summary: 'What the last scan did not use of the file of a track and why, in sentences',
      params: TrackParam,
      reply: z.array(z.string()),
    },
    ({ user, params }) => {
      library.getTrack(user.id, params.id);
      return library.fileNotesOf(params.id);
    },
  ),

  route(
    {
      method: 'get',
      path: '/tracks/:id/chapters',
      access: 'user',
      summary: 'Chapters of an audiobook; none for other tracks',
      params: TrackParam,
      reply: ChaptersOut,
    },
    ({ user, params }) => {
      library.getTrack(user.id, params.id);
      return toChaptersOut(library.chaptersOf(params.id), library.bookmarkIn(user.id, params.id));
    },
  ),

  route(
    {
      method: 'put',
      alsoMethods: ['patch'],
      path: '/tracks/:id/metadata',
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Edit metadata of a track by hand; what is absent stays, and it is not identified again',
      params: TrackParam,
      query: EditQuery,
      body: TrackPut,
      accepts: EDIT_FORMS,
      reply: TrackOut,
    },
    ({ user, params, query, body }) => {
      editing.assertTracks(user, [params.id]);
      const track = library.setMetadata(user.id, params.id, toTypedMetadata(body), query.batch);
      libraryChanged();
      return toTrackOut(track);
    },
  ),

  route(
    {
      method: 'delete',
      path: '/tracks/:id',
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Move a track to the trash, where it stays for 30 days',
      params: TrackParam,
    },
    ({ user, params }) => {
      editing.assertTracks(user, [params.id]);
      toTrash(user.id, params.id);
      libraryChanged();
    },
  ),

  route(
    {
      method: 'get',
      path: '/albums',
      access: 'user',
      summary: 'Albums, filtered and sorted',
      query: AlbumQuery,
      reply: AlbumPage,
      hasEtag: true,
    },
    async ({ user, query }) =>
      toPaged(await library.listAlbums(user.id, toAlbumFilter(query), query, pageOf(query)), query, toAlbumOut),
  ),

  route(
    {
      method: 'get',
      path: '/albums/:id',
      access: 'user',
      summary: 'One album; for the id of an album that was merged into another one, that one',
      params: AlbumParam,
      reply: AlbumOut,
    },
    ({ user, params }) => toAlbumOut(library.getAlbum(user.id, library.successorOf(params.id))),
  ),

  route(
    {
      method: 'patch',
      path: '/albums/:id',
      problems: ['conflict'],
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Edit an album as a whole, and its tracks; what is absent stays. It may have joined another album then',
      params: AlbumParam,
      query: EditQuery,
      body: AlbumPatch,
      reply: AlbumOut,
    },
    ({ user, params, query, body }) => {
      library.getAlbum(user.id, params.id);
      editing.assertAlbum(user, params.id);
      const album = library.updateAlbum(user.id, params.id, toAlbumChanges(body), query.batch);
      libraryChanged();
      return toAlbumOut(album);
    },
  ),

  route(
    {
      method: 'get',
      path: '/albums/:id/tracks',
      access: 'user',
      summary: 'Tracks of an album, by disc and number',
      params: AlbumParam,
      query: AlbumTrackQuery,
      reply: TrackPage,
      hasEtag: true,
    },
    async ({ user, params, query }) => {
      const albumId = library.successorOf(params.id);
      library.getAlbum(user.id, albumId);
      return toPaged(
        await library.listTracks(
          user.id,
          { ...toTrackFilter(query), albumId, bestOnly: query.best_only },
          query,
          pageOf(query),
        ),
        query,
        toTrackOut,
      );
    },
  ),

  route(
    {
      method: 'get',
      path: '/tracks/:id/versions',
      access: 'user',
      summary: 'Other files of the same recording at the same place of its album, the best first',
      params: TrackParam,
      reply: z.array(TrackOut),
    },
    ({ user, params }) => library.versionsOf(user.id, params.id).map(toTrackOut),
  ),

  route(
    {
      method: 'get',
      path: '/albums/:id/contradictions',
      access: 'user',
      summary: 'Files of an album whose tags name another release, edition or year than most of them',
      params: AlbumParam,
      reply: z.array(ContradictionOut),
    },
    ({ user, params }) => library.contradictionsIn(user.id, params.id).map(toContradictionOut),
  ),

  route(
    {
      method: 'get',
      path: '/albums/:id/editions',
      access: 'user',
      summary: 'Other albums of the same MusicBrainz release group, or artist and title, by year; at most 100',
      params: AlbumParam,
      reply: z.array(AlbumOut),
    },
    ({ user, params }) => library.editionsOf(user.id, params.id).map(toAlbumOut),
  ),

  route(
    {
      method: 'get',
      path: '/artists',
      access: 'user',
      summary: 'Artists, filtered and sorted',
      query: ArtistQuery,
      reply: ArtistPage,
      hasEtag: true,
    },
    async ({ user, query }) =>
      toPaged(await library.listArtists(user.id, toArtistFilter(query), query, pageOf(query)), query, toArtistOut),
  ),

  route(
    {
      method: 'get',
      path: '/artists/:id',
      access: 'user',
      summary: 'One artist',
      params: ArtistParam,
      reply: ArtistOut,
    },
    ({ user, params }) => toArtistOut(library.getArtist(user.id, params.id)),
  ),

  route(
    {
      method: 'patch',
      path: '/artists/:id',
      access: 'superuser',
      summary: "Edit an artist's sort name and never-split mark",
      params: ArtistParam,
      body: ArtistPatch,
      reply: ArtistOut,
    },
    ({ user, params, body }) => {
      const artist = library.updateArtist(user.id, params.id, toArtistChanges(body));
      libraryChanged();
      return toArtistOut(artist);
    },
  ),

  route(
    {
      method: 'get',
      path: '/artists/:id/albums',
      access: 'user',
      summary: 'Albums by an artist or with a track by the artist',
      params: ArtistParam,
      query: ArtistAlbumQuery,
      reply: AlbumPage,
      hasEtag: true,
    },
    async ({ user, params, query }) => {
      library.getArtist(user.id, params.id);
      return toPaged(
        await library.listAlbums(user.id, { ...toAlbumFilter(query), artistId: params.id }, query, pageOf(query)),
        query,
        toAlbumOut,
      );
    },
  ),

  route(
    {
      method: 'get',
      path: '/artists/:id/tracks',
      access: 'user',
      summary: 'Tracks that credit an artist',
      params: ArtistParam,
      query: ArtistTrackQuery,
      reply: TrackPage,
      hasEtag: true,
    },
    async ({ user, params, query }) => {
      library.getArtist(user.id, params.id);
      return toPaged(
        await library.listTracks(user.id, { ...toTrackFilter(query), artistId: params.id }, query, pageOf(query)),
        query,
        toTrackOut,
      );
    },
  ),

  route(
    { method: 'get', path: '/genres', access: 'user', summary: 'Genres by name', reply: GenreList, hasEtag: true },
    () => library.listGenres().map(toGenreOut),
  ),
];
