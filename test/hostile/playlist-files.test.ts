// Playlist files in music folders that somebody made on purpose: no file outside of the music folders is read, and each
// file costs at most itself.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { PlaylistOut, PlaylistPage } from '../../server/playlists/wire.ts';
import type { ScanResult } from '../../server/scan/wire.ts';
import { writeFolderLibrary } from '../support/folder-library.ts';
import { startServer, type TestServer } from '../support/server.ts';

const SECRET = 'private.m3u';

let base: string;
let server: TestServer;
let result: ScanResult;
let playlists: PlaylistOut[];

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-hostile-lists-'));
  const music = join(base, 'music');
  writeFolderLibrary(music);
  const write = (path: string, text: string | Uint8Array): void => {
    mkdirSync(dirname(join(music, path)), { recursive: true });
    writeFileSync(join(music, path), text);
  };
  writeFileSync(join(base, SECRET), 'Mixed/One.flac\n');
  write(
    'escape.m3u',
    `../../etc/passwd\n/etc/passwd\nfile:///etc/passwd\n../${SECRET}\n${'../'.repeat(500)}etc/passwd\n`,
  );
  write('nested.m3u', 'nested.m3u\nescape.m3u\nMixed/One.flac\n');
  write('nul.m3u', 'Mixed/One.flac\0\n\0\0\nMixed\0/Two.flac\n');
  write('line.m3u', `Mixed/One.flac\n${'a/'.repeat(600_000)}\n`);
  write('deep.m3u', `${'a/'.repeat(2_000)}One.flac\nMixed/One.flac\n`);
  write('many.m3u', 'Mixed/One.flac\n'.repeat(50_001));
  write('long.m3u', 'Mixed/One.flac\nno/thing here.flac\n'.repeat(20_000));
  write('large.m3u', new Uint8Array(11 << 20).fill(0x61));
  write(
    'binary.pls',
    Uint8Array.from({ length: 100_000 }, (_, n) => (n * 7919) % 256),
  );
  write(
    'entities.xspf',
    `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><playlist><trackList>${'<track>'.repeat(20_000)}`,
  );
  write('brackets.nsp', '['.repeat(200_000));
  write('depth.nsp', `{"all":[${'{"all":['.repeat(8)}{"is":{"title":"One"}}${']}'.repeat(8)}]}`);
  write('sql.nsp', '{"all":[{"is":{"title":"\') OR 1=1 --"}},{"is":{"id); DROP TABLE tracks;":1}}]}');
  write('comment.nsp', `${'/*'.repeat(100_000)}{"all":[]}`);
  write('names.m3u8', '#EXTM3U\n#PLAYLIST:<img src=x onerror=alert(1)>\u202e\nMixed/One.flac\n');
  write(' .m3u', 'Mixed/One.flac\n');
  write('two\nlines\u0001.m3u', 'Mixed/Two.flac\n');
  symlinkSync(join(base, SECRET), join(music, 'link.m3u'));
  symlinkSync('loop.m3u', join(music, 'loop.m3u'));
  execFileSync('mkfifo', [join(music, 'pipe.m3u')]);
  server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: music, LOCAL_MEDIA_IMPORT_MODE: 'reference' } });
  const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  const job = (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body;
  expect([job.status, job.error]).toEqual(['succeeded', null]);
  ({ result } = job);
  playlists = (await server.api<PlaylistPage>('/playlists')).body.items;
}, 120_000);
afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

const get = async (path: string): Promise<PlaylistOut> => {
  const id = playlists.find(({ file }) => file?.path === path)?.id;
  return (await server.api<PlaylistOut>(`/playlists/${id}`)).body;
};
const titlesOf = ({ entries = [] }: PlaylistOut): string[] => entries.map(({ track }) => track.title);
const reasonOf = (path: string): string | undefined =>
  result.skipped.find(({ source_id }) => source_id === path)?.reason;

test('lines that lead out of the music folders, and lines that name playlists, have no track', async () => {
  const escaping = await get('escape.m3u');
  expect([escaping.track_count, escaping.file?.unmatched_count]).toEqual([0, 5]);
  expect(titlesOf(await get('nested.m3u'))).toEqual(['One']);
  expect(titlesOf(await get('deep.m3u'))).toEqual(['One']);
});

test('links that lead out or loop, and pipes, are not read', () => {
  expect(playlists.map(({ name }) => name)).not.toContain('private');
  expect(reasonOf('link.m3u')).toBe('a link that leads out of the music folder');
  expect(reasonOf('loop.m3u')).toBe('a link that leads to itself');
  expect(reasonOf('pipe.m3u')).toContain('not a file');
});

test('files beyond the limits make no playlist, and say why', () => {
  expect(reasonOf('large.m3u')).toBe('the playlist has more than 10 MB');
  expect(reasonOf('many.m3u')).toContain('more than 50000 tracks');
  expect(reasonOf('line.m3u')).toContain('Line 2: it has more than');
  expect(reasonOf('brackets.nsp')).toContain('nested more than');
  expect(reasonOf('depth.nsp')).toContain('its rules cannot be used');
  expect(reasonOf('comment.nsp')).toContain('cannot be used');
  expect(playlists.map(({ file }) => file?.path)).not.toContain('large.m3u');
});

test('a long list is read completely, and its lines without a track are counted', async () => {
  const { body } = await server.api<PlaylistOut>(
    `/playlists/${playlists.find(({ name }) => name === 'long')?.id}?entries=false`,
  );
  expect([body.track_count, body.file?.unmatched_count, body.unmatched?.length]).toEqual([20_000, 20_000, 1_000]);
});

test('names are one line and not blank', () => {
  const nameOf = (path: string): string | undefined => playlists.find(({ file }) => file?.path === path)?.name;
  expect([nameOf(' .m3u'), nameOf('two\nlines\u0001.m3u')]).toEqual(['Playlist', 'two lines']);
});

test('names and values are only text', async () => {
  expect(titlesOf(await get('nul.m3u'))).toEqual(['One', 'Two']);
  expect((await get('names.m3u8')).name).toContain('<img src=x');
  const sql = await get('sql.nsp');
  expect([sql.track_count, sql.file?.fault?.includes('DROP TABLE')]).toEqual([0, true]);
});
