// Compares Tonearm with other servers: each runs alone, from an empty folder, on the same files. Missing programs are
// reported. Runs only when named; --rounds N takes medians, --docs writes docs/peers.md and docs/peers.json. --seconds
// N sets the length of the tracks and measures only scans; --cold empties the system's file cache before each scan.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeMachine } from '../machine.ts';
import { measure, median, type Measure } from '../measure.ts';
import { gonic, navidrome } from '../peers/go-servers.ts';
import { minidlna } from '../peers/minidlna.ts';
import { mpd } from '../peers/mpd.ts';
import { endPeers, type Peer, type Subsonic } from '../peers/peer.ts';
import { tonearm } from '../peers/tonearm.ts';
import { root } from '../product.ts';
import { openQuietClient } from '../quiet-client.ts';
import { makeSettledLibrary } from '../settled-library.ts';

const REST_MS = Number(process.env['BENCH_REST_MS'] ?? 20_000);
const COVER_COUNT = 40;
const ROUNDS_OF_A_LIST = 60;
const STREAMS_AT_ONCE = 4;
const STREAMS_OF_EACH = 6;
const LONG_MB = 50;
const LONG_NAME = 'Fiftymegabytes';
/** Maximum load average before the first program starts. */
const MAX_LOAD_AVERAGE = 1;
const BUSY_NOTE = `**The machine was busy with other work:** only processor time and memory can be compared, and times and rates wait for
a quiet machine.`;

/** The rows of the table: label and number format. */
const TABLE_ROWS = {
  firstScanS: 'first scan, s',
  filesPerS: '… files/s',
  scanCpuMs: '… processor time per file, ms',
  quietCpuMs: '… per file until all is quiet, ms',
  scanPeakMb: '… peak RSS, MB',
  rescanMs: 'rescan, nothing changed, ms',
  rescanCpuMs: '… processor time, ms',
  startMs: 'start to first answer, ms',
  restMb: `RSS ${REST_MS / 1000} s after a start, MB`,
  newest50: 'newest 50 albums, p50 ms',
  newest50P99: '… p99 ms',
  newest500: 'newest 500 albums, p50 ms',
  newest500P99: '… p99 ms',
  byName500: '500 albums by name, p50 ms',
  byName500P99: '… p99 ms',
  word: 'search a word, 20 of each, p50 ms',
  wordP99: '… p99 ms',
  all500: 'search everything, 500 songs, p50 ms',
  all500P99: '… p99 ms',
  artists: 'all artists, p50 ms',
  artistsP99: '… p99 ms',
  album: 'an album, p50 ms',
  albumP99: '… p99 ms',
  random500: '500 random songs, p50 ms',
  random500P99: '… p99 ms',
  coverCold: 'cover 300, drawn for the first time, p50 ms',
  coverColdCpu: '… processor time, ms',
  coverWarm: 'cover 300 again, p50 ms',
  streamMbPerS: `stream of ${LONG_MB} MB, MB/s`,
  streamsMbPerS: `… ${STREAMS_AT_ONCE} at once, MB/s`,
  usedMb: 'RSS after all requests, MB',
} as const;
type Row = keyof typeof TABLE_ROWS;
type Figures = Partial<Record<Row, number>>;
const MORE_IS_BETTER: Row[] = ['filesPerS', 'streamMbPerS', 'streamsMbPerS'];

const COMPARED_LISTS: [Row, Row, string][] = [
  ['newest50', 'newest50P99', 'getAlbumList2?type=newest&size=50'],
  ['newest500', 'newest500P99', 'getAlbumList2?type=newest&size=500'],
  ['byName500', 'byName500P99', 'getAlbumList2?type=alphabeticalByName&size=500'],
  ['word', 'wordP99', 'search3?query=moon&artistCount=20&albumCount=20&songCount=20'],
  ['all500', 'all500P99', 'search3?query=&artistCount=0&albumCount=0&songCount=500'],
  ['artists', 'artistsP99', 'getArtists?'],
  ['random500', 'random500P99', 'getRandomSongs?size=500'],
];

interface Column {
  peer: Peer;
  /** The figures of each round. */
  runs: Figures[];
}

interface PeersOptions {
  files: number;
  /** Length of each track; undefined for small files. */
  seconds: string | undefined;
  /** Whether the system's file cache is emptied before each scan, which only root can do. */
  cold: boolean;
  rounds: number;
  builds: string;
  docs: boolean;
}

