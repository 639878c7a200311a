// REST API of credits, of the people that they name, and of works.
import { z } from 'zod';
import { AlbumIdIn, ArtistIdIn, PersonIdIn, TrackIdIn } from '../../db/ids.ts';
import { idParam, toPaged } from '../../http/paging.ts';
import { route, type Route } from '../../http/route.ts';
import type { AlbumWork } from '../albums/works.ts';
import type { LibraryService } from '../service.ts';
import {
  AlbumCreditOut,
  CreditRoleOut,
  PeopleQuery,
  PersonOut,
  PersonPage,
  TrackCreditOut,
  WorkOut,
  type ListedPersonOut,
} from './credit-wire.ts';
import type { AlbumCredit, ListedPerson, Person, PersonCredit } from './people.ts';

export const creditRoutes = (library: LibraryService): Route[] => [
  route(
    {
      method: 'get',
      path: '/people',
      access: 'user',
      summary: 'People who are credited on tracks, such as composers, by name',
      query: PeopleQuery,
      reply: PersonPage,
      hasEtag: true,
    },
    async ({ query }) => toPaged(await library.people.list(query, query), query, toListedPersonOut),
  ),

  route(
    {
      method: 'get',
      path: '/people/roles',
      access: 'user',
      summary: 'Roles in which people of the library are credited',
      reply: z.array(CreditRoleOut),
    },
    () => library.people.rolesInUse(),
  ),

  route(
    {
      method: 'get',
      path: '/people/:id',
      access: 'user',
      summary: 'A person with their roles; `/tracks` and `/albums` filter by `credit_id` and `credit_role`',
      params: idParam(PersonIdIn),
      reply: PersonOut,
    },
    ({ params }) => toPersonOut(library.people.get(params.id)),
  ),

  route(
    {
      method: 'get',
      path: '/artists/:id/credits',
      access: 'user',
      summary: 'Other roles of an artist, such as composer or producer; null without any',
      params: idParam(ArtistIdIn),
      reply: PersonOut.nullable(),
    },
    ({ user, params }) => {
      library.getArtist(user.id, params.id);
      const person = library.people.findOfArtist(params.id);
      return person ? toPersonOut(person) : null;
    },
  ),

  route(
    {
      method: 'get',
      path: '/tracks/:id/credits',
      access: 'user',
      summary: 'Who did what on a track',
      params: idParam(TrackIdIn),
      reply: z.array(TrackCreditOut),
    },
    ({ user, params }) => {
      library.getTrack(user.id, params.id);
      return library.people.ofTrack(params.id).map(toCreditOut);
    },
  ),

  route(
    {
      method: 'get',
      path: '/albums/:id/credits',
      access: 'user',
      summary: 'Who did what on which tracks of an album',
      params: idParam(AlbumIdIn),
      reply: z.array(AlbumCreditOut),
    },
    ({ user, params }) => {
      library.getAlbum(user.id, params.id);
      return library.people.ofAlbum(params.id).map(toAlbumCreditOut);
    },
  ),

  route(
    {
      method: 'get',
      path: '/albums/:id/works',
      access: 'user',
      summary: 'Works of which an album has movements, in its order',
      params: idParam(AlbumIdIn),
      reply: z.array(WorkOut),
    },
    ({ user, params }) => library.worksIn(user.id, library.successorOf(params.id)).map(toWorkOut),
  ),
];

const toListedPersonOut = ({ id, name, nameSort, artistId, trackCount }: ListedPerson): ListedPersonOut => ({
  id,
  name,
  sort_key: nameSort,
  artist_id: artistId,
  track_count: trackCount,
});

const toPersonOut = ({ id, name, artistId, roles }: Person): PersonOut => ({
  id,
  name,
  artist_id: artistId,
  roles: roles.map(({ role, trackCount, albumCount }) => ({
    role,
    track_count: trackCount,
    album_count: albumCount,
  })),
});

const toCreditOut = ({ role, personId, name, artistId, instrument }: PersonCredit): TrackCreditOut => ({
  role,
  person_id: personId,
  name,
  artist_id: artistId,
  instrument,
});

const toAlbumCreditOut = (credit: AlbumCredit): AlbumCreditOut => ({
  ...toCreditOut(credit),
  track_ids: credit.trackIds,
});

const toWorkOut = ({ name, mbid, composer, movements }: AlbumWork): WorkOut => ({
  name,
  mbid,
  composer,
  movements: movements.map(({ trackId, ...movement }) => ({ track_id: trackId, ...movement })),
});
