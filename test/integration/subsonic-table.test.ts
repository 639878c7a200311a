// Every endpoint of the Subsonic API with ids of every kind: own, other users', absent and invalid ones; in every
// format, by GET and form, with every kind of credential. One table lists the expected result for each endpoint and
// kind of id.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Endpoint } from '../../server/subsonic/endpoint.ts';
import { createEndpoints, type EndpointDeps } from '../../server/subsonic/endpoints/table.ts';
import { startPodcastHost, type PodcastHost } from '../fakes/podcast-host.ts';
import { writeFolderLibrary } from '../support/folder-library.ts';
import { openPhone, type Phone, type PhoneOptions, type PhoneParams } from '../support/phone.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';
import { describedParameters, jsonFaults, xmlFaults, type XmlDocument } from '../support/subsonic-schema.ts';

/** Replaces the dependencies of the endpoints, because only their names and access rules are needed. */
const nothing: unknown = new Proxy(() => nothing, { get: () => nothing });
const ENDPOINTS: Record<string, Endpoint> = createEndpoints(nothing as EndpointDeps);

interface Row {
  endpoint: string;
  /** The name of the parameter that takes the id. */
  by: string;
  /**
   * Kinds of ids that are accepted (`ok`), that result in error 0 (`zero`), or in error 50. All other kinds result in
   * error 70.
   */
  ok?: string;
  zero?: string;
  refusedKinds?: string;
  with?: PhoneParams;
  /** Another parameter that takes the id, if there are several. */
  otherParameter?: string;
  body?: object;
  /** Creates the item that the call removes. If it returns an id, this id replaces the one of its kind. */
  createFresh?: () => Promise<string | undefined>;
  caller?: 'owner';
}

const LIKABLE_KINDS = 'track album artist albumFolder artistFolder';
const SEVERAL_TRACK_KINDS = 'mixedFolder root musicFolder uploads';
const FOLDER_KINDS = 'albumFolder artistFolder mixedFolder root musicFolder uploads';
const ZIPPED_KINDS = 'album artist playlist public albumFolder artistFolder mixedFolder root musicFolder';
const SONG_FOLDER_KINDS = 'albumFolder artistFolder mixedFolder';
const ANY_KIND = '*';

const READ_ROWS: Row[] = [
  { endpoint: 'getArtist', by: 'id', ok: 'artist artistFolder' },
  { endpoint: 'getAlbum', by: 'id', ok: 'album albumFolder' },
  { endpoint: 'getSong', by: 'id', ok: 'track' },
  { endpoint: 'getMusicDirectory', by: 'id', ok: `album artist ${FOLDER_KINDS}` },
  { endpoint: 'getArtistInfo', by: 'id', ok: `${LIKABLE_KINDS} ${SEVERAL_TRACK_KINDS}` },
  { endpoint: 'getArtistInfo2', by: 'id', ok: `${LIKABLE_KINDS} ${SEVERAL_TRACK_KINDS}` },
  { endpoint: 'getAlbumInfo', by: 'id', ok: `track album ${FOLDER_KINDS}` },
  { endpoint: 'getAlbumInfo2', by: 'id', ok: `track album ${FOLDER_KINDS}` },
  { endpoint: 'getTopSongs', by: 'id', ok: LIKABLE_KINDS, zero: SEVERAL_TRACK_KINDS },
  { endpoint: 'getSimilarSongs', by: 'id', ok: LIKABLE_KINDS, zero: SEVERAL_TRACK_KINDS },
  { endpoint: 'getSimilarSongs2', by: 'id', ok: LIKABLE_KINDS, zero: SEVERAL_TRACK_KINDS },
  // no sound of this library was analyzed
  { endpoint: 'getSonicSimilarTracks', by: 'id', zero: 'track' },
  { endpoint: 'findSonicPath', by: 'startSongId', otherParameter: 'endSongId', zero: 'track' },
  { endpoint: 'getLyricsBySongId', by: 'id', ok: 'track' },
  { endpoint: 'getPlaylist', by: 'id', ok: 'playlist public' },
  { endpoint: 'getPodcasts', by: 'id', ok: 'podcast' },
  { endpoint: 'getPodcastEpisode', by: 'id', ok: 'episode' },
  { endpoint: 'getVideoInfo', by: 'id' },
  { endpoint: 'getCaptions', by: 'id' },
  // the station plays nothing
  { endpoint: 'stream', by: 'id', ok: 'track episode', zero: 'radio' },
  { endpoint: 'download', by: 'id', ok: `track episode ${ZIPPED_KINDS}` },
  { endpoint: 'hls', by: 'id', ok: 'track' },
  { endpoint: 'getCoverArt', by: 'id', ok: ANY_KIND },
  {
    endpoint: 'getTranscodeDecision',
    by: 'mediaId',
    with: { mediaType: 'song' },
    body: { name: 'x', platform: 'y' },
    ok: 'track',
  },
  {
    endpoint: 'getTranscodeDecision',
    by: 'mediaId',
    with: { mediaType: 'podcast' },
    body: { name: 'x', platform: 'y' },
    ok: 'episode',
  },
];

