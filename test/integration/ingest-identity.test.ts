// Identity outlives the path: what becomes of a track, and of all that hangs on it, when its file is renamed, moved, retagged,
// replaced, swapped, doubled or lost. Every row holds after one scan and after a second one, in both modes.
import { chmodSync, chownSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ScanResult } from '../../server/ingest/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { makeLibrary, type ExpectedFile, type Manifest } from '../support/library.ts';
import { retagMp3 } from '../support/retag.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';

let base: string;
let manifest: Manifest;
let mp3s: ExpectedFile[];
const open: TestServer[] = [];

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-identity-'));
  manifest = makeLibrary({ tracks: 160, seed: 'identity', seconds: '2', reencoded: 0.5 }, join(base, 'all'));
  mp3s = manifest.files.filter((file) => file.format === 'mp3' && !file.duplicateOf && !file.sameAudioAs && file.tags?.title);
});
afterEach(async () => { for (const server of open.splice(0)) await server.close(); });
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Library {
  server: TestServer;
  folder: string;
  at: (path: string) => string;
  /** Ids by source id. */
  ids: () => Promise<Record<string, number>>;
  track: (path: string) => Promise<TrackOut | undefined>;
  scan: () => Promise<ScanResult>;
}

const A = 'One/First/01 - Alpha.mp3';
const B = 'One/First/02 - Beta.mp3';
const C = 'One/Second/01 - Gamma.mp3';
const D = 'Two/Third/01 - Delta.mp3';
const E = 'Two/Third/02 - Epsilon.mp3';
const ALL = [A, B, C, D, E];

/** Five tracks in three folders, scanned, each with a play, a like and a place in a playlist. */
async function library(mode: 'copy' | 'reference', files: Record<string, ExpectedFile> = Object.fromEntries(ALL.map((path, i) => [path, mp3s[i] as ExpectedFile]))): Promise<Library> {
  const folder = mkdtempSync(join(base, 'music-'));
  for (const [path, file] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(manifest.dir, file.path), join(folder, path));
    utimesSync(join(folder, path), 1_500_000_000, 1_500_000_000 + Object.keys(files).indexOf(path));
  }
  const server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: mode } });
  open.push(server);
  const scan = async (): Promise<ScanResult> => {
    const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
    await server.app.drain();
    const job = (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body;
    expect([job.status, job.error]).toEqual(['succeeded', null]);
    return job.result;
  };
  await scan();
  const ids = async (): Promise<Record<string, number>> => Object.fromEntries((await allTracks(server)).map((track) => [track.source_id, track.id]));
  const db = server.app.db.$client;
  db.exec("INSERT INTO playlists (id, owner_id, name, created_at, updated_at) VALUES (1, 1, 'Mine', 0, 0)");
  for (const id of Object.values(await ids())) {
    db.prepare("INSERT INTO plays (user_id, track_id, title, played_at) VALUES (1, ?, 'x', 0)").run(id);
    db.prepare("INSERT INTO like_states (user_id, item_type, item_id, liked, since) VALUES (1, 'track', ?, 1, 0)").run(id);
    db.prepare('INSERT INTO playlist_entries (playlist_id, position, track_id, added_at) VALUES (1, ?, ?, 0)').run(id, id);
  }
  return { server, folder, at: (path) => join(folder, path), ids, scan, track: async (path) => (await allTracks(server)).find((track) => track.source_id === path) };
}

/** What hangs on these tracks is still there, and the tracks can be played. */
async function expectKept({ server }: Library, ids: number[], availability = 'available'): Promise<void> {
  const db = server.app.db.$client;
  for (const id of ids) {
    const { body } = await server.api<TrackOut>(`/tracks/${id}`);
    expect([id, body.availability, body.liked]).toEqual([id, availability, true]);
    expect(db.prepare('SELECT count(*) AS n FROM plays WHERE track_id = ?').get(id)).toEqual({ n: 1 });
    expect(db.prepare('SELECT count(*) AS n FROM playlist_entries WHERE track_id = ?').get(id)).toEqual({ n: 1 });
    const stream = await fetch(`${server.url}/stream/${id}?token=${server.token}`);
    expect(stream.status).toBe(availability === 'available' ? 200 : 410);
    await stream.arrayBuffer();
  }
}

