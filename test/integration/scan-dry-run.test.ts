// A dry run reports exactly what a scan would do, and changes nothing.
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScanResult } from '../../server/scan/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { SourceOut } from '../../server/sources/wire.ts';
import { hashTables, listTree } from '../support/fingerprint-of.ts';
import { openIdentityLibrary, type IdentityLibrary } from '../support/identity-library.ts';
import { makeSongs, ROWS, type Part, type Songs } from '../support/identity-table.ts';
import { runServer } from '../support/process.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';

let base: string;
let songs: Songs;
const open: TestServer[] = [];
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-dry-'));
  songs = makeSongs(join(base, 'all'));
});
afterAll(async () => {
  for (const server of open) await server.close();
  rmSync(base, { recursive: true, force: true });
});

async function scan(server: TestServer, query = ''): Promise<ScanResult> {
  const { body, status } = await server.api<JobOut>(`/sources/local_folder/scan${query}`, { method: 'POST' });
  expect(status).toBe(202);
  await server.app.drain();
  const job = (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body;
  expect([job.status, job.error]).toEqual(['succeeded', null]);
  return job.result;
}

/** Returns everything that a scan could change, except its job. */
const captureState = ({ server, folder }: Pick<IdentityLibrary, 'server' | 'folder'>) => ({
  tables: hashTables(server.app.db.$client, ['jobs', 'sqlite_sequence']),
  storage: listTree(join(server.dir, 'library')),
  music: listTree(folder),
});

const counts = ({
  files,
  added,
  updated,
  moved,
  missing,
  restored,
  unchanged,
  failed_count,
  changing_count,
  failed,
}: ScanResult) => ({
  files,
  added,
  updated,
  moved,
  missing,
  restored,
  unchanged,
  failed_count,
  changing_count,
  failed,
});

const FORESEEN_ROWS = ROWS.filter(({ isFoundLast }) => !isFoundLast);

describe.each(['copy', 'reference'] as const)('in %s mode', (mode) => {
  let music: IdentityLibrary;
  beforeAll(async () => {
    music = await openIdentityLibrary({
      base,
      mode,
      songs,
      rows: FORESEEN_ROWS,
      firstScan: async (server) => void (await scan(server)),
    });
    open.push(music.server);
  });

  test.each(['change', 'later'] as const)(
    'it reports the result of every row of the identity table, and the scan then does the same (%s)',
    async (what) => {
      const { server } = music;
      FORESEEN_ROWS.forEach((row, part) => row[what]?.(music.parts[part] as Part));
      writeFileSync(join(music.folder, 'broken.mp3'), `this is no audio, ${what}`);
      const previousLibrary = captureState(music);
      const tracksBefore = await allTracks(server);
      const dryResult = await scan(server, '?dry_run=true');
      expect(captureState(music)).toEqual(previousLibrary);
      expect(dryResult.dry_run).toBe(true);

      const did = await scan(server);
      expect(counts(dryResult)).toEqual(counts(did));
      expect(did.failed.map((line) => line.source_id)).toEqual(['broken.mp3']);
      const previousTracks = new Map(tracksBefore.map((track) => [track.id, track]));
      const tracks = await allTracks(server);
      const idsWith = (availability: string, then: string) =>
        tracks.filter(
          (track) => track.availability === availability && previousTracks.get(track.id)?.availability === then,
        );
      expect(dryResult.changes?.added.toSorted()).toEqual(
        tracks
          .filter((track) => !previousTracks.has(track.id))
          .map((track) => track.source_id)
          .toSorted(),
      );
      const movedTracks = tracks.flatMap(({ id, source_id: to }) => {
        const from = previousTracks.get(id)?.source_id;
        return from === undefined || from === to || to.startsWith('.overwritten/') ? [] : [`${from} → ${to}`];
      });
      expect(
        dryResult.changes?.moved
          .filter(({ from, to }) => from !== to)
          .map(({ from, to }) => `${from} → ${to}`)
          .toSorted(),
      ).toEqual(movedTracks.toSorted());
      const lostPaths = idsWith('missing', 'available').map(
        (track) => previousTracks.get(track.id)?.source_id as string,
      );
      expect(dryResult.changes?.missing.toSorted()).toEqual(lostPaths.toSorted());
      expect(dryResult.changes?.updated).toHaveLength(did.updated);
      expect(dryResult.changes?.restored).toHaveLength(did.restored);
      expect(did.changes).toBeNull();
    },
  );
});

test('it is not a scan: the last scan stays the last one, and a real one is a separate job', async () => {
  const { server } = (await openOne('reference')) as { server: TestServer };
  const lastScan = async () =>
    (await server.api<SourceOut[]>('/sources')).body.find((source) => source.name === 'local_folder')?.last_scan;
  const firstScan = await lastScan();
  const [dry, secondDryRun, real] = await Promise.all(
    ['?dry_run=true', '?dry_run=1', ''].map((query) =>
      server.api<JobOut>(`/sources/local_folder/scan${query}`, { method: 'POST' }),
    ),
  );
  expect(secondDryRun?.body.id).toBe(dry?.body.id);
  expect(real?.body.id).not.toBe(dry?.body.id);
  await server.app.drain();
  expect(firstScan).toMatchObject({ status: 'succeeded', folders: [''], counts: { added: 1, failed_count: 0 } });
  expect(await lastScan()).toMatchObject({ job_id: real?.body.id, counts: { added: 0, unchanged: 1 } });
});

async function openOne(mode: 'copy' | 'reference') {
  const folder = mkdtempSync(join(base, 'one-'));
  mkdirSync(join(folder, 'Album'));
  copyFileSync(songs.mp3[0] as string, join(folder, 'Album/one.mp3'));
  const server = await startServer({
    dir: mkdtempSync(join(base, 'data-')),
    env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: mode },
  });
  open.push(server);
  await scan(server);
  return { server, folder };
}

test('on the command line it prints each change, leaves unfinished jobs alone, and writes nothing at all', async () => {
  const { server, folder } = await openOne('copy');
  await server.close();
  open.pop();
  renameSync(join(folder, 'Album'), join(folder, 'Renamed'));
  copyFileSync(songs.mp3[1] as string, join(folder, 'Renamed/new.mp3'));
  writeFileSync(join(folder, 'bad\u001b[2J.mp3'), 'no audio');
  const db = new Database(join(server.dir, 'tonearm.db'));
  db.prepare(
    "INSERT INTO jobs (task, payload, status, max_attempts, run_at, created_at) VALUES ('scan_local_folder', '{}', 'queued', 1, 0, 0)",
  ).run();
  const previousState = [hashTables(db), listTree(join(server.dir, 'library'))];
  const { code, stdout, stderr } = await runServer(['scan', '--dry-run', '--data-dir', server.dir, '--import', folder]);
  expect([code, stderr]).toEqual([0, '']);
  expect([hashTables(db), listTree(join(server.dir, 'library'))]).toEqual(previousState);
  db.close();
  expect(
    stdout
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
  ).toEqual([
    'Dry run: 3 files checked, nothing was changed. A scan would find:',
    '1 new',
    'Renamed/new.mp3',
    '0 changed',
    '1 moved',
    'Album/one.mp3 → Renamed/one.mp3',
    '0 missing',
    '0 found again',
    '1 unreadable',
    expect.stringMatching(/^bad\ufffd\[2J\.mp3: /),
    '0 still being written',
    '0 unchanged',
  ]);
});
