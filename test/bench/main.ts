// npm run bench -- [suite …] [--json] [--dir DIR]: measures every hot path against a bound of the same run, and prints
// each suite when it ends. Exits with 1 if a goal is missed or a suite fails; the other suites still run. --libraries DIR
// keeps the large libraries and the built programs for the next run. --rounds N repeats each suite, and prints medians
// with the spread of the ratios. Options of suites:
// - queries: --million adds a library of a million tracks, --sizes N,N,… sets the sizes; --docs draws docs/queries.svg
// - interaction, lists and opening control a browser; --docs writes their results into docs/lists.md
// - soak: --minutes N sets the duration, --docs draws docs/soak.svg
// - peers: --files N --rounds N; --docs writes docs/peers.md; --seconds N sets the length of tracks; --cold
// - ear (accuracy of the analysis) and likeness (similarity of recorded music): --python PROGRAM
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine } from './machine.ts';
import { medians, tableHead, toRows, type Measure } from './measure.ts';
import { endProducts } from './product.ts';
import { backupSuite } from './suites/backup.ts';
import { changesSuite } from './suites/changes.ts';
import { earSuite } from './suites/ear.ts';
import { enrichSuite } from './suites/enrich.ts';
import { hostileSuite } from './suites/hostile.ts';
import { idleSuite } from './suites/idle.ts';
import { interactionSuite } from './suites/interaction.ts';
import { likenessSuite } from './suites/likeness.ts';
import { listsSuite } from './suites/lists.ts';
import { manySuite } from './suites/many.ts';
import { openingSuite } from './suites/opening.ts';
import { peersSuite } from './suites/peers.ts';
import { phonesSuite } from './suites/phones.ts';
import { queriesSuite } from './suites/queries.ts';
import { radioSuite } from './suites/radio.ts';
import { rescanSuite } from './suites/rescan.ts';
import { scanSuite } from './suites/scan.ts';
import { soakSuite } from './suites/soak.ts';
import { startupSuite } from './suites/startup.ts';
import { storeSuite } from './suites/store.ts';
import { streamingSuite } from './suites/streaming.ts';
import { subsonicSuite } from './suites/subsonic.ts';
import { transcodeSuite } from './suites/transcode.ts';

const BENCH_SUITES: Record<string, (dir: string) => Promise<Measure[]>> = {
  scan: scanSuite,
  streaming: streamingSuite,
  transcode: transcodeSuite,
  store: storeSuite,
  startup: startupSuite,
  rescan: rescanSuite,
  changes: changesSuite,
  enrich: enrichSuite,
  subsonic: subsonicSuite,
  idle: idleSuite,
  hostile: hostileSuite,
  many: manySuite,
  soak: (dir) => soakSuite(dir, { minutes: Number(values.minutes), docs: values.docs === true }),
  backup: backupSuite,
  ear: (dir) =>
    earSuite(dir, {
      files: Math.min(500, Number(values.files)),
      python: values.python,
    }),
  likeness: (dir) => likenessSuite(dir, { python: values.python, packages: values.libraries ?? join(dir, 'packages') }),
  radio: (dir) => radioSuite(dir, { libraries: values.libraries ?? dir }),
  peers: (dir) =>
    peersSuite(dir, {
      files: Number(values.files),
      seconds: values.seconds,
      cold: values.cold === true,
      rounds: Number(values.rounds),
      builds: values.libraries ?? join(tmpdir(), 'tonearm-bench-peers'),
      docs: values.docs === true,
    }),
  phones: (dir) =>
    phonesSuite(dir, {
      files: Number(values.files),
      rounds: Number(values.rounds),
      builds: values.libraries ?? join(tmpdir(), 'tonearm-bench-peers'),
    }),
  queries: (dir) =>
    queriesSuite(dir, {
      sizes: (values.sizes ?? (values.million ? '100000,1000000' : '100000')).split(',').map(Number),
      libraries: values.libraries ?? dir,
      docs: values.docs === true,
    }),
  lists: (dir) => listsSuite(dir, { libraries: values.libraries ?? dir, docs: values.docs === true }),
  interaction: (dir) => interactionSuite(dir, { libraries: values.libraries ?? dir, docs: values.docs === true }),
  opening: (dir) => openingSuite(dir, { libraries: values.libraries ?? dir, docs: values.docs === true }),
};
interface Report {
  machine: string;
  /** `load` is the load average of the minute before the suite began. */
  suites: { name: string; load: number; measures: Measure[]; error?: string }[];
}
const ONLY_BY_NAME = [
  'backup',
  'changes',
  'ear',
  'interaction',
  'likeness',
  'lists',
  'many',
  'opening',
  'peers',
  'phones',
  'radio',
  'soak',
  'store',
];
/** These suites run all programs in turn in each round, so they count their rounds themselves. */
const OWN_ROUNDS = ['peers', 'phones'];

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'boolean' },
    dir: { type: 'string' },
    million: { type: 'boolean' },
    sizes: { type: 'string' },
    libraries: { type: 'string' },
    docs: { type: 'boolean' },
    python: { type: 'string', default: 'python3' },
    seconds: { type: 'string' },
    cold: { type: 'boolean' },
    minutes: { type: 'string', default: '15' },
    files: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '1' },
  },
  allowPositionals: true,
});
const names =
  positionals.length > 0 ? positionals : Object.keys(BENCH_SUITES).filter((name) => !ONLY_BY_NAME.includes(name));
const unknown = names.filter((name) => !(name in BENCH_SUITES));
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(', ')}; there are ${Object.keys(BENCH_SUITES).join(', ')}.`);
  process.exit(2);
}

// All files are created in one fresh folder that is deleted at the end: on ext4, creating files is slow for a minute
// after many were deleted.
const parentDir = values.dir ?? tmpdir();
mkdirSync(parentDir, { recursive: true });
const dir = mkdtempSync(join(parentDir, 'tonearm-bench-'));
const report: Report = { machine: describeMachine(dir), suites: [] };
const print = (text: string): void => {
  if (!values.json) console.log(text);
};
print(`${report.machine}\n\n${tableHead}`);
try {
  for (const name of names) {
    const load = loadavg()[0] ?? 0;
    console.error(`bench: ${name}, at a load of ${load.toFixed(1)} …`);
    try {
      const measures = await inRounds(name);
      report.suites.push({ name, load, measures });
      print(toRows(measures));
    } catch (error) {
      report.suites.push({ name, load, measures: [], error: String(error) });
      console.error(`bench: ${name} failed:`, error);
      await endProducts();
    }
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}

async function inRounds(name: string): Promise<Measure[]> {
  const suite = BENCH_SUITES[name] as (dir: string) => Promise<Measure[]>;
  const rounds: Measure[][] = [];
  for (let round = 0; round < (OWN_ROUNDS.includes(name) ? 1 : Number(values.rounds)); round++) {
    const roundDir = join(dir, `${name}-${round}`);
    mkdirSync(roundDir);
    rounds.push(await suite(roundDir));
  }
  return medians(rounds);
}

const failedSuites = report.suites.filter((suite) => suite.error !== undefined);
if (values.json) console.log(JSON.stringify(report, null, 2));
print(`\nLoad before each suite: ${report.suites.map(({ name, load }) => `${name} ${load.toFixed(1)}`).join(', ')}.`);
if (failedSuites.length > 0) console.error(`bench: failed: ${failedSuites.map(({ name }) => name).join(', ')}.`);
if (failedSuites.length > 0 || report.suites.some(({ measures }) => measures.some((m) => !m.met))) process.exitCode = 1;
