// Information about artists, albums and labels, with services that are off, unreachable or faulty, or that describe
// another artist.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { IN_LIBRARY_SQL } from '../../server/about/queries.ts';
import type { AlbumAbout, ArtistAbout, IdentityCandidate, PictureCandidate } from '../../server/about/wire.ts';
import { LANGUAGES } from '../../server/about/texts.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { VerifyReport } from '../../server/maintenance/verify-report.ts';
import { startEncyclopedia, type Encyclopedia, type Fault, type Service } from '../fakes/encyclopedia.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { makeBackup } from '../support/backups.ts';
import { openPhone } from '../support/phone.ts';
import { until } from '../support/until.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let services: Encyclopedia;
let server: TestServer;
let tracks: ReturnType<typeof trackMaker>;
let clock = Date.UTC(2026, 0, 1);
let musicDir: string;
let backupDir: string;
let picture: Buffer;
let mbidOffset = 0;

const DAY_MS = 86_400_000;
const mbid = (n: number): string => `0000000${n % 10}-1111-4111-8111-${String(n).padStart(12, '0')}`;

beforeAll(async () => {
  picture = await jpeg('#335577');
  services = await startEncyclopedia();
  [musicDir, backupDir] = [
    mkdtempSync(join(tmpdir(), 'tonearm-about-')),
    mkdtempSync(join(tmpdir(), 'tonearm-about-backup-')),
  ];
  server = await startServer({
    env: { ...services.env, ACCESS_TOKEN_TTL: '1000d', LOCAL_MEDIA_IMPORT_PATH: musicDir, BACKUP_TARGET: backupDir },
    now: () => new Date(clock),
    musicBrainzPerSecond: 10_000,
    wikimediaPerSecond: 10_000,
  });
  tracks = trackMaker(server.app);
});
afterAll(async () => {
  await server.close();
  await services.close();
  for (const dir of [musicDir, backupDir]) rmSync(dir, { recursive: true });
});
beforeEach(() => {
  services.clear();
  mbidOffset += 100;
});

const jpeg = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 90, height: 60, channels: 3, background } })
    .jpeg()
    .toBuffer();
const setArtistInfoEnabled = (artist_info_enabled: boolean) =>
  server.api('/settings', { method: 'PATCH', body: { artist_info_enabled } }).then(() => server.app.drain());

/** Adds a group that all services describe; returns its id in the library. */
function addBand(name: string, { isTagged = true, bytes = picture } = {}): number {
  const id = mbid(mbidOffset + 1);
  const item = `Q${mbidOffset + 1}`;
  services.add({
    kind: 'artist',
    mbid: id,
    name,
    type: 'Group',
    country: 'GB',
    area: 'Bristol',
    begin: '1991-03',
    members: [{ mbid: mbid(mbidOffset + 2), name: 'Ida Lund', begin: '1991', end: '1999' }],
    links: { 'official homepage': 'https://quays.example/', 'last.fm': 'https://www.last.fm/music/x', bad: 'x:y' },
    item,
  });
  services.add({ kind: 'release-group', mbid: mbid(mbidOffset + 3), name: 'Low Water', artist: { mbid: id, name } });
  services.items.set(item, {
    claims: { P434: [id], P18: [`${name}.jpg`], P373: [name], P31: [{ id: 'Q215380' }] },
    sitelinks: { enwiki: name, dewiki: `${name} (Band)` },
  });
  services.articles.set(`en/${name}`, { extract: `${name} are a band.\n\nThey <b>play</b>.`, item });
  services.articles.set(`de/${name} (Band)`, { extract: `${name} sind eine Band.`, item });
  services.files.set(`${name}.jpg`, {
    bytes,
    artist: '<a href="//commons.wikimedia.org/x" onclick="alert(1)">Ann &amp; Bo</a><script>alert(1)</script>',
    licence: 'CC BY-SA 4.0',
    licenceUrl: 'https://creativecommons.org/licenses/by-sa/4.0',
    category: name,
  });
  tracks.add({ title: 'One', album: 'Low Water', artists: [name], ...(isTagged && { artistMbids: [id] }) });
  return idOf(name);
}
const idOf = (name: string): number =>
  server.app.db.$client.prepare<[string], number>('SELECT id FROM artists WHERE name = ?').pluck().get(name) as number;
