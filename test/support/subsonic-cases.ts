// Calls of every endpoint that answers with an envelope, for any library.
import type { Phone, PhoneParams } from './phone.ts';

export interface CaseIds {
  track: string;
  album: string;
  artist: string;
  folder: string;
  playlist: string;
  radio: string;
  share: string;
  genre: string;
  year: number;
  artistName: string;
  title: string;
  username: string;
}

/** Returns the id of the first item of every kind, if there is one. */
export async function findIds(phone: Phone): Promise<CaseIds> {
  type Listed = {
    id: string;
    name?: string;
    title?: string;
    artist?: string;
    artistId?: string;
    genre?: string;
    year?: number;
  };
  const searchResult = await phone.ask<{ song: Listed[]; album: Listed[] }>(
    'search3',
    { query: '', songCount: 1, albumCount: 1 },
    'searchResult3',
  );
  const [song, album] = [searchResult.song[0], searchResult.album[0]];
  const { index } = await phone.ask<{ index: { artist: Listed[] }[] }>('getIndexes', {}, 'indexes');
  const { playlist } = await phone
    .ask<{ playlist: Listed[] }>('getPlaylists', {}, 'playlists')
    .catch(() => ({ playlist: [] as Listed[] }));
  const { internetRadioStation } = await phone.ask<{ internetRadioStation: Listed[] }>(
    'getInternetRadioStations',
    {},
    'internetRadioStations',
  );
  const { share } = await phone.ask<{ share: Listed[] }>('getShares', {}, 'shares');
  return {
    track: song?.id ?? 'tr-999',
    album: album?.id ?? 'al-999',
    artist: album?.artistId ?? 'ar-999',
    folder: index[0]?.artist[0]?.id ?? 'dir-0',
    playlist: playlist[0]?.id ?? 'pl-999',
    radio: internetRadioStation[0]?.id ?? 'ir-999',
    share: share[0]?.id ?? 'sh-999',
    genre: song?.genre ?? 'Jazz',
    year: song?.year ?? 1999,
    artistName: album?.artist ?? 'Nobody',
    title: song?.title ?? 'Nothing',
    username: phone.username,
  };
}

/** Returns cases: [name, endpoint, parameters]. Cases that change something undo it or come last. */
export const readCases = (ids: CaseIds): [string, string, PhoneParams][] => [
  ['ping', 'ping', {}],
  ['getLicense', 'getLicense', {}],
  ['getOpenSubsonicExtensions', 'getOpenSubsonicExtensions', {}],
  ['getScanStatus', 'getScanStatus', {}],
  ['getUser', 'getUser', { username: ids.username }],
  ['getUser of nobody', 'getUser', { username: 'nobody-there' }],
  ['getUsers', 'getUsers', {}],
  ['getMusicFolders', 'getMusicFolders', {}],
  ['getArtists', 'getArtists', {}],
  ['getArtist', 'getArtist', { id: ids.artist }],
  ['getAlbum', 'getAlbum', { id: ids.album }],
  ['getSong', 'getSong', { id: ids.track }],
  ['getGenres', 'getGenres', {}],
  ['getIndexes', 'getIndexes', { musicFolderId: 1 }],
  ['getIndexes unchanged', 'getIndexes', { ifModifiedSince: 99_999_999_999_999 }],
  ['getMusicDirectory', 'getMusicDirectory', { id: ids.folder }],
  ['getMusicDirectory of the root', 'getMusicDirectory', { id: '1' }],
  ['getMusicDirectory of an artist', 'getMusicDirectory', { id: ids.artist }],
  ['getMusicDirectory of an album', 'getMusicDirectory', { id: ids.album }],
  ['getArtistInfo', 'getArtistInfo', { id: ids.artist }],
  ['getArtistInfo2', 'getArtistInfo2', { id: ids.artist, count: 5 }],
  ['getAlbumInfo', 'getAlbumInfo', { id: ids.album }],
  ['getAlbumInfo2', 'getAlbumInfo2', { id: ids.album }],
  ['getTopSongs', 'getTopSongs', { artist: ids.artistName }],
  ['getTopSongs by id', 'getTopSongs', { id: ids.artist }],
  ['getSimilarSongs', 'getSimilarSongs', { id: ids.track }],
  ['getSimilarSongs2', 'getSimilarSongs2', { id: ids.artist }],
  ['getVideos', 'getVideos', {}],
  ...[
    'random',
    'newest',
    'highest',
    'frequent',
    'recent',
    'alphabeticalByName',
    'alphabeticalByArtist',
    'starred',
  ].flatMap((type): [string, string, PhoneParams][] => [
    [`getAlbumList2 ${type}`, 'getAlbumList2', { type, size: 500 }],
    [`getAlbumList ${type}`, 'getAlbumList', { type, size: 500 }],
  ]),
  ['getAlbumList2 byYear', 'getAlbumList2', { type: 'byYear', fromYear: ids.year, toYear: 1900 }],
  ['getAlbumList2 byGenre', 'getAlbumList2', { type: 'byGenre', genre: ids.genre }],
  ['getAlbumList2 of no type', 'getAlbumList2', {}],
  ['getAlbumList2 of a strange type', 'getAlbumList2', { type: 'constructor' }],
  ['getRandomSongs', 'getRandomSongs', { size: 500 }],
  ['getSongsByGenre', 'getSongsByGenre', { genre: ids.genre, count: 500 }],
  ['getStarred', 'getStarred', {}],
  ['getStarred2', 'getStarred2', {}],
  ['getNowPlaying', 'getNowPlaying', {}],
  ['search', 'search', { any: ids.title.slice(0, 5) }],
  ['search2', 'search2', { query: ids.title.slice(0, 5) }],
  ['search3', 'search3', { query: ids.title.slice(0, 5) }],
  ['search3 everything', 'search3', { query: '""', songCount: 500, albumCount: 500, artistCount: 500 }],
  ['getLyrics', 'getLyrics', { artist: ids.artistName, title: ids.title }],
  ['getLyrics of nothing', 'getLyrics', { artist: 'nobody', title: 'nothing' }],
  ['getLyricsBySongId', 'getLyricsBySongId', { id: ids.track }],
  ['getLyricsBySongId enhanced', 'getLyricsBySongId', { id: ids.track, enhanced: true }],
  ['getPlaylists', 'getPlaylists', {}],
  ['getPlaylist', 'getPlaylist', { id: ids.playlist }],
  ['getPlayQueue', 'getPlayQueue', {}],
  ['getPlayQueueByIndex', 'getPlayQueueByIndex', {}],
  ['getBookmarks', 'getBookmarks', {}],
  ['getInternetRadioStations', 'getInternetRadioStations', {}],
  ['getShares', 'getShares', {}],
  ['getPodcasts', 'getPodcasts', {}],
  ['getNewestPodcasts', 'getNewestPodcasts', {}],
  ['getPodcastEpisode', 'getPodcastEpisode', { id: 'pe-999' }],
  ['getChatMessages', 'getChatMessages', {}],
  ['getVideoInfo', 'getVideoInfo', { id: 'x' }],
  ['jukeboxControl get', 'jukeboxControl', { action: 'get' }],
  ['getSonicSimilarTracks', 'getSonicSimilarTracks', { id: ids.track }],
];

