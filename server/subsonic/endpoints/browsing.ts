// Endpoints that browse by tags: artists, albums, songs, genres, and facts about them.
import type { AboutService } from '../../about/service.ts';
import { LANGUAGES, textIn } from '../../about/texts.ts';
import type { SignedPictures } from '../../covers/signed-pictures.ts';
import type { ArtistId, PersonId, TrackId, UserId } from '../../db/ids.ts';
import type { About } from '../../db/schema.ts';
import type { AlbumSummary } from '../../library/lists/album-rows.ts';
import type { LibraryService } from '../../library/service.ts';
import type { LikenessOffer } from '../../likeness/module.ts';
import type { SeedOfSongs } from '../../likeness/service.ts';
import { userEndpoint, type Call, type Endpoints } from '../endpoint.ts';
import { Fault, missingParameter } from '../errors.ts';
import { idOf, parseId } from '../ids.ts';
import { IGNORED_ARTICLES, groupByLetter } from '../indexes.ts';
import type { Items } from '../items.ts';
import { ALL, collect, listOf, listOfIds, listOfRows, pagesOf, rowsOf } from '../list-slices.ts';
import { byRelease } from '../more-tags.ts';
import { musicFolderList, musicFolderOf, type FolderScopeDeps } from '../music-folders.ts';
import { pictureUrls } from '../urls.ts';
import type { Shapes } from '../wire.ts';
import { TextElement, type Fields } from '../xml.ts';

const SORT_BY_NAME = { sort: 'name' } as const;
/** Maximum number of songs in a path, including both ends. */
const MAX_PATH_SONGS = 52;
const SORT_IN_ALBUM = { sort: 'album' } as const;

export interface BrowsingDeps extends FolderScopeDeps {
  library: LibraryService;
  likeness: Pick<LikenessOffer, 'songsLike' | 'soundsLike' | 'soundPath'>;
  pictures: Pick<SignedPictures, 'pathOf'>;
  about: Pick<AboutService, 'ofArtist' | 'ofAlbum' | 'disambiguationOf'>;
  items: Pick<Items, 'resolve' | 'idAs' | 'albumOf' | 'artistOf' | 'isMixedFolder'>;
}