export async function peersSuite(
  dir: string,
  { files, seconds, cold, rounds, builds, docs }: PeersOptions,
): Promise<Measure[]> {
  const load = loadavg()[0] ?? 0;
  const { columns, missing: missingPeers } = peersHere(builds);
  const music = join(dir, 'music');
  const madeLibrary = makeSettledLibrary(
    { tracks: files, seed: 'peers', art: 'mixed', ...(seconds && { seconds }) },
    music,
  );
  const onlyScans = seconds !== undefined;
  if (!onlyScans) writeLongFile(music);
  const beforeScan = cold ? emptyFileCache : () => undefined;
  for (let round = 0; round < rounds; round++)
    for (const { peer, runs } of columns) {
      console.error(`peers: ${peer.name}, round ${round + 1} …`);
      const peerDir = join(dir, `peer-${round}-${columns.findIndex((column) => column.peer === peer)}`);
      mkdirSync(peerDir);
      try {
        runs.push(
          await figuresOf(peer, { music, dir: peerDir }, { files: madeLibrary.files.length, onlyScans, beforeScan }),
        );
      } finally {
        await endPeers();
        if (onlyScans) rmSync(peerDir, { recursive: true, force: true }); // few files are deleted fast
      }
      console.error(`peers: ${JSON.stringify(runs.at(-1), (_, value: unknown) => roundValue(value))}`);
    }
  const report = {
    machine: describeMachine(dir),
    load,
    files: madeLibrary.files.length,
    bytes: madeLibrary.files.reduce((sum, { size }) => sum + size, 0),
    rounds,
    missing: missingPeers,
    collection: [seconds && `tracks of ${seconds} seconds`, cold && 'the cache of files emptied before each scan']
      .filter(Boolean)
      .join(', '),
    peers: columns.map(({ peer, runs }) => ({ name: peer.name, version: peer.version, runs })),
  };
  const text = tableOf(columns, report);
  console.error(`\n${text}`);
  if (docs) {
    const name = ['peers', seconds && 'large-files', cold && 'cold'].filter(Boolean).join('-');
    writeFileSync(join(root, 'docs', `${name}.md`), text.replaceAll('peers.json', `${name}.json`));
    writeFileSync(
      join(root, 'docs', `${name}.json`),
      `${JSON.stringify(report, (_, value: unknown) => roundValue(value), 2)}\n`,
    );
  }
  return goals(columns);
}

/** Returns the programs that are installed or can be built, and why others are missing. */
export function peersHere(builds: string): { columns: Column[]; missing: string[] } {
  const missingNames: string[] = [];
  const otherPeers: [string, () => Peer][] = [
    ['Navidrome', () => navidrome(builds)],
    ['gonic', () => gonic(builds)],
    ['MPD', mpd],
    ['MiniDLNA', minidlna],
  ];
  const installedPeers = otherPeers.flatMap(([name, open]) => {
    try {
      return [open()];
    } catch (error) {
      missingNames.push(name);
      console.error(`peers: ${name} IS MISSING: ${String(error)}`);
      return [];
    }
  });
  return {
    columns: [tonearm('copy'), tonearm('reference'), ...installedPeers].map((peer) => ({ peer, runs: [] })),
    missing: missingNames,
  };
}

/** Empties the system's file cache. */
function emptyFileCache(): void {
  execFileSync('sync');
  writeFileSync('/proc/sys/vm/drop_caches', '3');
}

async function figuresOf(
  peer: Peer,
  place: { music: string; dir: string },
  { files, onlyScans, beforeScan }: { files: number; onlyScans: boolean; beforeScan: () => void },
): Promise<Figures> {
  beforeScan();
  const firstRun = await peer.start(place);
  const cpuBefore = firstRun.firstScan ? 0 : firstRun.meter.cpuMs();
  const startedAt = performance.now() - (firstRun.firstScan ? firstRun.startMs : 0);
  firstRun.meter.peakRssMb();
  const fileCount = await (firstRun.firstScan ?? firstRun.scan)?.();
  const scanMs = performance.now() - startedAt;
  const scanCpuMs = (firstRun.meter.cpuMs() - cpuBefore) / files;
  const scanPeakMb = firstRun.meter.peakRssMb();
  // MiniDLNA does not support every format
  if (fileCount === undefined || fileCount < files * 0.9)
    throw new Error(`${peer.name} found ${fileCount} of ${files} files`);
  await firstRun.meter.waitUntilQuiet();
  const figures: Figures = {
    firstScanS: scanMs / 1000,
    filesPerS: (files / scanMs) * 1000,
    scanCpuMs,
    quietCpuMs: (firstRun.meter.cpuMs() - cpuBefore) / files,
    scanPeakMb,
  };
  if (firstRun.scan) {
    beforeScan();
    const cpuBefore = firstRun.meter.cpuMs();
    const rescannedAt = performance.now();
    await firstRun.scan();
    figures.rescanMs = performance.now() - rescannedAt;
    figures.rescanCpuMs = firstRun.meter.cpuMs() - cpuBefore;
  }
  await firstRun.stop();
  if (onlyScans) return figures;

  const secondRun = await peer.start(place);
  figures.startMs = secondRun.startMs;
  await sleep(REST_MS);
  figures.restMb = secondRun.meter.rssMb();
  if (secondRun.subsonic) {
    await measureRequests(secondRun.subsonic, secondRun.meter, figures);
    figures.usedMb = secondRun.meter.rssMb();
  }
  await secondRun.stop();
  return figures;
}

