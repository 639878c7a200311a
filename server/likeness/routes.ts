// REST API of similar tracks, radio, paths, map and mixes.
import { ArtistIdIn, TrackIdIn, type TrackId, type UserId } from '../db/ids.ts';
import { conflict, notFound } from '../errors.ts';
import { idParam } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import type { LibraryService } from '../library/service.ts';
import { toTrackOut } from '../library/wire-maps.ts';
import type { createMixes } from './mixes.ts';
import type { createRadioExclusions } from './radio-exclusions.ts';
import type { RadioTrack, Radio } from './radio.ts';
import type { LikenessService } from './service.ts';
import type { Area } from './sound-map.ts';
import type { Mix, MixItem } from './stored-mixes.ts';
import type { Sounds } from './sounds.ts';
import {
  LikenessOut,
  MapLineIn,
  MapLineOut,
  MapOut,
  MapQuery,
  MapTracksOut,
  MapTracksQuery,
  MixesOut,
  MixesQuery,
  MixParam,
  MixTracksOut,
  NeverOut,
  PathOut,
  PathQuery,
  RadioIn,
  RadioOut,
  SimilarQuery,
  SimilarTracksOut,
  type ChosenTrackOut,
  type MixOut,
} from './wire.ts';

const TrackParam = idParam(TrackIdIn);
const ArtistParam = idParam(ArtistIdIn);
const MAX_COVERS = 4;
const MAX_ARTIST_NAMES = 6;

interface LikenessRouteDeps {
  likeness: LikenessService;
  sounds: Sounds;
  radio: Radio;
  mixes: ReturnType<typeof createMixes>;
  exclusions: ReturnType<typeof createRadioExclusions>;
  library: Pick<LibraryService, 'tracksById' | 'getTrack' | 'getArtist'>;
}

