// Runs small parts of `npm run prove -- analysis-kills`, `artists`, `identity-files`, `identity-table`, `imports`,
// `kills`, `desktop` and `mending`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killAnalyses } from '../prove/analysis-kills.ts';
import { proveNamesakes } from '../prove/artists.ts';
import { killDesktop } from '../prove/desktop.ts';
import { findFileFailures } from '../prove/identity-files.ts';
import { casesOf, playCase, TABLE_ROWS } from '../prove/identity-table.ts';
import { attackInProcess, attackServer, prepareImports } from '../prove/imports.ts';
import { KILLED_ACTIVITIES, killWhile, type Activity } from '../prove/kills.ts';
import { flipStored } from '../prove/mending.ts';
import { seedOfRun } from '../support/test-random.ts';
import { toolOrWarn } from '../support/tools.ts';

const ffmpeg = toolOrWarn('ffmpeg', 'random changes of real files, with kills, are');

test.runIf(ffmpeg)('random changes of real files, with kills, lose nothing', async () => {
  const seed = seedOfRun();
  expect(await findFileFailures(seed, 1, 1, undefined, [seed % 2 === 0 ? 'reference' : 'copy'])).toEqual([]);
});

test.runIf(ffmpeg)('what may become of a file keeps its track in any format, mode and way to scan', async () => {
  const seed = seedOfRun();
  const rows = TABLE_ROWS.filter((_, n) => (n + seed) % 4 === 0);
  const songs = mkdtempSync(join(tmpdir(), 'tonearm-identity-songs-'));
  try {
    const [killCase] = casesOf(seed).filter(({ format, changeWay }) => format !== 'mp3' && changeWay === 'killed');
    expect(killCase && (await playCase(killCase, rows, songs, seed))).toEqual([]);
  } finally {
    rmSync(songs, { recursive: true, force: true });
  }
});

test('writes that were acknowledged before a kill are there after it', async () => {
  const seed = seedOfRun();
  const activity = KILLED_ACTIVITIES[seed % KILLED_ACTIVITIES.length] as Activity;
  expect(await killWhile({ seed, mode: seed % 2 === 0 ? 'copy' : 'reference', activity, kills: 1 })).toEqual([]);
});

test.runIf(process.platform !== 'win32')(
  'a desktop app that is killed leaves nothing behind and loses nothing',
  async () => {
    expect((await killDesktop({ cycles: 3, seed: seedOfRun() })).faults).toEqual([]);
  },
);

test('a byte that changes in what is stored is mended where a good copy is left, and named where none is', async () => {
  expect(await flipStored(seedOfRun(), 3)).toEqual([]);
});

test('what is shown of an artist is never of a namesake', async () => {
  const { wrongAnswers, answerable, answeredCount } = await proveNamesakes(seedOfRun(), 16);
  expect(wrongAnswers).toEqual([]);
  expect(answeredCount).toBe(answerable);
});

test.runIf(ffmpeg && process.platform !== 'win32')(
  'an analysis that is killed begins one track again, and leaves nothing in part',
  async () => {
    expect(await killAnalyses(seedOfRun(), 1)).toEqual([]);
  },
);

test('an export or a backup that somebody changed changes nothing of the server but its music', async () => {
  const stage = await prepareImports(seedOfRun());
  try {
    const { faults, takenCount } = await attackInProcess(stage, seedOfRun(), 60);
    expect(faults).toEqual([]);
    expect(takenCount).toBeGreaterThan(0);
    expect(await attackServer(stage, seedOfRun(), 1)).toEqual([]);
  } finally {
    rmSync(stage.base, { recursive: true, force: true });
  }
});