/** Sends the requests of a phone, and measures them. */
async function measureRequests(subsonic: Subsonic, meter: { cpuMs(): number }, figures: Figures): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: STREAMS_AT_ONCE });
  const client = (path: string) => `${subsonic.url}/rest/${path}&${subsonic.credentials}`;
  const quietClient = await openQuietClient(subsonic.url);
  const measureTimes = async (paths: string[]): Promise<number[]> => {
    const times: number[] = [];
    for (const path of paths) times.push(await quietClient.timeRequest(`/rest/${path}&${subsonic.credentials}`));
    return times.toSorted((a, b) => a - b);
  };
  const p99 = (times: number[]): number => times[Math.floor(times.length * 0.99)] ?? Number.NaN;

  const json = async <T>(path: string): Promise<T> =>
    ((await (await fetch(client(path))).json()) as { 'subsonic-response': T })['subsonic-response'];
  const { albumList2 } = await json<{ albumList2: { album: { id: string; coverArt?: string }[] } }>(
    'getAlbumList2?type=alphabeticalByName&size=500',
  );
  for (const [p50Row, p99Row, path] of COMPARED_LISTS) {
    await measureTimes(Array.from({ length: 3 }, () => path));
    const times = await measureTimes(Array.from({ length: ROUNDS_OF_A_LIST }, () => path));
    figures[p50Row] = median(times);
    figures[p99Row] = p99(times);
  }
  const albums = await measureTimes(albumList2.album.slice(0, 200).map(({ id }) => `getAlbum?id=${id}`));
  figures.album = median(albums);
  figures.albumP99 = p99(albums);
  const covers = albumList2.album.flatMap(({ coverArt }) => coverArt ?? []).slice(0, COVER_COUNT);
  const paths = covers.map((id) => `getCoverArt?id=${encodeURIComponent(id)}&size=300`);
  const cpu = meter.cpuMs();
  figures.coverCold = median(await measureTimes(paths));
  figures.coverColdCpu = (meter.cpuMs() - cpu) / paths.length;
  figures.coverWarm = median(await measureTimes(paths));

  const { searchResult3 } = await json<{ searchResult3: { song?: { id: string }[] } }>(
    `search3?query=${LONG_NAME}&songCount=1&albumCount=0&artistCount=0`,
  );
  const longSong = searchResult3.song?.[0];
  if (longSong) {
    const stream = (): Promise<number> => measureBytes(client(`stream?id=${longSong.id}&format=raw`), agent);
    figures.streamMbPerS = await throughput(1, stream);
    figures.streamsMbPerS = await throughput(STREAMS_AT_ONCE, stream);
  }
  quietClient.close();
  agent.destroy();
}

/** Returns the MB/s of all streams together. */
async function throughput(atOnce: number, stream: () => Promise<number>): Promise<number> {
  await stream(); // the first stream reads the file from disk into memory
  const startedAt = performance.now();
  let bytes = 0;
  const several = async (): Promise<void> => {
    for (let n = 0; n < STREAMS_OF_EACH; n++) bytes += await stream();
  };
  await Promise.all(Array.from({ length: atOnce }, several));
  return bytes / 1e6 / ((performance.now() - startedAt) / 1000);
}

/** Writes silence as one large file. */
function writeLongFile(music: string): void {
  const data = LONG_MB * 1_000_000;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + data, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20); // format 1: PCM
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(44_100, 24);
  header.writeUInt32LE(176_400, 28);
  header.writeUInt16LE(4, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(data, 40);
  mkdirSync(join(music, LONG_NAME));
  writeFileSync(join(music, LONG_NAME, `${LONG_NAME}.wav`), Buffer.concat([header, Buffer.alloc(data)]));
}

/** Returns the size of the response in bytes. Compression is off, so that no server spends time on it. */
const measureBytes = (address: string, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    get(address, { agent }, (response) => {
      let bytes = 0;
      response
        .on('data', (chunk: Buffer) => (bytes += chunk.length))
        .on('end', () =>
          response.statusCode === 200 ? resolve(bytes) : reject(new Error(`${address}: ${response.statusCode}`)),
        );
    }).on('error', reject);
  });

const middle = ({ runs }: Column, row: Row): number | undefined => {
  const values = runs.flatMap((run) => run[row] ?? []);
  return values.length === 0 ? undefined : median(values);
};

