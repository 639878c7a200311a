// The identity table without requested scans: files change on disk while the server watches, all rows in parallel, each
// in its own folder.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TrackOut } from '../../server/library/wire.ts';
import type { WatchTiming } from '../../server/watch/music-folder-watch.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { openIdentityLibrary, type IdentityLibrary } from '../support/identity-library.ts';
import { makeSongs, ROWS, type Part, type Songs } from '../support/identity-table.ts';
import type { TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const WATCH_TIMING: Partial<WatchTiming> = {
  quietMs: 1_000,
  maxWaitMs: 600_000,
  holdMs: 600_000,
  folderCheckMs: 1_000,
  scanCheckMs: 10,
};

let base: string;
let songs: Songs;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-identity-'));
  songs = makeSongs(join(base, 'all'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const scansOf = ({ app }: TestServer) =>
  app.jobs.list({ task: 'scan_local_folder' }, { limit: 200, offset: 0 }).items.toReversed();

/** Waits until the watch has begun and its first scan has ended. */
async function watchesAndScanned(server: TestServer): Promise<void> {
  await until(() => server.app.watcher.status().state === 'watching');
  await until(
    () =>
      scansOf(server)
        .map((job) => job.status)
        .join() === 'succeeded',
  );
}

describe.each(['copy', 'reference'] as const)('in %s mode, driven by the watch alone', (mode) => {
  let music: IdentityLibrary;
  let tracks: TrackOut[];
  let marks = 0;

  /** Adds a last file, and waits until it is a track and no scan is queued: then all earlier changes have been seen. */
  async function settle(): Promise<void> {
    const name = `mark ${++marks}.mp3`;
    mkdirSync(join(music.folder, 'zz'), { recursive: true });
    writeFileSync(
      join(music.folder, 'zz', name),
      Buffer.concat([id3([id3Frame('TIT2', utf8Text(name))]), silentMp3(40 + marks)]),
    );
    await until(
      () => music.ids(),
      (ids) => `zz/${name}` in ids,
    );
    await until(() => scansOf(music.server).every((job) => job.finishedAt !== null));
    tracks = await music.tracks();
  }

  const change = (what: 'change' | 'later'): void =>
    ROWS.forEach((row, part) => row[what]?.(music.parts[part] as Part));

  beforeAll(async () => {
    music = await openIdentityLibrary({
      base,
      mode,
      songs,
      rows: ROWS,
      firstScan: watchesAndScanned,
      server: { env: { LOCAL_MEDIA_WATCH: '' }, watchTiming: WATCH_TIMING },
    });
    change('change');
    await settle();
    change('later');
    await settle();
  });
  afterAll(() => music.server.close());

  describe('once', () => {
    test.each(ROWS.map((row, part) => [row.what, part] as const))('%s', async (_title, part) => {
      expect(await music.faultsOf(part, tracks)).toEqual([]);
    });
  });

  describe('twice', () => {
    beforeAll(async () => {
      // changes the folder, but not its music
      for (const { at } of music.parts) writeFileSync(at('picture.jpg'), '');
      await settle();
    });
    test.each(ROWS.map((row, part) => [row.what, part] as const))('%s', async (_title, part) => {
      expect(await music.faultsOf(part, tracks)).toEqual([]);
    });

    test('every scan but the first was of changed folders only, of all at once', () => {
      const [firstScan, ...otherScans] = scansOf(music.server).map(
        ({ payload }) => (payload as { paths?: string[] }).paths,
      );
      expect(firstScan).toBeUndefined();
      expect(otherScans.length).toBeGreaterThanOrEqual(3);
      expect(otherScans.length).toBeLessThanOrEqual(6);
      for (const paths of otherScans) expect(paths?.every((path) => /^(row \d+|zz)/.test(path))).toBe(true);
    });
  });
});
