// What is known about artists, albums and labels, with services that are off, away, odd, or about somebody else.
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
let music: string;
let backup: string;
let picture: Buffer;
let made = 0;

const DAY = 86_400_000;
const mbid = (n: number): string => `0000000${n % 10}-1111-4111-8111-${String(n).padStart(12, '0')}`;

beforeAll(async () => {
  picture = await jpeg('#335577');
  services = await startEncyclopedia();
  [music, backup] = [
    mkdtempSync(join(tmpdir(), 'tonearm-about-')),
    mkdtempSync(join(tmpdir(), 'tonearm-about-backup-')),
  ];
  server = await startServer({
    env: { ...services.env, ACCESS_TOKEN_TTL: '1000d', LOCAL_MEDIA_IMPORT_PATH: music, BACKUP_TARGET: backup },
    now: () => new Date(clock),
    musicBrainzPerSecond: 10_000,
    wikimediaPerSecond: 10_000,
  });
  tracks = trackMaker(server.app);
});
afterAll(async () => {
  await server.close();
  await services.close();
  for (const dir of [music, backup]) rmSync(dir, { recursive: true });
});
beforeEach(() => {
  services.clear();
  made += 100;
});

const jpeg = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 90, height: 60, channels: 3, background } })
    .jpeg()
    .toBuffer();
const setEnabled = (artist_info_enabled: boolean) =>
  server.api('/settings', { method: 'PATCH', body: { artist_info_enabled } }).then(() => server.app.drain());