const getAbout = async (id: number, language = 'en'): Promise<ArtistAbout> =>
  (await server.api<ArtistAbout>(`/artists/${id}/about?language=${language}`)).body;
const lookUp = async (id: number): Promise<ArtistAbout> =>
  (await server.api<ArtistAbout>(`/artists/${id}/about/lookup`, { method: 'POST' })).body;
const colourOf = async (id: number): Promise<string> => {
  const response = await fetch(`${server.url}/api/v1/artists/${id}/cover?token=${server.token}`);
  if (response.status !== 200) return String(response.status);
  const { dominant } = await sharp(Buffer.from(await response.arrayBuffer())).stats();
  return [dominant.r, dominant.g, dominant.b].map((channel) => Math.round(channel / 64)).join();
};

test('no service is asked until the owner allows it; stored information is shown without a network', async () => {
  const id = addBand('The Quays');
  expect(await lookUp(id)).toMatchObject({ state: 'off', about: null, picture: null });
  expect(services.requests).toEqual([]);
  await setArtistInfoEnabled(true); // starts looking up all artists in the background
  const artistAbout = await getAbout(id);
  expect(artistAbout).toEqual({
    state: 'known',
    artist_mbid: mbid(mbidOffset + 1),
    identified_by: 'tags',
    about: {
      name: 'The Quays',
      type: 'Group',
      country: 'GB',
      area: 'Bristol',
      begin: '1991-03',
      end: null,
      ended: false,
      links: [
        { kind: 'homepage', url: 'https://quays.example/' },
        { kind: 'last.fm', url: 'https://www.last.fm/music/x' },
      ],
      text: {
        language: 'en',
        text: 'The Quays are a band.\nThey <b>play</b>.',
        title: 'The Quays',
        url: `${services.env.WIKIPEDIA_BASE_URL.replace('{language}', 'en')}/wiki/The_Quays`,
      },
    },
    people: [{ name: 'Ida Lund', relation: 'member', begin: '1991', end: '1999', ended: true, artist_id: null }],
    picture: {
      origin: 'commons',
      is_none: false,
      author: 'Ann & Bo',
      licence: 'CC BY-SA 4.0',
      licence_url: 'https://creativecommons.org/licenses/by-sa/4.0',
      page_url: 'https://commons.wikimedia.org/wiki/File:The%20Quays.jpg',
    },
  });
  expect((await getAbout(id, 'de')).about?.text?.text).toBe('The Quays sind eine Band.');
  expect((await getAbout(id, 'fr')).about?.text?.language).toBe('en');
  expect((await server.api<{ has_cover: boolean }>(`/artists/${id}`)).body.has_cover).toBe(true);
  expect(services.requests.every(({ userAgent }) => userAgent.startsWith('Tonearm/'))).toBe(true);
  tracks.add({ title: 'Two', artists: ['Ida Lund'], artistMbids: [mbid(mbidOffset + 2)] });
  expect((await getAbout(id)).people[0]?.artist_id).toBe(idOf('Ida Lund'));

  const requestCount = services.requests.length;
  services.clear();
  await setArtistInfoEnabled(false);
  expect(await getAbout(id)).toMatchObject({ state: 'known', about: artistAbout.about, picture: artistAbout.picture });
  expect([await colourOf(id), services.requests.length]).toEqual(['1,1,2', 0]);
  expect(requestCount).toBeGreaterThan(0);
});

const FAULTS: [Service, Fault][] = [
  ['musicbrainz', 'page'],
  ['musicbrainz', 'half'],
  ['musicbrainz', 'cut'],
  ['musicbrainz', 'huge'],
  ['wikidata', 'page'],
  ['wikidata', 'half'],
  ['wikidata', 'inside'],
  ['wikipedia', 'half'],
  ['wikipedia', 'cut'],
  ['commons', 'half'],
  ['commons', 'page'],
  ['files', 'cut'],
  ['files', 'inside'],
];