export const writeCases = (ids: CaseIds): [string, string, PhoneParams][] => [
  ['star', 'star', { id: ids.track, albumId: ids.album, artistId: ids.artist }],
  ['star nothing', 'star', {}],
  ['unstar', 'unstar', { id: [ids.track, ids.album, ids.artist] }],
  ['setRating', 'setRating', { id: ids.track, rating: 4 }],
  ['setRating out of range', 'setRating', { id: ids.track, rating: 6 }],
  ['scrobble', 'scrobble', { id: [ids.track, 'tr-123456'], time: [1_700_000_000_000, 1_700_000_100_000] }],
  ['scrobble with too few times', 'scrobble', { id: [ids.track, ids.track], time: 1_700_000_000_000 }],
  ['scrobble now', 'scrobble', { id: ids.track, submission: false }],
  ['reportPlayback', 'reportPlayback', { mediaId: ids.track, mediaType: 'song', positionMs: 0, state: 'starting' }],
  ['getNowPlaying while playing', 'getNowPlaying', {}],
  ['createBookmark', 'createBookmark', { id: ids.track, position: 1_000, comment: 'here' }],
  ['getBookmarks with one', 'getBookmarks', {}],
  ['deleteBookmark', 'deleteBookmark', { id: ids.track }],
  ['savePlayQueue', 'savePlayQueue', { id: [ids.track, ids.track], current: ids.track, position: 5 }],
  ['savePlayQueue without current', 'savePlayQueue', { id: ids.track }],
  ['savePlayQueueByIndex', 'savePlayQueueByIndex', { id: [ids.track, ids.track], currentIndex: 1, position: 5 }],
  ['savePlayQueueByIndex outside', 'savePlayQueueByIndex', { id: ids.track, currentIndex: 9 }],
  ['getPlayQueue saved', 'getPlayQueue', {}],
  ['getPlayQueueByIndex saved', 'getPlayQueueByIndex', {}],
  ['savePlayQueue cleared', 'savePlayQueue', {}],
  ['createPlaylist', 'createPlaylist', { name: 'Made by a test', songId: [ids.track, ids.track] }],
  ['createPlaylist of nothing', 'createPlaylist', {}],
  [
    'updatePlaylist',
    'updatePlaylist',
    { playlistId: ids.playlist, comment: 'new words', songIndexToRemove: 0, songIdToAdd: ids.track },
  ],
  ['createShare', 'createShare', { id: ids.album, description: 'for you', expires: 4_000_000_000_000 }],
  ['updateShare', 'updateShare', { id: ids.share, description: 'other words', expires: 0 }],
  [
    'createInternetRadioStation',
    'createInternetRadioStation',
    { name: 'Radio', streamUrl: 'http://example.com/live', homepageUrl: 'http://example.com/' },
  ],
  [
    'createInternetRadioStation of a file',
    'createInternetRadioStation',
    { name: 'Radio', streamUrl: 'file:///etc/passwd' },
  ],
  [
    'updateInternetRadioStation',
    'updateInternetRadioStation',
    { id: ids.radio, name: 'Radio 2', streamUrl: 'http://example.com/two' },
  ],
  [
    'createUser',
    'createUser',
    { username: 'made-by-phone', password: 'enc:6c6f6e6720656e6f756768', email: 'a@example.com' },
  ],
  ['updateUser', 'updateUser', { username: 'made-by-phone', password: 'another long one' }],
  ['changePassword', 'changePassword', { username: 'made-by-phone', password: 'yet another one' }],
  ['changePassword of oneself', 'changePassword', { username: ids.username, password: 'yet another one' }],
  ['deleteUser', 'deleteUser', { username: 'made-by-phone' }],
  ['refreshPodcasts', 'refreshPodcasts', {}],
  ['createPodcastChannel', 'createPodcastChannel', { url: 'ftp://example.com/feed' }],
  ['deletePodcastChannel', 'deletePodcastChannel', { id: 'pc-999' }],
  ['deletePodcastEpisode', 'deletePodcastEpisode', { id: 'pe-999' }],
  ['downloadPodcastEpisode', 'downloadPodcastEpisode', { id: 'pe-999' }],
  ['addChatMessage', 'addChatMessage', { message: 'hello' }],
  ['startScan', 'startScan', {}],
];