const writeRows = (fresh: ReturnType<typeof makers>): Row[] => [
  { endpoint: 'star', by: 'id', ok: `${LIKABLE_KINDS} ${SEVERAL_TRACK_KINDS}` },
  { endpoint: 'star', by: 'albumId', ok: 'album albumFolder' },
  { endpoint: 'star', by: 'artistId', ok: 'artist artistFolder' },
  { endpoint: 'unstar', by: 'id', ok: `${LIKABLE_KINDS} ${SEVERAL_TRACK_KINDS}` },
  { endpoint: 'unstar', by: 'albumId', ok: 'album albumFolder' },
  { endpoint: 'unstar', by: 'artistId', ok: 'artist artistFolder' },
  { endpoint: 'setRating', by: 'id', with: { rating: 3 }, ok: `${LIKABLE_KINDS} ${SEVERAL_TRACK_KINDS}` },
  { endpoint: 'scrobble', by: 'id', ok: 'track episode' },
  {
    endpoint: 'reportPlayback',
    by: 'mediaId',
    with: { mediaType: 'song', positionMs: 0, state: 'stopped' },
    ok: 'track',
  },
  {
    endpoint: 'reportPlayback',
    by: 'mediaId',
    with: { mediaType: 'podcast', positionMs: 0, state: 'stopped' },
    ok: 'episode',
  },
  { endpoint: 'createBookmark', by: 'id', with: { position: 1 }, ok: 'track episode' },
  { endpoint: 'deleteBookmark', by: 'id', ok: 'track episode', createFresh: fresh.bookmark },
  { endpoint: 'savePlayQueue', by: 'id', otherParameter: 'current', ok: ANY_KIND },
  { endpoint: 'savePlayQueueByIndex', by: 'id', with: { currentIndex: 0 }, ok: ANY_KIND },
  { endpoint: 'createShare', by: 'id', ok: `track ${ZIPPED_KINDS}` },
  { endpoint: 'createPlaylist', by: 'songId', with: { name: 'Made' }, ok: `track album artist ${SONG_FOLDER_KINDS}` },
  { endpoint: 'createPlaylist', by: 'playlistId', ok: 'playlist', refusedKinds: 'public' },
  { endpoint: 'updatePlaylist', by: 'playlistId', ok: 'playlist', refusedKinds: 'public' },
  { endpoint: 'deletePlaylist', by: 'id', ok: 'playlist', refusedKinds: 'public', createFresh: fresh.playlist },
  { endpoint: 'updateShare', by: 'id', with: { description: 'x' }, ok: 'share' },
  { endpoint: 'deleteShare', by: 'id', ok: 'share', createFresh: fresh.share },
  { endpoint: 'jukeboxControl', by: 'id', with: { action: 'add' }, refusedKinds: ANY_KIND },
  { endpoint: 'downloadPodcastEpisode', by: 'id', ok: 'episode' },
  { endpoint: 'deletePodcastEpisode', by: 'id', ok: 'episode' },
  { endpoint: 'deletePodcastChannel', by: 'id', ok: 'podcast', createFresh: fresh.podcast },
  {
    endpoint: 'updateInternetRadioStation',
    by: 'id',
    with: { name: 'Live', streamUrl: 'http://127.0.0.1:1/' },
    ok: 'radio',
    caller: 'owner',
  },
  { endpoint: 'deleteInternetRadioStation', by: 'id', ok: 'radio', createFresh: fresh.radio, caller: 'owner' },
];