test.each(FAULTS)(
  '%s fails (%s): the answers of the other services are kept, and the failed service is asked again later',
  async (service, fault) => {
    await setArtistInfoEnabled(true);
    const id = addBand(`Faulty ${service} ${fault}`);
    clock += DAY_MS; // closes the circuit breakers that other tests opened
    services.faults.set(service, fault);
    const firstAbout = await lookUp(id);
    expect(firstAbout.state).toBe(service === 'musicbrainz' ? 'failed' : 'known');
    expect(firstAbout.about?.country ?? null).toBe(service === 'musicbrainz' ? null : 'GB');
    expect(firstAbout.about?.text?.language ?? null).toBe(['commons', 'files'].includes(service) ? 'en' : null);
    services.faults.clear();
    clock += DAY_MS;
    const completeAbout = await lookUp(id);
    expect(completeAbout).toMatchObject({
      state: 'known',
      about: { text: { language: 'en' } },
      picture: { origin: 'commons' },
    });
    const requestCount = services.requests.length;
    await lookUp(id);
    expect(services.requests.length).toBe(requestCount);
  },
);

test('information is refreshed rarely, and kept if refreshing fails', async () => {
  await setArtistInfoEnabled(true);
  const id = addBand('Refreshed');
  await lookUp(id);
  clock += 100 * DAY_MS;
  services.faults.set('wikidata', 'page');
  services.articles.set('en/Refreshed', { extract: 'Newer.', item: `Q${mbidOffset + 1}` });
  expect((await lookUp(id)).about?.text?.text).toMatch(/are a band/);
  services.faults.clear();
  clock += DAY_MS;
  expect((await lookUp(id)).about?.text?.text).toBe('Newer.');
});

test('an artist without an mbid is identified by an album, and a person can choose another artist or none', async () => {
  await setArtistInfoEnabled(true);
  const id = addBand('Mirrors', { isTagged: false });
  const otherMbid = mbid(mbidOffset + 9);
  services.add({ kind: 'artist', mbid: otherMbid, name: 'Mirrors', country: 'FR', disambiguation: 'the duo' });
  services.add({
    kind: 'release-group',
    mbid: mbid(mbidOffset + 8),
    name: 'Low Waters',
    artist: { mbid: otherMbid, name: 'Mirrors' },
  });
  expect(await lookUp(id)).toMatchObject({ identified_by: 'albums', about: { country: 'GB' } });
  const { body } = await server.api<IdentityCandidate[]>(`/artists/${id}/about/candidates`);
  expect(body.map(({ artist_mbid, disambiguation }) => [artist_mbid, disambiguation])).toEqual([
    [mbid(mbidOffset + 1), null],
    [otherMbid, 'the duo'],
  ]);
  const setIdentity = (artist_mbid: string | null, token = server.token) =>
    server.api(`/artists/${id}/about`, { method: 'PUT', body: { artist_mbid }, token });
  expect((await setIdentity(otherMbid, await registerUser(server))).status).toBe(403);
  expect((await setIdentity(otherMbid)).status).toBe(204);
  expect(await getAbout(id)).toMatchObject({
    identified_by: 'person',
    about: { country: 'FR', text: null },
    picture: null,
  });
  await setIdentity(null);
  expect(await getAbout(id)).toMatchObject({ artist_mbid: null, about: null, people: [], state: 'unknown' });
  await server.api(`/artists/${id}/about`, { method: 'DELETE' });
  expect(await lookUp(id)).toMatchObject({ identified_by: 'albums', picture: { origin: 'commons' } });
});

test('two artists with the same name and album, or an album with a common title, identify no artist', async () => {
  await setArtistInfoEnabled(true);
  const id = addBand('Twins', { isTagged: false });
  services.add({
    kind: 'release-group',
    mbid: mbid(mbidOffset + 8),
    name: 'Low Water',
    artist: { mbid: mbid(mbidOffset + 9), name: 'Twins' },
  });
  expect(await lookUp(id)).toMatchObject({ state: 'unknown', artist_mbid: null, about: null });
  mbidOffset += 100;
  services.add({
    kind: 'release-group',
    mbid: mbid(mbidOffset),
    name: 'Live',
    artist: { mbid: mbid(mbidOffset + 1), name: 'Solo' },
  });
  tracks.add({ title: 'One', album: 'Live', artists: ['Solo'] });
  expect(await lookUp(idOf('Solo'))).toMatchObject({ state: 'unknown', artist_mbid: null });
});