/** A group with all that can be known, and its id in the library. */
function addBand(name: string, { isTagged = true, bytes = picture } = {}): number {
  const id = mbid(made + 1);
  const item = `Q${made + 1}`;
  services.add({
    kind: 'artist',
    mbid: id,
    name,
    type: 'Group',
    country: 'GB',
    area: 'Bristol',
    begin: '1991-03',
    members: [{ mbid: mbid(made + 2), name: 'Ida Lund', begin: '1991', end: '1999' }],
    links: { 'official homepage': 'https://quays.example/', 'last.fm': 'https://www.last.fm/music/x', bad: 'x:y' },
    item,
  });
  services.add({ kind: 'release-group', mbid: mbid(made + 3), name: 'Low Water', artist: { mbid: id, name } });
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
const about = async (id: number, language = 'en'): Promise<ArtistAbout> =>
  (await server.api<ArtistAbout>(`/artists/${id}/about?language=${language}`)).body;
const lookUp = async (id: number): Promise<ArtistAbout> =>
  (await server.api<ArtistAbout>(`/artists/${id}/about/lookup`, { method: 'POST' })).body;
const colourOf = async (id: number): Promise<string> => {
  const answer = await fetch(`${server.url}/api/v1/artists/${id}/cover?token=${server.token}`);
  if (answer.status !== 200) return String(answer.status);
  const { dominant } = await sharp(Buffer.from(await answer.arrayBuffer())).stats();
  return [dominant.r, dominant.g, dominant.b].map((part) => Math.round(part / 64)).join();
};

test('nothing is asked until the owner allows it; what was found is shown without any network', async () => {
  const id = addBand('The Quays');
  expect(await lookUp(id)).toMatchObject({ state: 'off', about: null, picture: null });
  expect(services.requests).toEqual([]);
  await setEnabled(true); // then all are looked up in the background
  const known = await about(id);
  expect(known).toEqual({
    state: 'known',
    artist_mbid: mbid(made + 1),
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
  expect((await about(id, 'de')).about?.text?.text).toBe('The Quays sind eine Band.');
  expect((await about(id, 'fr')).about?.text?.language).toBe('en');
  expect((await server.api<{ has_cover: boolean }>(`/artists/${id}`)).body.has_cover).toBe(true);
  expect(services.requests.every(({ userAgent }) => userAgent.startsWith('Tonearm/'))).toBe(true);
  tracks.add({ title: 'Two', artists: ['Ida Lund'], artistMbids: [mbid(made + 2)] });
  expect((await about(id)).people[0]?.artist_id).toBe(idOf('Ida Lund'));

  const asked = services.requests.length;
  services.clear();
  await setEnabled(false);
  expect(await about(id)).toMatchObject({ state: 'known', about: known.about, picture: known.picture });
  expect([await colourOf(id), services.requests.length]).toEqual(['1,1,2', 0]);
  expect(asked).toBeGreaterThan(0);
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
  '%s fails (%s): what the others said is kept, and it is asked again later',
  async (service, fault) => {
    await setEnabled(true);
    const id = addBand(`Faulty ${service} ${fault}`);
    clock += DAY; // breakers that other tests opened are closed
    services.faults.set(service, fault);
    const known = await lookUp(id);
    expect(known.state).toBe(service === 'musicbrainz' ? 'failed' : 'known');
    expect(known.about?.country ?? null).toBe(service === 'musicbrainz' ? null : 'GB');
    expect(known.about?.text?.language ?? null).toBe(['commons', 'files'].includes(service) ? 'en' : null);
    services.faults.clear();
    clock += DAY;
    const whole = await lookUp(id);
    expect(whole).toMatchObject({
      state: 'known',
      about: { text: { language: 'en' } },
      picture: { origin: 'commons' },
    });
    const asked = services.requests.length;
    await lookUp(id);
    expect(services.requests.length).toBe(asked);
  },
);

test('what was found is asked anew seldom, and stays where that fails', async () => {
  await setEnabled(true);
  const id = addBand('Refreshed');
  await lookUp(id);
  clock += 100 * DAY;
  services.faults.set('wikidata', 'page');
  services.articles.set('en/Refreshed', { extract: 'Newer.', item: `Q${made + 1}` });
  expect((await lookUp(id)).about?.text?.text).toMatch(/are a band/);
  services.faults.clear();
  clock += DAY;
  expect((await lookUp(id)).about?.text?.text).toBe('Newer.');
});

test('an artist without an mbid is told by an album, and a person can say that it is another, or nobody', async () => {
  await setEnabled(true);
  const id = addBand('Mirrors', { isTagged: false });
  const other = mbid(made + 9);
  services.add({ kind: 'artist', mbid: other, name: 'Mirrors', country: 'FR', disambiguation: 'the duo' });
  services.add({
    kind: 'release-group',
    mbid: mbid(made + 8),
    name: 'Low Waters',
    artist: { mbid: other, name: 'Mirrors' },
  });
  expect(await lookUp(id)).toMatchObject({ identified_by: 'albums', about: { country: 'GB' } });
  const { body } = await server.api<IdentityCandidate[]>(`/artists/${id}/about/candidates`);
  expect(body.map(({ artist_mbid, disambiguation }) => [artist_mbid, disambiguation])).toEqual([
    [mbid(made + 1), null],
    [other, 'the duo'],
  ]);
  const put = (artist_mbid: string | null, token = server.token) =>
    server.api(`/artists/${id}/about`, { method: 'PUT', body: { artist_mbid }, token });
  expect((await put(other, await registerUser(server))).status).toBe(403);
  expect((await put(other)).status).toBe(204);
  expect(await about(id)).toMatchObject({
    identified_by: 'person',
    about: { country: 'FR', text: null },
    picture: null,
  });
  await put(null);
  expect(await about(id)).toMatchObject({ artist_mbid: null, about: null, people: [], state: 'unknown' });
  await server.api(`/artists/${id}/about`, { method: 'DELETE' });
  expect(await lookUp(id)).toMatchObject({ identified_by: 'albums', picture: { origin: 'commons' } });
});

test('two artists of the name with an album of the title, or a title that many have, tell nobody', async () => {
  await setEnabled(true);
  const id = addBand('Twins', { isTagged: false });
  services.add({
    kind: 'release-group',
    mbid: mbid(made + 8),
    name: 'Low Water',
    artist: { mbid: mbid(made + 9), name: 'Twins' },
  });
  expect(await lookUp(id)).toMatchObject({ state: 'unknown', artist_mbid: null, about: null });
  made += 100;
  services.add({
    kind: 'release-group',
    mbid: mbid(made),
    name: 'Live',
    artist: { mbid: mbid(made + 1), name: 'Solo' },
  });
  tracks.add({ title: 'One', album: 'Live', artists: ['Solo'] });
  expect(await lookUp(idOf('Solo'))).toMatchObject({ state: 'unknown', artist_mbid: null });
});

test('a picture is chosen, uploaded, removed, taken back and found again; bombs and HTML are refused', async () => {
  await setEnabled(true);
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
  const small = await fetch(`${server.url}/api/v1/artists/${id}/cover/candidate?file=Second.jpg&token=${server.token}`);
  expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/webp']);
  const choose = (file: string | null) => server.api(`/artists/${id}/cover/choose`, { method: 'POST', body: { file } });
  expect((await choose('Bomb.jpg')).status).toBe(415);
  expect((await choose('Nowhere.jpg')).status).toBe(404);
  expect((await choose('Second.jpg')).status).toBe(204);
  expect([await colourOf(id), (await about(id)).picture]).toEqual([
    '3,1,1',
    expect.objectContaining({ origin: 'manual', licence: 'CC0' }),
  ]);
  const undo = () => server.api(`/artists/${id}/cover/undo`, { method: 'POST' });
  await undo();
  expect([await colourOf(id), (await about(id)).picture?.origin]).toEqual(['1,1,2', 'commons']);

  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(await jpeg('#22cc22'))], { type: 'image/jpeg' }), 'mine.jpg');
  expect((await server.api(`/artists/${id}/cover`, { method: 'PUT', body: form })).status).toBe(204);
  expect(await colourOf(id)).toBe('1,3,1');
  clock += 100 * DAY;
  await lookUp(id); // what was found does not replace what was chosen
  expect(await colourOf(id)).toBe('1,3,1');
  expect((await server.api(`/artists/${id}/cover`, { method: 'DELETE' })).status).toBe(204);
  expect([await colourOf(id), (await about(id)).picture]).toEqual(['404', expect.objectContaining({ is_none: true })]);
  await undo();
  expect(await colourOf(id)).toBe('1,3,1');
  expect((await choose(null)).status).toBe(204);
  expect([await colourOf(id), (await about(id)).picture?.origin]).toEqual(['1,1,2', 'commons']);
  expect(server.app.db.$client.prepare('SELECT count(*) FROM artist_pictures').pluck().get()).toBeGreaterThan(1);
});

test('an album and its label are described, and phones get it too', async () => {
  await setEnabled(true);
  addBand('Notes');
  const [group, label] = [mbid(made + 5), mbid(made + 6)];
  services.add({
    kind: 'release-group',
    mbid: group,
    name: 'Tides',
    labels: [{ mbid: label, name: 'Pier' }],
    item: 'Q5',
  });
  services.add({ kind: 'label', mbid: label, name: 'Pier', country: 'DE', begin: '1980', item: 'Q6' });
  services.items.set('Q5', { claims: { P436: [group] }, sitelinks: { enwiki: 'Tides' } });
  services.items.set('Q6', { sitelinks: { enwiki: 'Pier' } });
  services.articles.set('en/Tides', { extract: 'Tides is an album.', item: 'Q5' });
  services.articles.set('en/Pier', { extract: 'Pier is a label.', item: 'Q6' });
  const release = group.replace(/^./, 'a');
  tracks.add({
    title: 'One',
    album: 'Tides',
    artists: ['Notes'],
    releaseGroupMbid: group,
    releaseMbid: release,
    more: { releaseMbid: release },
  });
  const album = server.app.db.$client
    .prepare<[string], number>('SELECT id FROM albums WHERE release_group_mbid = ?')
    .pluck()
    .get(group);
  const { body } = await server.api<AlbumAbout>(`/albums/${album}/about/lookup`, { method: 'POST' });
  expect(body).toMatchObject({
    about: { text: { text: 'Tides is an album.' } },
    labels: [{ name: 'Pier', country: 'DE', text: { text: 'Pier is a label.' } }],
  });

  const id = idOf('Notes');
  await lookUp(id);
  const phone = await openPhone(server);
  type Info = Record<string, string>;
  const artist = await phone.ask<Info>('getArtistInfo2', { id: `ar-${id}` }, 'artistInfo2');
  expect(artist).toMatchObject({
    biography: expect.stringContaining('Notes are a band.'),
    musicBrainzId: mbid(made + 1),
    lastFmUrl: 'https://www.last.fm/music/x',
  });
  const notes = await phone.ask<Info>('getAlbumInfo2', { id: `al-${album}` }, 'albumInfo');
  expect(notes).toMatchObject({ notes: expect.stringContaining('Tides is an album.'), musicBrainzId: release });
  for (const size of ['smallImageUrl', 'mediumImageUrl', 'largeImageUrl']) {
    const shown = await fetch(artist[size] ?? '');
    expect([shown.status, (await sharp(Buffer.from(await shown.arrayBuffer())).metadata()).format]).toEqual([
      200,
      expect.stringMatching(/webp|jpeg/),
    ]);
  }
});

test('an artist whose mbid or telling album comes later is looked up soon', async () => {
  await setEnabled(true);
  const id = addBand('Latecomers', { isTagged: false });
  services.add({
    kind: 'release-group',
    mbid: mbid(made + 7),
    name: 'High Tide',
    artist: { mbid: mbid(made + 1), name: 'Latecomers' },
  });
  services.faults.set('musicbrainz', 'half');
  await lookUp(id);
  services.faults.clear();
  services.add({ kind: 'release-group', mbid: mbid(made + 3), name: 'Something else' });
  clock += DAY;
  expect(await lookUp(id)).toMatchObject({ state: 'unknown', about: null });
  clock += DAY;
  tracks.add({ title: 'Two', album: 'High Tide', artists: ['Latecomers'] });
  expect(await about(id)).toMatchObject({ state: 'due' });
  expect(await lookUp(id)).toMatchObject({ identified_by: 'albums', about: { country: 'GB' } });

  const other = await startServer({
    env: { ...services.env, ARTIST_INFO_ENABLED: 'true' },
    musicBrainzPerSecond: 10_000,
    wikimediaPerSecond: 10_000,
    aboutEveryMs: 5,
  });
  try {
    const others = trackMaker(other.app);
    const track = others.add({ title: 'One', artists: ['Latecomers'] });
    others.add({ title: 'Two', artists: ['Latecomers'], artistMbids: [mbid(made + 1)] });
    const body = { title: 'First', artist: 'Latecomers', album: 'Low Water' };
    expect((await other.api(`/tracks/${track}/metadata`, { method: 'PUT', body })).status).toBe(200);
    await until(
      () => other.api<ArtistAbout>('/artists/1/about'),
      ({ body }) => body.about?.country === 'GB',
    );
  } finally {
    await other.close();
  }
});

test('a damaged or lost picture is named, and comes from the backup or is found again', async () => {
  await setEnabled(true);
  // unlike those of other artists, which would be the same object
  const found = addBand('Found', { bytes: await jpeg('#cc2222') });
  made += 100;
  const chosen = addBand('Chosen', { isTagged: false });
  await lookUp(found);
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(await jpeg('#22cc22'))], { type: 'image/jpeg' }), 'mine.jpg');
  await server.api(`/artists/${chosen}/cover`, { method: 'PUT', body: form });
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
  const findings = ({ findings: all }: VerifyReport) =>
    all.map(({ kind, title, artist_id, healed }) => ({ kind, title, artist_id, healed }));
  expect(findings(await verify())).toEqual([]);

  const before = readFileSync(pathOf('Chosen'));
  writeFileSync(pathOf('Found'), 'damaged');
  rmSync(pathOf('Chosen'));
  expect(findings(await verify())).toEqual([
    { kind: 'damaged', title: 'Found', artist_id: found, healed: false },
    { kind: 'missing', title: 'Chosen', artist_id: chosen, healed: false },
  ]);
  expect([await colourOf(found), (await about(found)).picture?.origin]).toEqual(['3,1,1', 'commons']);
  writeFileSync(pathOf('Chosen'), before);
  expect(findings(await verify())).toEqual([]);

  expect((await makeBackup(server)).status).toBe('succeeded');
  const exported = mkdtempSync(join(tmpdir(), 'tonearm-about-export-'));
  try {
    await server.api('/exports', { method: 'POST', body: { folder: exported } });
    await server.app.drain();
    expect(readFileSync(join(exported, 'Music', 'Chosen', 'artist.webp'))).toEqual(before);
    const listed = JSON.parse(readFileSync(join(exported, 'data', 'artists.json'), 'utf8')) as object[];
    expect(listed).toContainEqual(expect.objectContaining({ name: 'Found', picture: 'Music/Found/artist.webp' }));
  } finally {
    rmSync(exported, { recursive: true });
  }
  for (const name of ['Found', 'Chosen']) rmSync(pathOf(name));
  await setEnabled(false);
  renameSync(backup, `${backup} away`);
  expect(findings(await verify())).toHaveLength(2);
  renameSync(`${backup} away`, backup);
  expect((await verify()).healed).toBe(2); // nothing was forgotten while the backup was away
  expect(readFileSync(pathOf('Chosen'))).toEqual(before);
});