function tableOf(
  columns: Column[],
  report: {
    machine: string;
    files: number;
    bytes: number;
    collection: string;
    missing: string[];
    rounds: number;
    load: number;
  },
): string {
  const date = new Date().toISOString().slice(0, 10);
  const measuredRows = (Object.keys(TABLE_ROWS) as Row[]).filter((row) =>
    columns.some((column) => middle(column, row)),
  );
  const rows = measuredRows.map((row) => {
    const bestValue = bestOf(columns, row);
    const cells = columns.map((column) => cellOf(column, row, bestValue));
    return `| ${TABLE_ROWS[row]} | ${cells.join(' | ')} |`;
  });
  const head = columns.map(({ peer }) => [peer.name, peer.version].filter((part) => part !== '').join(' '));
  return [
    '# Beside other servers',
    '',
    `\`npm run bench -- peers\`: ${report.files.toLocaleString('en')} files, ${Math.round(report.bytes / 1e6)} MB, each program alone and from an`,
    `empty folder${report.collection && `; ${report.collection}`}. Median of ${report.rounds} ${report.rounds === 1 ? 'run' : 'runs, and their spread'}; the best is bold. Raw figures: [peers.json](peers.json).`,
    '',
    `${report.machine}. ${date}, Tonearm ${revision()}.`,
    ...(report.load > MAX_LOAD_AVERAGE ? ['', BUSY_NOTE] : []),
    ...(report.missing.length > 0 ? ['', `**Missing here: ${report.missing.join(', ')}.**`] : []),
    '',
    `| | ${head.join(' | ')} |`,
    `|---|${columns.map(() => '---').join('|')}|`,
    ...rows,
    '',
  ].join('\n');
}

function bestOf(columns: Column[], row: Row): number | undefined {
  const values = columns.flatMap((column) => middle(column, row) ?? []);
  if (values.length === 0) return undefined;
  return MORE_IS_BETTER.includes(row) ? Math.max(...values) : Math.min(...values);
}

function cellOf(column: Column, row: Row, bestValue: number | undefined): string {
  const value = middle(column, row);
  if (value === undefined) return '–';
  const allValues = column.runs.flatMap((run) => run[row] ?? []);
  const spread =
    allValues.length > 1 ? ` (${formatValue(Math.min(...allValues))}–${formatValue(Math.max(...allValues))})` : '';
  return `${value === bestValue ? `**${formatValue(value)}**` : formatValue(value)}${spread}`;
}

const formatValue = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(value >= 10 ? 3 : 2);
const roundValue = (value: unknown): unknown => (typeof value === 'number' ? Math.round(value * 1000) / 1000 : value);
const revision = (): string =>
  execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();

/** Compares Tonearm with those of the other programs that were measured. */
function goals(columns: Column[]): Measure[] {
  const findColumn = (name: string): Column | undefined => columns.find(({ peer }) => peer.name === name);
  const row = (
    mode: string,
    comparedColumns: (Column | undefined)[],
    rowName: Row,
    op: '>=' | '<=',
    value: number,
  ): Measure[] => {
    const tonearm = findColumn(`Tonearm, ${mode}`);
    const product = tonearm && middle(tonearm, rowName);
    const best = bestOf(
      comparedColumns.flatMap((column) => column ?? []),
      rowName,
    );
    if (product === undefined || best === undefined) return [];
    const names = comparedColumns.flatMap((column) => column?.peer.name ?? []).join(', ');
    return [
      measure({
        suite: 'peers',
        name: `${TABLE_ROWS[rowName]}, ${mode}`,
        unit: '',
        product,
        bound: { name: names, value: best },
        goal: { op, value },
      }),
    ];
  };
  const [mpdColumn, navidromeColumn] = [[findColumn('MPD')], [findColumn('Navidrome')]];
  const servers = [findColumn('Navidrome'), findColumn('gonic')];
  return [
    ...row('reference', mpdColumn, 'scanCpuMs', '<=', 1),
    ...row('reference', mpdColumn, 'filesPerS', '>=', 1.5),
    ...row('copy', mpdColumn, 'filesPerS', '>=', 1.2),
    ...row('reference', mpdColumn, 'rescanMs', '<=', 0.83),
    ...row('reference', navidromeColumn, 'coverCold', '<=', 1),
    ...row('reference', navidromeColumn, 'streamMbPerS', '>=', 1.2),
    ...COMPARED_LISTS.flatMap(([p50, p99]) => [
      ...row('reference', servers, p50, '<=', 0.5),
      ...row('reference', servers, p99, '<=', 0.5),
    ]),
    ...row('reference', servers, 'album', '<=', 0.5),
  ];
}
