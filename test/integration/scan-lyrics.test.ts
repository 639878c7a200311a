// Lyrics in tags and files: which are used, and that a scan notices when only the lyrics change.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ScanResult } from '../../server/scan/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { LyricsOut, TrackOut } from '../../server/library/wire.ts';
import { makeLibrary } from '../support/library.ts';
import { openPhone } from '../support/phone.ts';
import { retagMp3 } from '../support/retag.ts';
import { allTracks } from '../support/served-library.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let base: string;
let music: string;
let server: TestServer;

const TRACK_NAMES = ['bare', 'plain', 'timed'] as const;
const tags = (name: string, lyrics: string) => ({
  TIT2: name,
  TPE1: 'Someone',
  ...(lyrics && { TXXX: `LYRICS\0${lyrics}` }),
});

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-lyrics-'));
  const { files } = makeLibrary({ tracks: 3, formats: ['mp3'], art: 'none' }, join(base, 'made'));
  music = join(base, 'music');
  mkdirSync(join(music, 'album'), { recursive: true });
  files.slice(0, 3).forEach((file, n) => {
    const path = join(music, 'album', `${TRACK_NAMES[n]}.mp3`);
    renameSync(join(base, 'made', file.path), path);
    retagMp3(path, tags(TRACK_NAMES[n] as string, ['', 'inside', '[00:01.00]inside'][n] as string));
  });
});
afterEach(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

async function open(mode: string): Promise<void> {
  server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: music, LOCAL_MEDIA_IMPORT_MODE: mode } });
}