test('artist.jpg in the music folders counts before what is found, a folder named for the artist too', async () => {
  await setEnabled(true);
  const id = addBand('Folders');
  await lookUp(id);
  expect((await about(id)).picture?.origin).toBe('commons');
  const folder = join(music, 'Folders', 'Low Water');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(music, 'Folders', 'artist.jpg'), await jpeg('#dddd22'));
  const tags = { TPE1: 'Folders', TALB: 'Low Water', TIT2: 'One' };
  const frames = Object.entries(tags).map(([name, text]) => id3Frame(name, utf8Text(text)));
  writeFileSync(join(folder, '1.mp3'), Buffer.concat([id3(frames), silentMp3(40)]));
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  expect([await colourOf(id), (await about(id)).picture?.origin]).toEqual(['3,3,1', 'folder']);
});

test('texts are kept in every language of the pages', () => {
  const files = readdirSync(join(import.meta.dirname, '..', '..', 'resources', 'languages'));
  expect([...LANGUAGES].sort()).toEqual(
    files.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5)),
  );
});

test('the artists of the library among members are found through indexes', () => {
  const plan = server.app.db.$client
    .prepare<[string], { detail: string }>(`EXPLAIN QUERY PLAN ${IN_LIBRARY_SQL}`)
    .all('[]')
    .map(({ detail }) => detail);
  expect(plan.filter((detail) => /^SCAN (?:a|i)\b/.test(detail))).toEqual([]);
  expect(plan.join('\n')).toMatch(/SEARCH a USING .*INDEX artists_artist_mbid/);
  expect(plan.join('\n')).toMatch(/SEARCH i USING .*INDEX artist_identities_mbid/);
});
