// npm run bench -- [suite …] [--json] [--dir DIR]: every hot path against a bound taken in the same run. Exit code 1
// when a goal is missed. For `scan`: --peer mpd lets that program scan the same files, where it is installed. For
// `queries`: --million takes a library of a million tracks too. --libraries DIR keeps the large libraries for the next
// run. `lists` and `opening` drive a browser and run only when they are named; --docs writes what they find into
// docs/lists.md.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toTable, type Measure } from './measure.ts';
import { enrichSuite } from './suites/enrich.ts';
import { idleSuite } from './suites/idle.ts';
import { listsSuite } from './suites/lists.ts';
import { openingSuite } from './suites/opening.ts';
import { queriesSuite } from './suites/queries.ts';
import { rescanSuite } from './suites/rescan.ts';
import { scanSuite } from './suites/scan.ts';
import { startupSuite } from './suites/startup.ts';
import { streamingSuite } from './suites/streaming.ts';
import { subsonicSuite } from './suites/subsonic.ts';

const SUITES: Record<string, (dir: string) => Promise<Measure[]>> = {
  scan: (dir) => scanSuite(dir, { peer: values.peer }),
  streaming: streamingSuite,
  startup: startupSuite,
  rescan: rescanSuite,
  enrich: enrichSuite,
  subsonic: subsonicSuite,
  idle: idleSuite,
  queries: (dir) => queriesSuite(dir, { million: values.million === true, libraries: values.libraries ?? dir }),
  lists: (dir) => listsSuite(dir, { libraries: values.libraries ?? dir, docs: values.docs === true }),
  opening: (dir) => openingSuite(dir, { libraries: values.libraries ?? dir, docs: values.docs === true }),
};
const ONLY_BY_NAME = ['lists', 'opening'];

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'boolean' },
    dir: { type: 'string' },
    million: { type: 'boolean' },
    libraries: { type: 'string' },
    docs: { type: 'boolean' },
    peer: { type: 'string' },
  },
  allowPositionals: true,
});
const names = positionals.length > 0 ? positionals : Object.keys(SUITES).filter((name) => !ONLY_BY_NAME.includes(name));
const unknown = names.filter((name) => !(name in SUITES));
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(', ')}; there are ${Object.keys(SUITES).join(', ')}.`);
  process.exit(2);
}

// Everything is made in one fresh folder and deleted at the end: on ext4, creating files is slow for a minute after
// many were deleted.
const place = values.dir ?? tmpdir();
mkdirSync(place, { recursive: true });
const dir = mkdtempSync(join(place, 'tonearm-bench-'));
const measures: Measure[] = [];
try {
  for (const name of names) {
    console.error(`bench: ${name} …`);
    measures.push(...(await (SUITES[name] as (dir: string) => Promise<Measure[]>)(dir)));
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
console.log(values.json ? JSON.stringify(measures, null, 2) : toTable(measures));
if (measures.some((m) => !m.met)) process.exitCode = 1;