/** One change of the disk: which path holds which of the old tracks afterwards (null: a new track), and which tracks have no file. */
interface Row {
  what: string;
  change: (library: Library) => void;
  places: Record<string, string | null>;
  /** Old paths of tracks whose file is gone. */
  lost?: string[];
}

const ROWS: Row[] = [
  { what: 'a renamed file', change: ({ at }) => renameSync(at(A), at('One/First/01 - Other.mp3')), places: { 'One/First/01 - Other.mp3': A } },
  { what: 'a renamed folder', change: ({ at }) => renameSync(at('One'), at('Uno')), places: { 'Uno/First/01 - Alpha.mp3': A, 'Uno/First/02 - Beta.mp3': B, 'Uno/Second/01 - Gamma.mp3': C } },
  { what: 'a file moved to another folder', change: ({ at }) => renameSync(at(A), at('Two/Third/09 - Alpha.mp3')), places: { 'Two/Third/09 - Alpha.mp3': A } },
  { what: 'a file copied elsewhere and removed here, with another time', change: ({ at }) => { copyFileSync(at(A), at('Two/copied.mp3')); rmSync(at(A)); }, places: { 'Two/copied.mp3': A } },
  { what: 'a name in other case', change: ({ at }) => renameSync(at(A), at('One/First/01 - ALPHA.MP3')), places: { 'One/First/01 - ALPHA.MP3': A } },
  { what: 'a retagged file', change: ({ at }) => retagMp3(at(A), { TIT2: 'New name', TPE1: 'New artist' }), places: { [A]: A } },
  { what: 'a file moved and retagged in one go', change: ({ at }) => { renameSync(at(A), at('Two/moved.mp3')); retagMp3(at('Two/moved.mp3'), { TIT2: 'New name' }); }, places: { 'Two/moved.mp3': A } },
  { what: 'a folder moved and all in it retagged in one go', change: ({ at }) => {
    renameSync(at('One/First'), at('Three'));
    retagMp3(at('Three/01 - Alpha.mp3'), { TIT2: 'x', TALB: 'y' });
    retagMp3(at('Three/02 - Beta.mp3'), { TIT2: 'z', TALB: 'y' });
  }, places: { 'Three/01 - Alpha.mp3': A, 'Three/02 - Beta.mp3': B } },
  { what: 'a file replaced by a foreign one with an older time', change: ({ at }) => {
    copyFileSync(join(manifest.dir, (mp3s[9] as ExpectedFile).path), at(A));
    utimesSync(at(A), 1_000_000_000, 1_000_000_000);
  }, places: { [A]: A } },
  { what: 'two files swapped', change: ({ at }) => { renameSync(at(A), at('tmp.mp3')); renameSync(at(D), at(A)); renameSync(at('tmp.mp3'), at(D)); }, places: { [A]: D, [D]: A } },
  { what: 'a file moved over another', change: ({ at }) => renameSync(at(B), at(A)), places: { [A]: B }, lost: [A] },
  { what: 'a file copied beside itself', change: ({ at }) => copyFileSync(at(A), at('One/First/01 - Alpha (1).mp3')), places: { 'One/First/01 - Alpha (1).mp3': null } },
  { what: 'a deleted file', change: ({ at }) => rmSync(at(A)), places: {}, lost: [A] },
  { what: 'a deleted folder', change: ({ at }) => rmSync(at('Two'), { recursive: true }), places: {}, lost: [D, E] },
  { what: 'a link that leads round in a circle', change: ({ at }) => symlinkSync(at('One'), at('One/First/loop')), places: {} },
];