export function browsingEndpoints({
  library,
  likeness,
  about,
  items,
  pictures,
  musicFolders,
}: BrowsingDeps): Endpoints {
  function artistInfo(
    { params, user: { id: userId }, req }: Call,
    toSimilar: (artists: ReturnType<LibraryService['artistsById']>) => Fields[],
  ): Fields {
    const text = params.required('id');
    if (personIn(text) !== undefined || items.isMixedFolder(text)) return { similarArtist: [] };
    const artistId = items.artistOf(userId, text);
    const artist = library.getArtist(userId, artistId);
    const count = params.count('count', { or: 20, max: 100 });
    const similarArtists = library.artistsById(userId, library.similar.artistsLike(userId, artistId, count));
    const images = artist.hasCover ? pictureUrls(req, pictures, { kind: 'ar', id: artistId }) : {};
    const { mbid, facts } = about.ofArtist(artistId);
    const lastFm = facts?.links.find(({ kind }) => kind === 'last.fm');
    return {
      ...noteFields('biography', facts, req),
      ...(mbid !== null && { musicBrainzId: new TextElement(mbid) }),
      ...(lastFm && { lastFmUrl: new TextElement(lastFm.url) }),
      ...images,
      similarArtist: toSimilar(similarArtists),
    };
  }

  function albumInfo({ params, user: { id: userId }, req }: Call): Fields {
    const albumId = items.albumOf(userId, params.required('id'));
    if (albumId === undefined) return {};
    const album = library.getAlbum(userId, albumId);
    const images = album.hasCover ? pictureUrls(req, pictures, { kind: 'al', id: albumId }) : {};
    const { facts } = about.ofAlbum(albumId);
    const lastFm = facts?.links.find(({ kind }) => kind === 'last.fm');
    return {
      ...noteFields('notes', facts, req),
      ...(lastFm && { lastFmUrl: new TextElement(lastFm.url) }),
      ...(album.releaseMbid !== null && { musicBrainzId: new TextElement(album.releaseMbid) }),
      ...images,
    };
  }

  function similarByTags(userId: UserId, seed: SeedOfSongs, count: number): TrackId[] {
    if (seed.kind === 'track') return library.similar.toTrack(userId, seed.id, count);
    return seed.kind === 'album'
      ? library.similar.toAlbum(userId, seed.id, count)
      : library.similar.toArtist(userId, seed.id, count);
  }

  /** Returns songs with their similarity in sound. Throws 0 until the library's audio is analyzed. */
  async function sonicMatches(
    { user: { id: userId }, shapes }: Call,
    find: () => Promise<{ id: TrackId; likeness: number }[] | undefined>,
  ): Promise<Fields> {
    const matches = await find();
    if (!matches) throw new Fault(0, 'Not enough songs have been analyzed yet.');
    const tracks = new Map(
      library
        .tracksById(
          userId,
          matches.map(({ id }) => id),
        )
        .map((track) => [track.id, track]),
    );
    return {
      sonicMatch: matches.flatMap(({ id, likeness: similarity }) => {
        const track = tracks.get(id);
        return track ? [{ similarity, entry: shapes.song(track) }] : [];
      }),
    };
  }

  async function similarSongs({ params, user: { id: userId }, shapes }: Call): Promise<Fields> {
    const item = items.resolve(params.required('id'));
    const count = params.count('count', { or: 50, max: 500 });
    const seed: SeedOfSongs =
      item.kind === 'track'
        ? { kind: 'track', id: library.getTrack(userId, item.id).id }
        : item.kind === 'album'
          ? { kind: 'album', id: library.getAlbum(userId, item.id).id }
          : { kind: 'artist', id: library.getArtist(userId, items.artistOf(userId, params.required('id'))).id };
    const ids = (await likeness.songsLike(userId, seed, count)) ?? similarByTags(userId, seed, count);
    return {
      song: listOfIds(
        ids,
        (part) => library.tracksById(userId, part),
        (track) => shapes.song(track),
      ),
    };
  }

  /** Returns the filter for the songs of an artist, or of a person with credits, by id or else by name. */
  function topSongsOf(
    userId: UserId,
    id: string | undefined,
    name = '',
  ): { artistId: ArtistId } | { creditId: PersonId } | undefined {
    const creditId = id === undefined ? undefined : personIn(id);
    if (creditId !== undefined) return { creditId };
    const artistId =
      id === undefined ? library.findArtistByName(name) : library.getArtist(userId, items.artistOf(userId, id)).id;
    return artistId === undefined ? undefined : { artistId };
  }

  /** Returns a person who is no artist of the library, with the albums that credit them. */
  async function personOf(userId: UserId, id: PersonId, shapes: Shapes): Promise<Fields> {
    const person = library.people.get(id);
    const { ids } = await library.listIds.album(userId, { creditId: id }, { sort: 'year', order: 'asc' }, ALL);
    return {
      ...shapes.person(person, ids.length),
      album: listOfIds(ids, (part) => library.albumsById(userId, part), shapes.album),
    };
  }

  return {
    getMusicFolders: userEndpoint(() => ({ musicFolders: { musicFolder: musicFolderList({ musicFolders }) } })),

    getArtists: userEndpoint(async ({ params, user: { id }, shapes }) => {
      const musicFolder = musicFolderOf(params, { musicFolders });
      const { ids } = await library.listIds.artist(id, { hasAlbums: true, musicFolder }, SORT_BY_NAME, ALL);
      const artists = await collect(rowsOf(ids, (part) => library.artistsById(id, part)));
      const index = groupByLetter(artists, (artist) => artist.sortName).map(({ name, items }) => ({
        name,
        artist: listOfRows(items, shapes.artist),
      }));
      return { artists: { ignoredArticles: IGNORED_ARTICLES, index } };
    }),

    getArtist: userEndpoint(async ({ params, user: { id: userId }, shapes }) => {
      const personId = personIn(params.required('id'));
      if (personId !== undefined) return { artist: await personOf(userId, personId, shapes) };
      const artist = library.getArtist(userId, items.idAs('artist', params.required('id')));
      const albums = await albumsOfArtist(library, userId, artist.id);
      return { artist: { ...shapes.artist(artist), album: listOfRows(albums, shapes.album) } };
    }),

    getAlbum: userEndpoint(async ({ params, user: { id: userId }, shapes }) => {
      const album = library.getAlbum(userId, items.idAs('album', params.required('id')));
      const songs = pagesOf(
        ALL,
        async (page) =>
          (await library.listTracks(userId, { albumId: album.id, bestOnly: true }, SORT_IN_ALBUM, page)).items,
      );
      return { album: { ...shapes.album(album), song: listOf(songs, (track) => shapes.song(track)) } };
    }),

    getSong: userEndpoint(({ params, user: { id }, shapes }) => ({
      song: shapes.song(library.getTrack(id, idOf('track', params.required('id')))),
    })),

    getGenres: userEndpoint(() => ({
      genres: {
        genre: listOfRows(
          library.listGenres().filter(({ name }) => name.trim() !== ''),
          ({ name, trackCount, albumCount }) => ({ songCount: trackCount, albumCount, value: name }),
        ),
      },
    })),

    getArtistInfo2: userEndpoint((call) => ({
      artistInfo2: artistInfo(call, (similarArtists) => similarArtists.map(call.shapes.artist)),
    })),
    getArtistInfo: userEndpoint((call) => ({
      artistInfo: artistInfo(call, (similarArtists) => similarArtists.map(call.shapes.artistFolder)),
    })),
    getAlbumInfo2: userEndpoint((call) => ({ albumInfo: albumInfo(call) })),
    getAlbumInfo: userEndpoint((call) => ({ albumInfo: albumInfo(call) })),

    getTopSongs: userEndpoint(async ({ params, user: { id: userId }, shapes }) => {
      const artistText = params.text('id');
      if (artistText === undefined && params.text('artist') === undefined) throw missingParameter('artist');
      const filter = topSongsOf(userId, artistText, params.text('artist'));
      const limit = params.count('count', { or: 50, max: 500 });
      const tracks =
        filter === undefined || limit === 0
          ? []
          : (await library.listTracks(userId, filter, { sort: 'play_count' }, { limit, offset: 0 })).items;
      return { topSongs: { song: listOfRows(tracks, (track) => shapes.song(track)) } };
    }),

    getSonicSimilarTracks: userEndpoint((call) => {
      const { id } = library.getTrack(call.user.id, idOf('track', call.params.required('id')));
      const count = call.params.count('count', { or: 10, max: 500 });
      return sonicMatches(call, () => likeness.soundsLike(id, count));
    }),
    findSonicPath: userEndpoint((call) => {
      const [startId, endId] = ['startSongId', 'endSongId'].map(
        (name) => library.getTrack(call.user.id, idOf('track', call.params.required(name))).id,
      ) as [TrackId, TrackId];
      const count = call.params.count('count', { or: 25, max: MAX_PATH_SONGS });
      return sonicMatches(call, () => likeness.soundPath(call.user.id, startId, endId, count));
    }),

    getSimilarSongs: userEndpoint(async (call) => ({ similarSongs: await similarSongs(call) })),
    getSimilarSongs2: userEndpoint(async (call) => ({ similarSongs2: await similarSongs(call) })),

    getVideos: userEndpoint(() => ({ videos: { video: [] } })),
  };
}