export const likenessRoutes = ({ likeness, sounds, radio, mixes, exclusions, library }: LikenessRouteDeps): Route[] => {
  const readTracksOut = (userId: UserId, ids: readonly number[]) =>
    new Map(library.tracksById(userId, ids).map((track) => [track.id, toTrackOut(track)]));

  function toChosenOut(userId: UserId, chosenTracks: readonly (RadioTrack | MixItem)[]): ChosenTrackOut[] {
    const tracks = readTracksOut(
      userId,
      chosenTracks.map(({ id }) => id),
    );
    return chosenTracks.flatMap(({ id, likeness, rank, reasons }) => {
      const track = tracks.get(id);
      return track ? [{ track, likeness, likeness_rank: rank, reasons }] : [];
    });
  }

  function toMixOut(userId: UserId, { id, kind, subject, why, items }: Mix): MixOut {
    const tracks = library.tracksById(
      userId,
      items.map((item) => item.id),
    );
    const trackByAlbum = new Map(
      tracks.filter(({ hasCover }) => hasCover).map(({ id, albumId }) => [albumId ?? `of ${id}`, id]),
    );
    return {
      id,
      kind,
      subject,
      why,
      track_count: tracks.length,
      duration_ms: tracks.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
      cover_track_ids: [...trackByAlbum.values()].slice(0, MAX_COVERS),
      artist_names: [...new Set(tracks.flatMap(({ artists }) => artists.slice(0, 1).map(({ name }) => name)))].slice(
        0,
        MAX_ARTIST_NAMES,
      ),
    };
  }

  return [
    route(
      {
        method: 'get',
        path: '/likeness',
        access: 'user',
        summary: 'Whether sounds or tags are compared, and how many tracks can be',
        reply: LikenessOut,
      },
      () => {
        const { isKnown, builtAt, ...state } = sounds.readState();
        return {
          by: isKnown ? ('sound' as const) : ('tags' as const),
          analyzed: state.analyzed,
          total: state.total,
          indexed: state.indexed,
          built_at: builtAt?.toISOString() ?? null,
          is_building: state.isBuilding,
        };
      },
    ),
    route(
      {
        method: 'get',
        path: '/tracks/:id/similar',
        access: 'user',
        summary: 'Tracks that are like a track, and other versions of it',
        params: TrackParam,
        query: SimilarQuery,
        reply: SimilarTracksOut,
      },
      async ({ user, params, query }) => {
        const { by, items, versions } = await likeness.similar(user.id, params.id, query.limit);
        const tracks = readTracksOut(
          user.id,
          versions.map(({ id }) => id),
        );
        return {
          by,
          items: toChosenOut(user.id, items),
          versions: versions.flatMap(({ id, kind, likeness: value, rank }) => {
            const track = tracks.get(id);
            return track ? [{ track, kind, likeness: value, likeness_rank: rank }] : [];
          }),
        };
      },
    ),
    route(
      {
        method: 'post',
        path: '/radio/next',
        access: 'user',
        summary: 'The next tracks of a radio; a track that it starts from is not among them',
        body: RadioIn,
        reply: RadioOut,
        problems: ['not_found'],
      },
      async ({ user, body }) => {
        const { by, title, items } = await radio.nextTracks(user.id, body);
        return { by, title, items: toChosenOut(user.id, items) };
      },
    ),
    route(
      {
        method: 'get',
        path: '/radio/never',
        access: 'user',
        summary: 'Tracks and artists that no radio and no mix plays for you',
        reply: NeverOut,
      },
      ({ user }) => exclusions.list(user.id),
    ),
    route(
      {
        method: 'put',
        path: '/radio/never/tracks/:id',
        access: 'user',
        summary: 'Never play a track in a radio or mix',
        params: TrackParam,
      },
      ({ user, params }) => {
        exclusions.add(user.id, { trackId: library.getTrack(user.id, params.id).id });
      },
    ),
    route(
      {
        method: 'delete',
        path: '/radio/never/tracks/:id',
        access: 'user',
        summary: 'Play a track in radios and mixes again',
        params: TrackParam,
      },
      ({ user, params }) => {
        exclusions.remove(user.id, { trackId: params.id });
      },
    ),
    route(
      {
        method: 'put',
        path: '/radio/never/artists/:id',
        access: 'user',
        summary: 'Never play an artist in a radio or mix',
        params: ArtistParam,
      },
      ({ user, params }) => {
        exclusions.add(user.id, { artistId: library.getArtist(user.id, params.id).id });
      },
    ),
    route(
      {
        method: 'delete',
        path: '/radio/never/artists/:id',
        access: 'user',
        summary: 'Play an artist in radios and mixes again',
        params: ArtistParam,
      },
      ({ user, params }) => {
        exclusions.remove(user.id, { artistId: params.id });
      },
    ),
    route(
      {
        method: 'get',
        path: '/path',
        access: 'user',
        summary: 'A path from one track to another, in steps that sound alike',
        query: PathQuery,
        reply: PathOut,
        problems: ['not_found', 'conflict'],
      },
      async ({ user, query }) => {
        const items = await likeness.path(user.id, query.from, query.to, query.steps);
        if (!items) throw notAnalyzed();
        return { by: 'sound' as const, items: toChosenOut(user.id, items) };
      },
    ),
    route(
      {
        method: 'get',
        path: '/map',
        access: 'user',
        summary: 'The map of the library, or a part of it: what sounds alike lies together',
        query: MapQuery,
        reply: MapOut,
      },
      async ({ query }) => {
        const { points, cells } = query;
        return (await sounds.ask({ kind: 'map', area: areaOf(query), points, cells })) ?? emptyMap(cells);
      },
    ),
    route(
      {
        method: 'get',
        path: '/map/tracks',
        access: 'user',
        summary: 'The tracks of a part of the map as a list',
        query: MapTracksQuery,
        reply: MapTracksOut,
      },
      async ({ user, query }) => {
        const { limit, offset } = query;
        const areaTracks = await sounds.ask({ kind: 'area', area: areaOf(query), limit, offset });
        const tracks = readTracksOut(user.id, areaTracks?.items.map(({ id }) => id) ?? []);
        const items = (areaTracks?.items ?? []).flatMap(({ id, x, y }) => {
          const track = tracks.get(id as TrackId);
          return track ? [{ track, x, y }] : [];
        });
        return { items, total: areaTracks?.total ?? 0, limit, offset };
      },
    ),
    route(
      {
        method: 'post',
        path: '/map/line',
        access: 'user',
        summary: 'Tracks along a line on the map',
        body: MapLineIn,
        reply: MapLineOut,
      },
      async ({ user, body }) => {
        const ids = (await sounds.ask({ kind: 'line', ...body })) ?? [];
        return { items: library.tracksById(user.id, ids).map(toTrackOut) };
      },
    ),
    route(
      {
        method: 'get',
        path: '/mixes',
        access: 'user',
        summary: 'Mixes of today for the Home page',
        query: MixesQuery,
        reply: MixesOut,
      },
      async ({ user, query }) => {
        const dailyMixes = await mixes.today(user.id, query.utc_offset_minutes);
        return { items: dailyMixes.map((mix) => toMixOut(user.id, mix)) };
      },
    ),
    route(
      {
        method: 'get',
        path: '/mixes/:mix',
        access: 'user',
        summary: 'A mix of today with its tracks',
        params: MixParam,
        query: MixesQuery,
        reply: MixTracksOut,
      },
      async ({ user, params, query }) => {
        const mix = (await mixes.today(user.id, query.utc_offset_minutes)).find(({ id }) => id === params.mix);
        if (!mix) throw notFound('mix', params.mix);
        return { mix: toMixOut(user.id, mix), items: toChosenOut(user.id, mix.items) };
      },
    ),
  ];
};

const notAnalyzed = () =>
  conflict('Not enough tracks have been analyzed yet. A path can be found when 95 % of them have been.');

const areaOf = (query: { min_x: number; min_y: number; max_x: number; max_y: number }): Area => ({
  minX: Math.min(query.min_x, query.max_x),
  minY: Math.min(query.min_y, query.max_y),
  maxX: Math.max(query.min_x, query.max_x),
  maxY: Math.max(query.min_y, query.max_y),
});

const emptyMap = (cells: number) => ({
  version: null,
  total: 0,
  cells: Array.from({ length: cells * cells }, () => 0),
  genres: [],
  points: { id: [], x: [], y: [], genre: [] },
  labels: [],
});
