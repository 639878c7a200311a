// Sends the same mix of requests for minutes: eight phones and pages that list, search, display covers, stream,
// transcode, play and like, with a scan every 90 s, to find memory that grows and requests that slow down with time.
// The load of the machine changes meanwhile, so the server's processor time per request is measured beside the
// throughput. Runs only when named; --minutes N, --docs draws docs/soak.svg.
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../support/test-random.ts';
import { measure, median, type Measure } from '../measure.ts';
import { processorMs, root, startProduct, type Product } from '../product.ts';
import { makeSettledLibrary } from '../settled-library.ts';

const TRACK_COUNT = Number(process.env['BENCH_TRACKS'] ?? 20_000);
const CLIENT_COUNT = 8;
const SLICE_MS = 30_000;
const SCAN_EVERY_MS = 90_000;
const REST_MS = 60_000;
const SEARCH_WORDS = ['love', 'night', 'the', 'moon', 'blue', 'river', 'dream', 'fire', 'a', 'time'];

interface Slice {
  requests: number;
  p50: number;
  p99: number;
  cpuMsPerRequest: number;
  rss: number;
  heapMb: number;
  externalMb: number;
  threads: number;
  handles: number;
  databaseMb: number;
}

type Ask = (path: string, init?: RequestInit) => Promise<void>;

export async function soakSuite(
  dir: string,
  { minutes, docs }: { minutes: number; docs: boolean },
): Promise<Measure[]> {
  const music = join(dir, 'music');
  makeSettledLibrary({ tracks: TRACK_COUNT, seed: 'soak' }, music);
  const dataDir = join(dir, 'soak');
  const product = await startProduct(dataDir, {
    LOCAL_MEDIA_IMPORT_PATH: music,
    LOCAL_MEDIA_IMPORT_MODE: 'reference',
    ANALYSIS_ENABLED: 'false', // the analysis would run for hours and use memory
  });
  await product.scan();
  await sleep(REST_MS / 3);
  const atStart = product.rss();

  const slices: Slice[] = [];
  const endsAt = performance.now() + minutes * 60_000;
  let times: number[] = [];
  let nextScanAt = performance.now() + SCAN_EVERY_MS / 3;
  const sendRequest: Ask = async (path, init = {}) => {
    const startedAt = performance.now();
    const response = await fetch(`${product.url}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${product.token}`, 'Content-Type': 'application/json' },
    });
    for await (const _ of response.body ?? []);
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    times.push(performance.now() - startedAt);
  };
  const client = async (seed: number): Promise<void> => {
    const nextRequest = mix(seededRandom(seed));
    while (performance.now() < endsAt) await nextRequest(sendRequest);
  };
  const scans = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      await sleep(1_000);
      if (performance.now() < nextScanAt) continue;
      nextScanAt += SCAN_EVERY_MS;
      await product.api('/sources/local_folder/scan', 'POST');
    }
  };
  const watch = async (): Promise<void> => {
    let cpu = processorMs(product.pid);
    while (performance.now() + SLICE_MS <= endsAt + 1_000) {
      await sleep(SLICE_MS);
      const sortedTimes = times.toSorted((a, b) => a - b);
      times = [];
      const usedProcessorMs = processorMs(product.pid);
      slices.push({
        requests: sortedTimes.length,
        p50: sortedTimes[sortedTimes.length >> 1] ?? 0,
        p99: sortedTimes[Math.floor(sortedTimes.length * 0.99)] ?? 0,
        cpuMsPerRequest: (usedProcessorMs - cpu) / sortedTimes.length,
        rss: product.rss(),
        ...(await heapOf(product)),
        threads: readdirSync(`/proc/${product.pid}/task`).length,
        handles: readdirSync(`/proc/${product.pid}/fd`).length,
        databaseMb: databaseMb(dataDir),
      });
      cpu = usedProcessorMs;
      console.error(`soak: ${JSON.stringify(slices.at(-1), (_, value: unknown) => roundValue(value))}`);
    }
  };
  await Promise.all([...Array.from({ length: CLIENT_COUNT }, (_, n) => client(n + 1)), scans(), watch()]);
  await sleep(REST_MS);
  const rssAfter = product.rss();
  await product.stop();
  if (docs) writeFileSync(join(root, 'docs', 'soak.svg'), draw(slices));

  const [firstSlices, lastSlices] = [slices.slice(0, 2), slices.slice(-2)];
  const medianOf = (chosenSlices: Slice[], field: keyof Slice): number =>
    median(chosenSlices.map((slice) => slice[field]));
  const row = (name: string, unit: string, field: keyof Slice, op: '>=' | '<=', value: number): Measure =>
    measure({
      suite: 'soak',
      name: `${name}, last minute`,
      unit,
      product: medianOf(lastSlices, field),
      bound: { name: 'first minute', value: medianOf(firstSlices, field) },
      goal: { op, value },
    });
  return [
    row('requests in half a minute', '', 'requests', '>=', 0.97),
    row('p50', 'ms', 'p50', '<=', 1.03),
    row('processor time of a request', 'ms', 'cpuMsPerRequest', '<=', 1.03),
    row('open files', '', 'handles', '<=', 1.1),
    measure({
      suite: 'soak',
      name: 'memory a minute after it',
      unit: 'MB',
      product: rssAfter,
      bound: { name: 'before', value: atStart },
      goal: { op: '<=', value: 1.1 },
    }),
  ];
}