async function scan(): Promise<ScanResult> {
  const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  const job = (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body;
  expect([job.status, job.error]).toEqual(['succeeded', null]);
  return job.result;
}

const write = (name: string, text: string): void => writeFileSync(join(music, 'album', name), text);
const track = async (name: string): Promise<TrackOut> =>
  (await allTracks(server)).find((t) => t.source_id.endsWith(`/${name}.mp3`)) as TrackOut;

/** Returns the lyrics as text, with times in front of synced lines; null if there are none. */
async function lyrics(name: string): Promise<string | null> {
  const { id, has_lyrics } = await track(name);
  const { status, body } = await server.api<LyricsOut>(`/tracks/${id}/lyrics`);
  expect(status).toBe(has_lyrics ? 200 : 404);
  if (!has_lyrics) return null;
  expect(body.lines.every((line) => (line.start_ms !== undefined) === body.synced)).toBe(true);
  return body.lines.map(({ start_ms, text }) => (start_ms === undefined ? text : `${start_ms} ${text}`)).join('|');
}

describe.each(['reference', 'copy'])('in %s mode', (mode) => {
  test('lyrics files win, unless only those in the tags are synced', async () => {
    write('bare.lrc', '[00:02.00]beside\n[00:03.50]more');
    write('plain.txt', 'beside');
    write('timed.txt', 'beside');
    write('notes.txt', 'about the recording');
    await open(mode);
    const { added, skipped } = await scan();
    expect(added).toBe(3);
    expect(skipped).toEqual([{ source_id: 'album/notes.txt', reason: 'not audio' }]);
    expect([await lyrics('bare'), await lyrics('plain'), await lyrics('timed')]).toEqual([
      '2000 beside|3500 more',
      'beside',
      '1000 inside',
    ]);
  });

  test('new, changed and removed lyrics are noticed by the next scan, and the track stays the same', async () => {
    await open(mode);
    await scan();
    expect([await lyrics('bare'), await lyrics('plain')]).toEqual([null, 'inside']);
    const { id } = await track('bare');
    await server.api(`/tracks/${id}`, { method: 'PATCH', body: { title: 'By hand' } });

    write('bare.lrc', 'new words');
    expect(await scan()).toMatchObject({ added: 0, updated: 1, moved: 0, missing: 0 });
    expect(await lyrics('bare')).toBe('new words');
    expect(await scan()).toMatchObject({ updated: 0 });

    write('bare.lrc', 'other, longer words');
    expect(await scan()).toMatchObject({ updated: 1 });
    expect(await lyrics('bare')).toBe('other, longer words');

    write('bare.txt', 'not these');
    expect(await scan()).toMatchObject({ updated: 0 });
    rmSync(join(music, 'album', 'bare.lrc'));
    await scan();
    expect(await lyrics('bare')).toBe('not these');
    rmSync(join(music, 'album', 'bare.txt'));
    await scan();
    expect(await lyrics('bare')).toBeNull();
    expect(await track('bare')).toMatchObject({ id, title: 'By hand' });
    expect([await lyrics('plain'), await lyrics('timed')]).toEqual(['inside', '1000 inside']);
    expect(await scan()).toMatchObject({ added: 0, updated: 0 });
  });

  test('a moved folder keeps its lyrics', async () => {
    write('bare.lrc', 'beside');
    await open(mode);
    await scan();
    renameSync(join(music, 'album'), join(music, 'moved'));
    expect(await scan()).toMatchObject({ moved: 3, added: 0 });
    expect(await lyrics('bare')).toBe('beside');
    expect(await scan()).toMatchObject({ moved: 0, updated: 0 });
    writeFileSync(join(music, 'moved', 'bare.lrc'), 'changed there');
    await scan();
    expect(await lyrics('bare')).toBe('changed there');
  });

  test('a track that was deleted does not come back for new lyrics', async () => {
    await open(mode);
    await scan();
    const { id } = await track('bare');
    await server.api(`/tracks/${id}`, { method: 'DELETE' });
    write('bare.lrc', 'beside');
    expect(await scan()).toMatchObject({ added: 0 });
    expect((await server.api(`/tracks/${id}/lyrics`)).status).toBe(404);
  });
});

test('subtitles and YAML beside a file are its lyrics, and background voices are marked', async () => {
  write('bare.srt', '1\n00:00:02,000 --> 00:00:03,000\nsubtitle\n');
  write('plain.yaml', 'lines:\n- text: from yaml\n  start_ms: 1500\n');
  write('timed.lrc', '[00:01.00]<00:01.00>Low <00:01.50>water\n[bg:<00:01.60>(low <00:01.80>water)]');
  await open('reference');
  await scan();
  expect([await lyrics('bare'), await lyrics('plain')]).toEqual(['2000 subtitle', '1500 from yaml']);
  const { id } = await track('timed');
  const { body } = await server.api<LyricsOut>(`/tracks/${id}/lyrics`);
  expect(body.lines.map(({ text, background }) => [text, background])).toEqual([
    ['Low water', undefined],
    ['(low water)', true],
  ]);
  const phone = await openPhone(server);
  const { structuredLyrics } = await phone.ask<{ structuredLyrics: Record<string, unknown>[] }>(
    'getLyricsBySongId',
    { id: `tr-${id}`, enhanced: true },
    'lyricsList',
  );
  expect(structuredLyrics).toEqual([
    expect.objectContaining({
      agents: [
        { id: 'main', role: 'main' },
        { id: 'background', role: 'bg' },
      ],
      cueLine: [
        expect.objectContaining({ index: 0, agentId: 'main', value: 'Low water' }),
        expect.objectContaining({ index: 1, agentId: 'background', value: '(low water)' }),
      ],
    }),
  ]);
});

test('everybody signed in reads lyrics, and a track without them says so', async () => {
  await open('reference');
  await scan();
  const token = await registerUser(server);
  const [bareTrack, timedTrack] = [await track('bare'), await track('timed')];
  expect(await server.api(`/tracks/${timedTrack.id}/lyrics`, { token })).toMatchObject({
    status: 200,
    body: { synced: true, lines: [{ start_ms: 1000, text: 'inside' }] },
  });
  expect(await server.api(`/tracks/${bareTrack.id}/lyrics`, { token })).toMatchObject({
    status: 404,
    body: { detail: `Track ${bareTrack.id} has no lyrics.` },
  });
  expect((await server.api(`/tracks/${timedTrack.id}/lyrics`, { token: null })).status).toBe(401);
});