describe.each(['copy', 'reference'] as const)('in %s mode', (mode) => {
  test.each(ROWS)('$what', async ({ change, places, lost = [] }) => {
    const music = await library(mode);
    const before = await music.ids();
    change(music);
    for (const round of [1, 2]) {
      await music.scan();
      const after = await music.ids();
      const old = new Set(Object.values(before));
      for (const [path, was] of Object.entries(places)) {
        if (was === null) expect([round, path, old.has(after[path] as number)]).toEqual([round, path, false]);
        else expect([round, path, after[path]]).toEqual([round, path, before[was]]);
      }
      expect(Object.values(after)).toEqual(expect.arrayContaining([...old])); // no track is ever lost
      expect(Object.keys(after)).toHaveLength(ALL.length + Object.values(places).filter((was) => was === null).length);
      const lostIds = lost.map((path) => before[path] as number);
      await expectKept(music, [...old].filter((id) => !lostIds.includes(id)));
      await expectKept(music, lostIds, mode === 'reference' ? 'missing' : 'available');
    }
  });

  test('a name in another Unicode spelling', async () => {
    const composed = 'Am\u00e9lie.mp3';
    const music = await library(mode, { [composed]: mp3s[0] as ExpectedFile });
    const before = await music.ids();
    renameSync(music.at(composed), music.at('Ame\u0301lie.mp3'));
    for (let round = 0; round < 2; round++) {
      await music.scan();
      expect(await music.ids()).toEqual(before);
      await expectKept(music, Object.values(before));
    }
  });

  test('a deleted file that is restored from a backup', async () => {
    const music = await library(mode);
    const before = await music.ids();
    cpSync(music.folder, `${music.folder}-backup`, { recursive: true, preserveTimestamps: true });
    rmSync(music.at('One'), { recursive: true });
    await music.scan();
    cpSync(join(`${music.folder}-backup`, 'One'), music.at('One'), { recursive: true, preserveTimestamps: true });
    for (let round = 0; round < 2; round++) {
      await music.scan();
      expect(await music.ids()).toEqual(before);
      await expectKept(music, Object.values(before));
    }
  });

  test('an MP3 replaced by a FLAC of the same recording', async () => {
    const flac = manifest.files.find((file) => file.sameAudioAs && file.format === 'flac' && file.tags?.mb?.recording) as ExpectedFile;
    const original = manifest.files.find((file) => file.path === flac.sameAudioAs) as ExpectedFile;
    const from = `song.${original.format}`;
    const music = await library(mode, { [from]: original, 'other.mp3': mp3s[3] as ExpectedFile });
    const before = await music.ids();
    rmSync(music.at(from));
    mkdirSync(music.at('better'));
    copyFileSync(join(manifest.dir, flac.path), music.at('better/song.flac'));
    for (let round = 0; round < 2; round++) {
      await music.scan();
      expect(await music.ids()).toEqual({ 'better/song.flac': before[from], 'other.mp3': before['other.mp3'] });
      expect((await music.track('better/song.flac'))?.format).toBe('flac');
      await expectKept(music, Object.values(before));
    }
  });

  test('two gone tracks with the same audio are not guessed between', async () => {
    const same = mp3s[0] as ExpectedFile;
    const music = await library(mode, { 'a.mp3': same, 'b.mp3': same, 'c.mp3': mp3s[1] as ExpectedFile });
    const before = await music.ids();
    copyFileSync(music.at('a.mp3'), music.at('found.mp3'));
    rmSync(music.at('a.mp3'));
    rmSync(music.at('b.mp3'));
    await music.scan();
    const after = await music.ids();
    expect(Object.values(before)).not.toContain(after['found.mp3']);
    await expectKept(music, [before['a.mp3'] as number, before['b.mp3'] as number], mode === 'reference' ? 'missing' : 'available');
  });

  test('a file that is still being written becomes one track', async () => {
    const music = await library(mode);
    const bytes = readFileSync(join(manifest.dir, (mp3s[8] as ExpectedFile).path));
    writeFileSync(music.at('slow.mp3'), bytes.subarray(0, bytes.length >> 1));
    await music.scan();
    const half = (await music.track('slow.mp3'))?.id;
    writeFileSync(music.at('slow.mp3'), bytes);
    await music.scan();
    const whole = await music.track('slow.mp3');
    expect(whole).toMatchObject({ size_bytes: bytes.length, title: (mp3s[8] as ExpectedFile).tags?.title });
    if (half !== undefined) expect(whole?.id).toBe(half);
    expect(await allTracks(music.server)).toHaveLength(ALL.length + 1);
  });

  test('a deleted track stays deleted when its file is renamed', async () => {
    const music = await library(mode);
    const { [A]: id } = await music.ids();
    expect((await music.server.api(`/tracks/${id}`, { method: 'DELETE' })).status).toBe(204);
    renameSync(music.at(A), music.at('One/First/renamed.mp3'));
    for (let round = 0; round < 2; round++) {
      await music.scan();
      expect(Object.keys(await music.ids())).toHaveLength(ALL.length - 1);
    }
  });

  test('what a person typed stays through a move and a retag', async () => {
    const music = await library(mode);
    const { [A]: id } = await music.ids();
    music.server.app.db.$client.prepare("UPDATE tracks SET metadata_status = 'manual', title = 'Typed' WHERE id = ?").run(id);
    renameSync(music.at(A), music.at('typed.mp3'));
    retagMp3(music.at('typed.mp3'), { TIT2: 'From the file' });
    await music.scan();
    expect(await music.track('typed.mp3')).toMatchObject({ id, title: 'Typed', metadata_status: 'manual' });
  });
});