/**
 * Returns the albums that are filed under the artist, so that an app that walks through all artists meets each album
 * once for each of its artists.
 */
export async function albumsOfArtist(
  library: Pick<LibraryService, 'listIds' | 'albumsById'>,
  userId: UserId,
  artistId: ArtistId,
): Promise<AlbumSummary[]> {
  const { ids } = await library.listIds.album(userId, { albumArtistId: artistId }, { sort: 'year', order: 'asc' }, ALL);
  return (await collect(rowsOf(ids, (part) => library.albumsById(userId, part)))).sort(byRelease);
}

/** Returns the id of a person who is no artist; undefined for ids of other kinds. */
function personIn(text: string): PersonId | undefined {
  const item = parseId(text);
  return item?.kind === 'person' ? item.id : undefined;
}

/** Returns the text in the client's language, with its source. Most clients do not send a language. */
function noteFields(name: 'biography' | 'notes', facts: About | null, req: Call['req']): Fields {
  const language = req.acceptsLanguages(...LANGUAGES) || undefined;
  const text = facts && textIn(facts.texts, language);
  if (!text) return {};
  const escapedText = text.text.replaceAll('<', '‹').replaceAll('>', '›'); // some clients show the text as HTML
  return { [name]: new TextElement(`${escapedText}\n\nWikipedia, CC BY-SA 4.0: ${text.url}`) };
}