test('a picture is chosen, uploaded, removed, restored and found again; files that are not images are refused', async () => {
  await setArtistInfoEnabled(true);
  const id = addBand('Portraits');
  services.files.set('Second.jpg', { bytes: await jpeg('#cc2222'), licence: 'CC0', category: 'Portraits' });
  services.files.set('Unfree.jpg', { bytes: picture, category: 'Portraits' });
  services.files.set('Bomb.jpg', {
    bytes: Buffer.from('<html>no picture</html>'),
    licence: 'CC0',
    category: 'Portraits',
  });
  await lookUp(id);
  const { body } = await server.api<PictureCandidate[]>(`/artists/${id}/cover/candidates`);
  expect(body.map(({ file, is_current }) => [file, is_current])).toEqual([
    ['Portraits.jpg', true],
    ['Second.jpg', false],
    ['Bomb.jpg', false],
  ]);
  const thumbnailResponse = await fetch(
    `${server.url}/api/v1/artists/${id}/cover/candidate?file=Second.jpg&token=${server.token}`,
  );
  expect([thumbnailResponse.status, thumbnailResponse.headers.get('content-type')]).toEqual([200, 'image/webp']);
  const choose = (file: string | null) => server.api(`/artists/${id}/cover/choose`, { method: 'POST', body: { file } });
  expect((await choose('Bomb.jpg')).status).toBe(415);
  expect((await choose('Nowhere.jpg')).status).toBe(404);
  expect((await choose('Second.jpg')).status).toBe(204);
  expect([await colourOf(id), (await getAbout(id)).picture]).toEqual([
    '3,1,1',
    expect.objectContaining({ origin: 'manual', licence: 'CC0' }),
  ]);
  const undo = () => server.api(`/artists/${id}/cover/undo`, { method: 'POST' });
  await undo();
  expect([await colourOf(id), (await getAbout(id)).picture?.origin]).toEqual(['1,1,2', 'commons']);

  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(await jpeg('#22cc22'))], { type: 'image/jpeg' }), 'mine.jpg');
  expect((await server.api(`/artists/${id}/cover`, { method: 'PUT', body: form })).status).toBe(204);
  expect(await colourOf(id)).toBe('1,3,1');
  clock += 100 * DAY_MS;
  await lookUp(id); // an automatically found picture does not replace an uploaded one
  expect(await colourOf(id)).toBe('1,3,1');
  expect((await server.api(`/artists/${id}/cover`, { method: 'DELETE' })).status).toBe(204);
  expect([await colourOf(id), (await getAbout(id)).picture]).toEqual([
    '404',
    expect.objectContaining({ is_none: true }),
  ]);
  await undo();
  expect(await colourOf(id)).toBe('1,3,1');
  expect((await choose(null)).status).toBe(204);
  expect([await colourOf(id), (await getAbout(id)).picture?.origin]).toEqual(['1,1,2', 'commons']);
  expect(server.app.db.$client.prepare('SELECT count(*) FROM artist_pictures').pluck().get()).toBeGreaterThan(1);
});

test('an album and its label are described, also for Subsonic clients', async () => {
  await setArtistInfoEnabled(true);
  addBand('Notes');
  const [releaseGroupMbid, labelMbid] = [mbid(mbidOffset + 5), mbid(mbidOffset + 6)];
  services.add({
    kind: 'release-group',
    mbid: releaseGroupMbid,
    name: 'Tides',
    labels: [{ mbid: labelMbid, name: 'Pier' }],
    item: 'Q5',
  });
  services.add({ kind: 'label', mbid: labelMbid, name: 'Pier', country: 'DE', begin: '1980', item: 'Q6' });
  services.items.set('Q5', { claims: { P436: [releaseGroupMbid] }, sitelinks: { enwiki: 'Tides' } });
  services.items.set('Q6', { sitelinks: { enwiki: 'Pier' } });
  services.articles.set('en/Tides', { extract: 'Tides is an album.', item: 'Q5' });
  services.articles.set('en/Pier', { extract: 'Pier is a label.', item: 'Q6' });
  const releaseMbid = releaseGroupMbid.replace(/^./, 'a');
  tracks.add({
    title: 'One',
    album: 'Tides',
    artists: ['Notes'],
    releaseGroupMbid,
    releaseMbid,
    more: { releaseMbid },
  });
  const album = server.app.db.$client
    .prepare<[string], number>('SELECT id FROM albums WHERE release_group_mbid = ?')
    .pluck()
    .get(releaseGroupMbid);
  const { body } = await server.api<AlbumAbout>(`/albums/${album}/about/lookup`, { method: 'POST' });
  expect(body).toMatchObject({
    about: { text: { text: 'Tides is an album.' } },
    labels: [{ name: 'Pier', country: 'DE', text: { text: 'Pier is a label.' } }],
  });

  const id = idOf('Notes');
  await lookUp(id);
  const phone = await openPhone(server);
  type SubsonicInfo = Record<string, string>;
  const artist = await phone.ask<SubsonicInfo>('getArtistInfo2', { id: `ar-${id}` }, 'artistInfo2');
  expect(artist).toMatchObject({
    biography: expect.stringContaining('Notes are a band.'),
    musicBrainzId: mbid(mbidOffset + 1),
    lastFmUrl: 'https://www.last.fm/music/x',
  });
  const albumInfo = await phone.ask<SubsonicInfo>('getAlbumInfo2', { id: `al-${album}` }, 'albumInfo');
  expect(albumInfo).toMatchObject({ notes: expect.stringContaining('Tides is an album.'), musicBrainzId: releaseMbid });
  for (const size of ['smallImageUrl', 'mediumImageUrl', 'largeImageUrl']) {
    const imageResponse = await fetch(artist[size] ?? '');
    expect([
      imageResponse.status,
      (await sharp(Buffer.from(await imageResponse.arrayBuffer())).metadata()).format,
    ]).toEqual([200, expect.stringMatching(/webp|jpeg/)]);
  }
});