test('a folder that cannot be listed shields its tracks, also from being taken for moved', { timeout: 60_000 }, async () => {
  const music = await library('reference');
  const before = await music.ids();
  copyFileSync(music.at(D), music.at('copy-of-delta.mp3'));
  // Permissions do not hold for root, so there the scan runs as somebody else.
  const locked = music.at('Two');
  const asRoot = process.getuid?.() === 0;
  if (asRoot) {
    const { spawnSync } = await import('node:child_process');
    const { root } = await import('../support/server.ts');
    await music.server.app.close();
    open.splice(open.indexOf(music.server), 1);
    chmodSync(locked, 0o000);
    const owned = [music.server.dir, ...['tonearm.db', 'tonearm.lock', 'secrets.json', 'library'].map((name) => join(music.server.dir, name))].filter((path) => existsSync(path));
    chmodSync(music.folder, 0o755);
    for (const path of [base, ...owned]) chownSync(path, 65_534, 65_534);
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'server', 'main.ts'), 'scan', music.folder, '--data-dir', music.server.dir], {
      uid: 65_534, gid: 65_534, encoding: 'utf8', env: { ...process.env, HOME: base, LOCAL_MEDIA_IMPORT_MODE: 'reference', NODE_DISABLE_COMPILE_CACHE: '1' },
    });
    chmodSync(locked, 0o755);
    expect([status, stderr.split('\n').filter((line) => line.startsWith('tonearm:'))]).toEqual([0, []]);
    music.server = await startServer({ dir: music.server.dir, env: { LOCAL_MEDIA_IMPORT_PATH: music.folder, LOCAL_MEDIA_IMPORT_MODE: 'reference' } });
    open.push(music.server);
  } else {
    chmodSync(locked, 0o000);
    await music.scan();
    chmodSync(locked, 0o755);
  }
  const tracks = await allTracks(music.server);
  const after = Object.fromEntries(tracks.map((track) => [track.source_id, track.id]));
  expect(after).toMatchObject(before);
  expect(Object.values(before)).not.toContain(after['copy-of-delta.mp3']);
  expect(new Set(tracks.map((track) => track.availability))).toEqual(new Set(['available']));
});