/** Endpoints that take no id, with their parameters and the expected error code. */
const PLAIN_CALLS: [endpoint: string, params: PhoneParams, code?: number][] = [
  ...[
    'ping',
    'getLicense',
    'tokenInfo',
    'getOpenSubsonicExtensions',
    'getScanStatus',
    'getMusicFolders',
    'getArtists',
    'getGenres',
    'getIndexes',
    'getVideos',
    'getRandomSongs',
    'getStarred',
    'getStarred2',
    'search',
    'search2',
    'search3',
    'getNowPlaying',
    'getPlaylists',
    'getPlayQueue',
    'getPlayQueueByIndex',
    'getBookmarks',
    'getShares',
    'getInternetRadioStations',
    'getNewestPodcasts',
    'refreshPodcasts',
    'getLyrics',
  ].map((endpoint): [string, PhoneParams] => [endpoint, {}]),
  ['getAlbumList', { type: 'newest' }],
  ['getAlbumList2', { type: 'newest' }],
  ['getSongsByGenre', { genre: 'Jazz' }],
  ['getUser', { username: 'listener' }],
  ['getUser', { username: 'admin' }, 50],
  ['getAvatar', { username: 'listener' }],
  ['getPlaylists', { username: 'admin' }, 50],
  ['changePassword', { username: 'listener', password: 'a long password' }, 50],
  ['createPodcastChannel', { url: 'ftp://example.com/feed' }, 0],
  ['getChatMessages', {}, 0],
  ['addChatMessage', { message: 'x' }, 0],
];

/** Endpoints whose errors are HTTP statuses; test/integration/subsonic-media.test.ts tests them. */
const OF_THEIR_OWN = new Set(['getTranscodeStream']);

interface Mode {
  name: string;
  form: NonNullable<PhoneOptions['form']>;
  f?: 'json' | 'jsonp';
  isPost?: true;
}
const REQUEST_MODES: Mode[] = [
  { name: 'JSON', f: 'json', form: 'token' },
  { name: 'XML', form: 'token' },
  { name: 'JSONP', f: 'jsonp', form: 'token' },
  { name: 'form', f: 'json', form: 'token', isPost: true },
  { name: 'API key', f: 'json', form: 'apiKey' },
  { name: 'password', f: 'json', form: 'clear' },
  { name: 'hexadecimal password in a form, XML', form: 'hex', isPost: true },
];

let server: TestServer;
let host: PodcastHost;
let dir: string;
let owner: Phone;
let listener: Phone;
let phones: Record<'owner' | 'listener', Record<Mode['form'], Phone>>;
let ids: Record<string, string>;
const documents = new Map<string, XmlDocument>();
const checkedCalls = new Set<string>();

type ListItem = { id: string; title?: string; name?: string };
const NOTHING_HERE = 999_999;