test('an artist that gets an mbid or an identifying album later is looked up soon', async () => {
  await setArtistInfoEnabled(true);
  const id = addBand('Latecomers', { isTagged: false });
  services.add({
    kind: 'release-group',
    mbid: mbid(mbidOffset + 7),
    name: 'High Tide',
    artist: { mbid: mbid(mbidOffset + 1), name: 'Latecomers' },
  });
  services.faults.set('musicbrainz', 'half');
  await lookUp(id);
  services.faults.clear();
  services.add({ kind: 'release-group', mbid: mbid(mbidOffset + 3), name: 'Something else' });
  clock += DAY_MS;
  expect(await lookUp(id)).toMatchObject({ state: 'unknown', about: null });
  clock += DAY_MS;
  tracks.add({ title: 'Two', album: 'High Tide', artists: ['Latecomers'] });
  expect(await getAbout(id)).toMatchObject({ state: 'due' });
  expect(await lookUp(id)).toMatchObject({ identified_by: 'albums', about: { country: 'GB' } });

  const otherServer = await startServer({
    env: { ...services.env, ARTIST_INFO_ENABLED: 'true' },
    musicBrainzPerSecond: 10_000,
    wikimediaPerSecond: 10_000,
    aboutEveryMs: 5,
  });
  try {
    const otherTracks = trackMaker(otherServer.app);
    const track = otherTracks.add({ title: 'One', artists: ['Latecomers'] });
    otherTracks.add({ title: 'Two', artists: ['Latecomers'], artistMbids: [mbid(mbidOffset + 1)] });
    const body = { title: 'First', artist: 'Latecomers', album: 'Low Water' };
    expect((await otherServer.api(`/tracks/${track}/metadata`, { method: 'PUT', body })).status).toBe(200);
    await until(
      () => otherServer.api<ArtistAbout>('/artists/1/about'),
      ({ body }) => body.about?.country === 'GB',
    );
  } finally {
    await otherServer.close();
  }
});