const roundValue = (value: unknown): unknown => (typeof value === 'number' ? Math.round(value * 100) / 100 : value);

async function heapOf({ url, token }: Product): Promise<{ heapMb: number; externalMb: number }> {
  const response = await fetch(`${url}/api/v1/metrics`, { headers: { Authorization: `Bearer ${token}` } });
  const text = await response.text();
  const mb = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]) / 1e6;
  return { heapMb: mb('nodejs_heap_total_bytes'), externalMb: mb('nodejs_external_bytes') };
}

/** Returns a function that sends one random request of the mix at each call. */
function mix(random: () => number): (ask: Ask) => Promise<void> {
  const id = (count = TRACK_COUNT): number => 1 + Math.floor(random() * count);
  const album = (): number => id(TRACK_COUNT / 12);
  const word = (): string => SEARCH_WORDS[Math.floor(random() * SEARCH_WORDS.length)] ?? 'a';
  const like = (): RequestInit => ({
    method: 'POST',
    body: JSON.stringify({ item_type: 'track', item_id: id(), liked: random() < 0.7 }),
  });
  const kinds: ((ask: Ask) => Promise<void>)[] = [
    (ask) => ask(`/api/v1/albums?sort=created_at&order=desc&limit=50`),
    (ask) => ask(`/api/v1/tracks?sort=title&limit=100&offset=${Math.floor(random() * 100) * 100}`),
    (ask) => ask(`/api/v1/search/library?q=${word()}${random() < 0.5 ? `+${word()}` : ''}`),
    (ask) => ask(`/api/v1/tracks?album_id=${album()}&limit=50`),
    (ask) => ask(`/api/v1/artists?limit=100`),
    (ask) => ask(`/stream/${id()}`),
    (ask) => ask(`/stream/${id()}`),
    (ask) => ask('/api/v1/stats/listening'),
    (ask) => ask('/api/v1/likes', like()),
    (ask) => ask(`/api/v1/albums?sort=random&limit=20`),
    (ask) => ask(`/api/v1/tracks?sort=random&limit=50`),
    (ask) => ask(`/stream/${id()}?format=mp3&max_bitrate=96`),
  ];
  return (ask) => (kinds[Math.floor(random() * kinds.length)] as (ask: Ask) => Promise<void>)(ask);
}

const databaseMb = (dataDir: string): number =>
  readdirSync(dataDir)
    .filter((name) => name.startsWith('tonearm.db'))
    .reduce((sum, name) => sum + statSync(join(dataDir, name)).size / 1e6, 0);

/** Draws one strip for each figure over time. */
function draw(slices: Slice[]): string {
  const [width, height, gap] = [720, 70, 34];
  const strips: [keyof Slice, string][] = [
    ['requests', 'Requests in half a minute'],
    ['p50', 'p50, ms'],
    ['p99', 'p99, ms'],
    ['cpuMsPerRequest', 'Processor time of a request, ms'],
    ['rss', 'Resident memory, MB'],
    ['heapMb', 'Script heap, MB'],
    ['externalMb', 'Buffers, MB'],
    ['threads', 'Threads'],
    ['handles', 'Open files'],
    ['databaseMb', 'Database with its log, MB'],
  ];
  const stripElements = strips.map(([field, title], n) => {
    const maximum = Math.max(1e-9, ...slices.map((slice) => slice[field]));
    const points = slices.map(
      (slice, i) =>
        `${((i / Math.max(1, slices.length - 1)) * width).toFixed(1)},${(height - (slice[field] / maximum) * height).toFixed(1)}`,
    );
    return (
      `<g transform="translate(0 ${n * (height + gap)})"><text y="14">${title} (at most ${Number(maximum.toPrecision(3))})</text>` +
      `<rect class="ground" y="20" width="${width}" height="${height}"/><polyline transform="translate(0 20)" points="${points.join(' ')}"/></g>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -4 ${width + 16} ${strips.length * (height + gap) + 8}" role="img" aria-label="Throughput, latency, processor time, memory, open files and size of the database over time">
<style>text{font:600 13px sans-serif;fill:#5b5854}polyline{fill:none;stroke:#0a72d4;stroke-width:1.5}.ground{fill:#f1efec}</style>
<rect x="-8" y="-4" width="100%" height="100%" fill="#fcfbfa"/>
${stripElements.join('\n')}
</svg>
`;
}