function makers() {
  const createItem = async (phone: Phone, endpoint: string, params: PhoneParams, key: string): Promise<ListItem> =>
    await phone.ask<ListItem>(endpoint, params, key);
  const station = { name: 'Live', streamUrl: `${host.url}/nothing` };
  return {
    playlist: async () =>
      (await createItem(listener, 'createPlaylist', { name: 'Mine', songId: ids['track'] }, 'playlist')).id,
    async share() {
      type Shares = { share: ListItem[] };
      return (await listener.ask<Shares>('createShare', { id: ids['track'] }, 'shares')).share[0]?.id ?? '';
    },
    async bookmark() {
      for (const kind of ['track', 'episode']) await listener.ask('createBookmark', { id: ids[kind], position: 1 }, '');
      return undefined;
    },
    async radio() {
      await owner.ask('createInternetRadioStation', station, '');
      type Stations = { internetRadioStation: ListItem[] };
      const stations = await owner.ask<Stations>('getInternetRadioStations', {}, 'internetRadioStations');
      return stations.internetRadioStation.at(-1)?.id ?? '';
    },
    async podcast() {
      const { channel } = await owner.ask<{ channel: ListItem[] }>('getPodcasts', {}, 'podcasts');
      if (channel[0]) return channel[0].id;
      await owner.ask('createPodcastChannel', { url: `${host.url}/feed` }, '');
      await server.app.drain();
      return (await owner.ask<{ channel: ListItem[] }>('getPodcasts', {}, 'podcasts')).channel[0]?.id ?? '';
    },
  };
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-table-'));
  host = await startPodcastHost();
  writeFolderLibrary(join(dir, 'music'));
  const env = { LOCAL_MEDIA_IMPORT_PATH: join(dir, 'music'), PODCAST_DOWNLOAD_NEWEST: '0' };
  const hostUrl = new URL(host.url);
  server = await startServer({ env, podcastsFrom: hostUrl, stationsFrom: hostUrl, analysisAfterMs: null });
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  const token = await registerUser(server);
  const { body: account } = await server.api<{ id: number }>('/users/me', { token });
  await server.api(`/users/${account.id}`, { method: 'PATCH', body: { can_podcast: true } });
  const forms = ['token', 'clear', 'hex', 'apiKey'] as const;
  const open = async (phoneToken?: string) =>
    Object.fromEntries(
      await Promise.all(
        forms.map(async (form) => [
          form,
          await openPhone(server, { form, ...(phoneToken !== undefined && { token: phoneToken }) }),
        ]),
      ),
    ) as Record<Mode['form'], Phone>;
  phones = { owner: await open(), listener: await open(token) };
  [owner, listener] = [phones.owner.token, phones.listener.token];
  ids = await findIds();
});
afterAll(async () => {
  await server.close();
  await host.close();
  rmSync(dir, { recursive: true, force: true });
});

async function findIds(): Promise<Record<string, string>> {
  type SearchHits = Record<'song' | 'album' | 'artist', ListItem[]>;
  const searchParams = { query: '', songCount: 100, albumCount: 100, artistCount: 100 };
  const { song, album, artist } = await listener.ask<SearchHits>('search3', searchParams, 'searchResult3');
  const id = (list: ListItem[], name: string): string =>
    list.find((item) => (item.title ?? item.name) === name)?.id ?? '';
  const listFolder = async (folder: string): Promise<ListItem[]> =>
    (await listener.ask<{ child: ListItem[] }>('getMusicDirectory', { id: folder }, 'directory')).child;
  const top = await listFolder('dir-0');
  ids = { track: id(song, 'Mesh'), album: id(album, 'Nets'), artist: id(artist, 'The Quays') };
  const makeItem = makers();
  const playlist = async (isPublic: boolean): Promise<string> => {
    const body = { name: 'Theirs', is_public: isPublic, track_ids: [Number(ids['track']?.slice(3))] };
    return `pl-${(await server.api<{ id: number }>('/playlists', { method: 'POST', body })).body.id}`;
  };
  const ownerShares = await owner.ask<{ share: ListItem[] }>('createShare', { id: ids['track'] }, 'shares');
  const podcast = await makeItem.podcast();
  type Newest = { episode: ListItem[] };
  const idsByKind: Record<string, string> = {
    ...ids,
    artistFolder: id(top, 'The Quays'),
    albumFolder: id(await listFolder(id(top, 'The Quays')), 'Nets'),
    mixedFolder: id(top, 'Mixed'),
    root: 'dir-0',
    musicFolder: '1',
    uploads: 'up-0',
    playlist: await makeItem.playlist(),
    public: await playlist(true),
    'private of another': await playlist(false),
    share: await makeItem.share(),
    'share of another': ownerShares.share[0]?.id ?? '',
    radio: await makeItem.radio(),
    podcast,
    episode: (await listener.ask<Newest>('getNewestPodcasts', {}, 'newestPodcasts')).episode[0]?.id ?? '',
  };
  expect(Object.entries(idsByKind).filter(([, foundId]) => foundId === '')).toEqual([]);
  for (const prefix of ['tr', 'al', 'ar', 'dir', 'pl', 'sh', 'ir', 'pc', 'pe'])
    idsByKind[`absent ${prefix}`] = `${prefix}-${NOTHING_HERE}`;
  return { ...idsByKind, 'an unknown kind': 'zz-1', 'a number': '1234567', nonsense: 'nonsense' };
}