test('a damaged or lost picture is reported, and restored from the backup or found again', async () => {
  await setArtistInfoEnabled(true);
  // different bytes from the other artists' pictures, because equal bytes are stored as one object
  const foundArtistId = addBand('Found', { bytes: await jpeg('#cc2222') });
  mbidOffset += 100;
  const chosenArtistId = addBand('Chosen', { isTagged: false });
  await lookUp(foundArtistId);
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(await jpeg('#22cc22'))], { type: 'image/jpeg' }), 'mine.jpg');
  await server.api(`/artists/${chosenArtistId}/cover`, { method: 'PUT', body: form });
  const pathOf = (name: string): string =>
    join(
      server.dir,
      'library',
      server.app.db.$client
        .prepare<[string], string>(
          `SELECT p.key FROM artist_pictures p JOIN artists x ON x.name_key = p.artist_key
            WHERE x.name = ? AND p.is_current = 1`,
        )
        .pluck()
        .get(name) ?? 'none',
    );
  const verify = async (): Promise<VerifyReport> => {
    const { body } = await server.api<JobOut>('/jobs/verify', { method: 'POST', body: {} });
    await server.app.drain();
    return (await server.api<JobOut & { result: VerifyReport }>(`/jobs/${body.id}`)).body.result;
  };
  const summarizeFindings = ({ findings: allFindings }: VerifyReport) =>
    allFindings.map(({ kind, title, artist_id, healed }) => ({ kind, title, artist_id, healed }));
  expect(summarizeFindings(await verify())).toEqual([]);

  const originalBytes = readFileSync(pathOf('Chosen'));
  writeFileSync(pathOf('Found'), 'damaged');
  rmSync(pathOf('Chosen'));
  expect(summarizeFindings(await verify())).toEqual([
    { kind: 'damaged', title: 'Found', artist_id: foundArtistId, healed: false },
    { kind: 'missing', title: 'Chosen', artist_id: chosenArtistId, healed: false },
  ]);
  expect([await colourOf(foundArtistId), (await getAbout(foundArtistId)).picture?.origin]).toEqual([
    '3,1,1',
    'commons',
  ]);
  writeFileSync(pathOf('Chosen'), originalBytes);
  expect(summarizeFindings(await verify())).toEqual([]);

  expect((await makeBackup(server)).status).toBe('succeeded');
  const exportDir = mkdtempSync(join(tmpdir(), 'tonearm-about-export-'));
  try {
    await server.api('/exports', { method: 'POST', body: { folder: exportDir } });
    await server.app.drain();
    expect(readFileSync(join(exportDir, 'Music', 'Chosen', 'artist.webp'))).toEqual(originalBytes);
    const exportedArtists = JSON.parse(readFileSync(join(exportDir, 'data', 'artists.json'), 'utf8')) as object[];
    expect(exportedArtists).toContainEqual(
      expect.objectContaining({ name: 'Found', picture: 'Music/Found/artist.webp' }),
    );
  } finally {
    rmSync(exportDir, { recursive: true });
  }
  for (const name of ['Found', 'Chosen']) rmSync(pathOf(name));
  await setArtistInfoEnabled(false);
  renameSync(backupDir, `${backupDir} away`);
  expect(summarizeFindings(await verify())).toHaveLength(2);
  renameSync(`${backupDir} away`, backupDir);
  expect((await verify()).healed).toBe(2); // the backup was unreachable for a while and lost nothing
  expect(readFileSync(pathOf('Chosen'))).toEqual(originalBytes);
});

test('artist.jpg in a music folder, also in a folder named for the artist, wins over a picture from Commons', async () => {
  await setArtistInfoEnabled(true);
  const id = addBand('Folders');
  await lookUp(id);
  expect((await getAbout(id)).picture?.origin).toBe('commons');
  const folder = join(musicDir, 'Folders', 'Low Water');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(musicDir, 'Folders', 'artist.jpg'), await jpeg('#dddd22'));
  const tags = { TPE1: 'Folders', TALB: 'Low Water', TIT2: 'One' };
  const frames = Object.entries(tags).map(([name, text]) => id3Frame(name, utf8Text(text)));
  writeFileSync(join(folder, '1.mp3'), Buffer.concat([id3(frames), silentMp3(40)]));
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  expect([await colourOf(id), (await getAbout(id)).picture?.origin]).toEqual(['3,3,1', 'folder']);
});

test('texts are stored in every language of the user interface', () => {
  const files = readdirSync(join(import.meta.dirname, '..', '..', 'resources', 'languages'));
  expect([...LANGUAGES].sort()).toEqual(
    files.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5)),
  );
});

test('members that are artists of the library are found through indexes', () => {
  const plan = server.app.db.$client
    .prepare<[string], { detail: string }>(`EXPLAIN QUERY PLAN ${IN_LIBRARY_SQL}`)
    .all('[]')
    .map(({ detail }) => detail);
  expect(plan.filter((detail) => /^SCAN (?:a|i)\b/.test(detail))).toEqual([]);
  expect(plan.join('\n')).toMatch(/SEARCH a USING .*INDEX artists_artist_mbid/);
  expect(plan.join('\n')).toMatch(/SEARCH i USING .*INDEX artist_identities_mbid/);
});