interface Answer {
  code: number | 'ok';
  text: string;
}

async function callEndpoint(
  { form, f, isPost }: Mode,
  by: 'owner' | 'listener',
  endpoint: string,
  row: Pick<Row, 'body'>,
  params: PhoneParams,
) {
  const phone = phones[by][form];
  const allParams = { ...params, ...(f && { f }), ...(f === 'jsonp' && { callback: 'there' }) };
  const address = phone.address(endpoint, allParams);
  if (row.body)
    return fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(row.body),
    });
  if (!isPost) return fetch(address);
  const [path = '', query = ''] = address.split('?');
  return fetch(path, { method: 'POST', body: new URLSearchParams(query) });
}

/** Returns the result of a response, where bytes count as ok; throws if the response is malformed. */
async function readAnswer(mode: Mode, endpoint: string, label: string, response: Response): Promise<Answer> {
  const type = response.headers.get('content-type') ?? '';
  const isEnvelope = /^(?:text\/xml|application\/json|text\/javascript)/.test(type);
  if (!isEnvelope) {
    await response.body?.cancel();
    return { code: response.ok ? 'ok' : -response.status, text: type };
  }
  const text = await response.text();
  if (response.status !== 200) return { code: -response.status, text };
  const expectedType = { json: 'application/json', jsonp: 'text/javascript', xml: 'text/xml' }[mode.f ?? 'xml'];
  if (type !== `${expectedType}; charset=utf-8`) return { code: -1, text: `is ${type}` };
  if (mode.f === undefined) {
    documents.set(text, { name: label, xml: text });
    const code = /<error code="(\d+)"/.exec(text)?.[1];
    return { code: / status="ok"/.test(text) ? 'ok' : Number(code), text };
  }
  const json = mode.f === 'jsonp' ? (/^there\((.*)\);$/s.exec(text)?.[1] ?? '') : text;
  const body = JSON.parse(json) as { 'subsonic-response': { status: string; error?: { code: number } } };
  const key = endpoint + json.length + json;
  const faults = checkedCalls.has(key) ? [] : jsonFaults(endpoint === 'hls' ? 'hls.m3u8' : endpoint, body);
  checkedCalls.add(key);
  if (faults.length > 0) return { code: -2, text: `${faults.join(', ')}: ${text.slice(0, 300)}` };
  const { status, error } = body['subsonic-response'];
  return { code: status === 'ok' ? 'ok' : (error?.code ?? -3), text };
}

/** Returns the faults of one call in some modes. */
async function faultsOf(
  row: Pick<Row, 'endpoint' | 'body' | 'caller' | 'createFresh'>,
  label: string,
  params: (id: string | undefined) => PhoneParams,
  expected: number | 'ok',
  modes: readonly Mode[],
): Promise<string[]> {
  const faults: string[] = [];
  for (const mode of modes) {
    const id = expected === 'ok' ? await row.createFresh?.() : undefined;
    const name = `${row.endpoint} of ${label} (${mode.name})`;
    const response = await callEndpoint(mode, row.caller ?? 'listener', row.endpoint, row, params(id));
    const { code, text } = await readAnswer(mode, row.endpoint, name, response);
    if (code !== expected) faults.push(`${name}: ${code} instead of ${expected}: ${text.slice(0, 300)}`);
  }
  return faults;
}

const includesKind = (kinds: string | undefined, kind: string): boolean =>
  kinds === ANY_KIND || (kinds?.split(' ').includes(kind) ?? false);

function expectedOf(row: Row, kind: string): number | 'ok' {
  if (ENDPOINTS[row.endpoint] === undefined) return 0;
  if (includesKind(row.ok, kind)) return 'ok';
  if (includesKind(row.zero, kind)) return 0;
  return includesKind(row.refusedKinds, kind) ? 50 : 70;
}

/**
 * Returns JSON and one of the other modes, so that each endpoint and each kind of id is called in all of them. `npm run
 * prove -- subsonic-table` uses all modes.
 */
const modesOf = (n: number): Mode[] =>
  process.env['TEST_WHOLE_TABLE'] === 'true'
    ? REQUEST_MODES
    : [REQUEST_MODES[0] as Mode, REQUEST_MODES[1 + (n % (REQUEST_MODES.length - 1))] as Mode];

async function faultsOfRows(rows: Row[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [index, row] of rows.entries()) {
    const { by, otherParameter } = row;
    for (const [n, [kind, givenId]] of Object.entries(ids).entries()) {
      const params = (id = givenId): PhoneParams => ({
        ...row.with,
        [by]: id,
        ...(otherParameter !== undefined && { [otherParameter]: id }),
      });
      faults.push(...(await faultsOf(row, kind, params, expectedOf(row, kind), modesOf(index + n))));
    }
  }
  return faults;
}

it('has a row for every endpoint of the server', () => {
  const namedEndpoints = new Set([
    ...[...READ_ROWS, ...writeRows(makers())].map(({ endpoint }) => endpoint),
    ...PLAIN_CALLS.map(([endpoint]) => endpoint),
    ...OF_THEIR_OWN,
  ]);
  const missingEndpoints = Object.entries(ENDPOINTS).filter(
    ([name, { access }]) => !namedEndpoints.has(name) && access !== 'superuser',
  );
  expect(missingEndpoints.map(([name]) => name)).toEqual([]);
});

it('reads what is there, and says the right thing of everything else', async () => {
  expect(await faultsOfRows(READ_ROWS)).toEqual([]);
});

it('changes what one may change, and says the right thing of everything else', async () => {
  expect(await faultsOfRows(writeRows(makers()))).toEqual([]);
});

it('answers every call without an id, in every mode', async () => {
  const faults: string[] = [];
  for (const [endpoint, params, code = 'ok'] of PLAIN_CALLS)
    faults.push(...(await faultsOf({ endpoint }, JSON.stringify(params), () => params, code, REQUEST_MODES)));
  expect(faults).toEqual([]);
});

it('asks for a missing id with error 10, in every mode', async () => {
  const faults: string[] = [];
  const optional = new Set(['getPodcasts', 'savePlayQueue', 'savePlayQueueByIndex', 'jukeboxControl']);
  for (const row of [...READ_ROWS, ...writeRows(makers())].filter(({ endpoint }) => !optional.has(endpoint))) {
    if (ENDPOINTS[row.endpoint] === undefined || row.by === 'songId') continue;
    faults.push(
      ...(await faultsOf(
        { ...row, createFresh: undefined as never },
        'nothing',
        () => ({ ...row.with }),
        10,
        REQUEST_MODES,
      )),
    );
  }
  expect(faults).toEqual([]);
});

it('knows which music folders there are, wherever one can be named', async () => {
  const faults: string[] = [];
  const requiredParams: Record<string, PhoneParams> = {
    getAlbumList: { type: 'random' },
    getAlbumList2: { type: 'alphabeticalByName' },
    getSongsByGenre: { genre: 'Jazz' },
  };
  const values = [
    ['1', 'ok'],
    ['0', 'ok'],
    ['-1', 'ok'],
    ['999', 70],
    ['nonsense', 0],
  ] as const;
  const knownNames = Object.keys(ENDPOINTS).filter(
    (name) => ENDPOINTS[name]?.access !== 'superuser' && describedParameters(name).includes('musicFolderId'),
  );
  expect(knownNames.length).toBeGreaterThan(8);
  for (const [n, endpoint] of knownNames.entries())
    for (const [musicFolderId, code] of values) {
      const params = { ...requiredParams[endpoint], musicFolderId };
      faults.push(...(await faultsOf({ endpoint }, `folder ${musicFolderId}`, () => params, code, modesOf(n))));
    }
  expect(faults).toEqual([]);
});

it('keeps what only administrators may do from others, in every mode', async () => {
  const faults: string[] = [];
  for (const endpoint of Object.keys(ENDPOINTS).filter((name) => ENDPOINTS[name]?.access === 'superuser'))
    faults.push(...(await faultsOf({ endpoint }, 'an ordinary account', () => ({}), 50, REQUEST_MODES)));
  expect(faults).toEqual([]);
});

it('sends XML that is valid by the XSD', ({ skip }) => {
  const faults = xmlFaults([...documents.values()], 'SUBSONIC_XSD');
  if (!faults) return skip();
  expect(faults).toEqual([]);
});
