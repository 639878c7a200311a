// Measures lists, search and everything else that users read, over HTTP with a token, in a library of 100,000 tracks, a
// million likes and a million plays; with --million also of a million tracks, with --sizes of the given sizes; --docs
// draws docs/queries.svg. Bounds: a bare server in this process that returns 50 tracks by their ids as JSON, a LIKE
// scan for search, the plain GROUP BY for statistics.
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { applyPragmas } from '../../../server/db/client.ts';
import { drawCurves, type Curve } from '../curves.ts';
import { libraryOf } from '../kept-library.ts';
import { measure, median, type Measure } from '../measure.ts';
import { root, startProduct, type Product } from '../product.ts';
import { openQuietClient, type QuietClient } from '../quiet-client.ts';

const ROUND_COUNT = 200;
/** Number of rounds for requests that may take a second. */
const FEW_ROUNDS = 12;
const PAGE_SIZE = 50;
const QUIET_MS = 1_500;

interface Times {
  p50: number;
  p95: number;
  p99: number;
}
interface Timed extends Times {
  name: string;
}

/** Measurements that docs/queries.svg shows, and their labels. */
const SHOWN_CURVES: [name: string, label: string][] = [
  ['tracks title @0', 'first page by title'],
  ['tracks title @middle', 'page in the middle'],
  ['tracks play_count @middle', 'by plays, in the middle'],
  ['tracks genre=Rock @0', 'of a genre'],
  ['tracks liked=true @0', 'liked'],
  ['albums year @0', 'albums by year'],
  ['search the, new', 'search “the”, after a write'],
  ['search river, new', 'search “river”, after a write'],
  ['search xxxxx, new', 'search for nothing'],
  ['storage', 'statistics'],
];

/** Queries as people type them: with typos, in quotes, with a year. */
const TYPED_QUERIES = [
  'rmastered',
  'hert sogn',
  'remasterd moonn rivre',
  'xyxyxyxy zzyzzyx',
  '"blue moon"',
  'love 1983',
];

interface QueriesOptions {
  /** Sizes of the libraries, in tracks. */
  sizes: number[];
  /** Folder of the kept libraries. */
  libraries: string;
  /** Whether docs/queries.svg is drawn. */
  docs: boolean;
}

export async function queriesSuite(dir: string, { sizes, libraries, docs }: QueriesOptions): Promise<Measure[]> {
  const measures: Measure[] = [];
  const runs = new Map<number, Run>();
  for (const tracks of sizes) {
    const dataDir = await libraryOf(dir, libraries, tracks);
    const product = await startProduct(dataDir);
    const bareServer = await startBare(join(dataDir, 'tonearm.db'));
    try {
      const client = await openQuietClient(product.url, product.token);
      const run = new Run(product, client, tracks);
      await run.lists();
      await run.measureOthers();
      await run.searches();
      await run.pagesAfterWrites();
      run.print();
      const otherMeasures = measure({
        suite: 'queries',
        name: `${tracks.toLocaleString('en')}: somebody else waits while deep pages are read anew, at most`,
        unit: 'ms',
        product: await run.waits(),
        bound: { name: 'limit', value: 50 },
        goal: { op: '<=', value: 1 },
      });
      measures.push(...(await goals(run, bareServer, tracks)), otherMeasures);
      runs.set(tracks, run);
      client.close();
    } finally {
      bareServer.server.close();
      bareServer.db.close();
      await product.stop();
    }
  }
  if (docs) writeFileSync(join(root, 'docs', 'queries.svg'), drawCurves('p50 of a request, by tracks', curvesOf(runs)));
  return [...measures, ...growth(runs)];
}

const curvesOf = (runs: Map<number, Run>): Curve[] =>
  SHOWN_CURVES.map(([name, label]) => ({
    name: label,
    points: [...runs].map(([tracks, run]) => [tracks, run.timesOf(name).p50] as const),
  }));

/** Measures how the figures grow from each library size to the next. */
function growth(runs: Map<number, Run>): Measure[] {
  const sizes = [...runs];
  return sizes.slice(1).flatMap(([tracks, run], n) => {
    const [smallerSize, smallerRun] = sizes[n] as [number, Run];
    const row = (name: string, label: string): Measure =>
      measure({
        suite: 'queries',
        name: `${tracks.toLocaleString('en')}: ${label}`,
        unit: 'ms',
        product: run.timesOf(name).p50,
        bound: { name: `at ${smallerSize.toLocaleString('en')}`, value: smallerRun.timesOf(name).p50 },
        goal: { op: '<=', value: tracks > 1_000_000 ? 1.5 : 2 },
      });
    return [
      row('tracks title @0', 'first page'),
      ...(tracks > 1_000_000 ? [row('search the, new', 'search'), row('storage', 'statistics')] : []),
    ];
  });
}

class Run {
  readonly times: Timed[] = [];
  private writes = 0;
  private readonly product: Product;
  private readonly client: QuietClient;
  private readonly tracks: number;

  constructor(product: Product, client: QuietClient, tracks: number) {
    this.product = product;
    this.client = client;
    this.tracks = tracks;
  }

  timesOf(name: string): Timed {
    const times = this.times.find((entry) => entry.name === name);
    if (!times) throw new Error(`${name} was not measured`);
    return times;
  }

  async lists(): Promise<void> {
    for (let n = 0; n < 200; n++) await this.product.api(`/tracks?offset=${n}`); // compiles the server's code
    const LIST_SORTS = {
      tracks: [
        'title',
        'artist',
        'album',
        'year',
        'created_at',
        'duration',
        'play_count',
        'last_played_at',
        'random&seed=7',
      ],
      albums: ['title', 'artist', 'year', 'created_at', 'play_count', 'last_played_at', 'random&seed=7'],
      artists: ['name', 'year', 'created_at', 'play_count', 'last_played_at', 'random&seed=7'],
    };
    for (const [listName, sorts] of Object.entries(LIST_SORTS))
      for (const sort of sorts) await this.pages(`${listName} ${sort.replace(/&.*/, '')}`, `/${listName}?sort=${sort}`);
    const TRACK_FILTERS = [
      'q=a',
      'q=the',
      'q=moon%20river',
      'q=%E5%A4%9C',
      'q=zzzz',
      'source=local_folder',
      'artist_id=9',
      'album_id=77',
      'genre=Rock',
      'year_from=1983&year_to=1983',
      'year_from=1990',
      'format=mp3',
      'format=opus',
      'metadata_status=failed',
      'availability=missing',
      'availability=available',
      'liked=true',
      'liked=false',
      'genre=Rock&format=flac',
    ];
    for (const filter of TRACK_FILTERS)
      await this.pages(`tracks ${decodeURIComponent(filter)}`, `/tracks?sort=title&${filter}`);
    for (const filter of ['q=a', 'q=moon', 'genre=Rock', 'year_from=1980&year_to=1989', 'liked=true', 'liked=false']) {
      for (const listName of ['albums', 'artists']) await this.pages(`${listName} ${filter}`, `/${listName}?${filter}`);
    }
  }

  /** Measures the first page, a page in the middle and the last page; read-ahead for deep pages gets time to finish. */
  private async pages(name: string, path: string): Promise<void> {
    const { total } = await this.product.api<{ total: number }>(`${path}&limit=1`);
    await this.time(`${name} @0`, `${path}&limit=${PAGE_SIZE}`);
    if (total <= PAGE_SIZE) return;
    await new Promise((resolve) => {
      setTimeout(resolve, QUIET_MS);
    });
    await this.time(`${name} @middle`, `${path}&limit=${PAGE_SIZE}&offset=${Math.floor(total / 2)}`);
    await this.time(`${name} @end`, `${path}&limit=${PAGE_SIZE}&offset=${total - PAGE_SIZE}`);
  }

  async measureOthers(): Promise<void> {
    const ids = Array.from(
      { length: PAGE_SIZE },
      (_, n) => `item_id=${1 + n * Math.floor(this.tracks / PAGE_SIZE)}`,
    ).join('&');
    await this.time('storage', '/storage');
    await this.time('genres', '/genres');
    await this.time('like states of 50', `/likes/state?item_type=track&${ids}`);
    await this.time('likes', '/likes');
    await this.time('history', '/history');
    await this.time('history @200,000', '/history?offset=200000');
    await this.time(
      'statistics of a month',
      '/stats/listening?from=2024-03-01T00:00:00.000Z&to=2024-04-01T00:00:00.000Z',
    );
  }

  /** Measures searches twice: repeated, as for the next page, and after a write, which clears the cached results. */
  async searches(): Promise<void> {
    for (const needle of [
      'a',
      'q',
      '夜',
      'Ω',
      'th',
      'zx',
      '駆け',
      'ωq',
      'the',
      'qux',
      'zzz',
      '駆ける',
      'river',
      'xxxxx',
      'remastered',
      'abcdefghij',
      'song moon',
      ...TYPED_QUERIES,
    ]) {
      const path = `/search/library?q=${encodeURIComponent(needle)}`;
      await this.time(`search ${needle}, again`, path);
      await this.time(`search ${needle}, new`, path, { beforeEach: () => this.write() });
    }
  }

  /** Measures deep pages after a write, when the order must be read again. */
  async pagesAfterWrites(): Promise<void> {
    for (const query of ['sort=title', 'sort=play_count', 'sort=title&year_from=1990', 'sort=title&liked=false'])
      await this.time(
        `tracks ${query}, after a write`,
        `/tracks?${query}&limit=${PAGE_SIZE}&offset=${Math.floor(this.tracks / 4)}`,
        { beforeEach: () => this.write(), rounds: FEW_ROUNDS },
      );
  }

  /** Returns the longest wait of another request while deep pages that are no longer cached are read. */
  async waits(): Promise<number> {
    const waits: number[] = [];
    for (const path of [
      '/tracks?sort=title',
      '/tracks?sort=play_count',
      '/tracks?sort=album&q=a',
      '/tracks?sort=year&liked=false',
      '/tracks?sort=random&seed=3',
      '/history?from=2020-01-01T00:00:00.000Z',
    ]) {
      await this.write();
      let isRead = false;
      const pendingRead = this.product.api(`${path}&offset=${Math.floor(this.tracks * 0.4)}`).finally(() => {
        isRead = true;
      });
      while (!isRead) waits.push(await this.client.timeRequest('/api/v1/likes/state?item_type=track&item_id=1'));
      await pendingRead;
    }
    return Math.max(...waits);
  }

  /** Writes something, so that the caches of tracks become invalid. */
  private async write(): Promise<void> {
    await this.client.timeRequest('/api/v1/tracks/1', {
      method: 'PATCH',
      body: JSON.stringify({ year: 1950 + (this.writes++ % 50) }),
    });
  }

  private async time(name: string, path: string, options?: TimeOptions): Promise<void> {
    this.times.push({ name, ...(await timesOf(this.client, `/api/v1${path}`, options)) });
  }

  print(): void {
    process.stderr.write(
      `\n${this.tracks.toLocaleString('en')} tracks, RSS ${Math.round(this.product.rss())} MB; ms, p50 and p99\n`,
    );
    for (const { name, p50, p99 } of this.times)
      process.stderr.write(`  ${name.padEnd(44)} ${p50.toFixed(2).padStart(8)} ${p99.toFixed(2).padStart(8)}\n`);
  }
}

interface TimeOptions {
  beforeEach?: () => Promise<void>;
  rounds?: number;
}

async function timesOf(
  client: QuietClient,
  path: string,
  { beforeEach, rounds = ROUND_COUNT }: TimeOptions = {},
): Promise<Times> {
  const times: number[] = [];
  for (let round = 0; round < rounds + 3; round++) {
    await beforeEach?.();
    const ms = await client.timeRequest(path);
    if (round >= 3) times.push(ms);
  }
  const sortedTimes = times.toSorted((a, b) => a - b);
  const percentile = (share: number): number => sortedTimes[Math.ceil(sortedTimes.length * share) - 1] as number;
  return { p50: median(times), p95: percentile(0.95), p99: percentile(0.99) };
}

interface BareServer {
  url: string;
  server: Server;
  db: Database.Database;
}

/** Starts a server that only returns fifty rows of tracks by their ids. */
async function startBare(path: string): Promise<BareServer> {
  const db = new Database(path, { readonly: true });
  applyPragmas(db);
  const select = db.prepare(
    'SELECT t.*, a.title AS album_title FROM json_each(?) i CROSS JOIN tracks t ON t.id = i.value LEFT JOIN albums a ON a.id = t.album_id',
  );
  let from = 1;
  const server = createServer((_, res) => {
    const ids = Array.from({ length: PAGE_SIZE }, (__, n) => from + n);
    from = (from + 997) % 90_000;
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify(select.all(JSON.stringify(ids))));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, db };
}

/** Returns the slowest typed query, which may have a whole list of corrections. */
function typedSearch(tracks: number, searches: readonly Timed[]): Measure {
  const times = searches.filter(({ name }) => TYPED_QUERIES.some((query) => name === `search ${query}, new`));
  const slowest = times.toSorted((a, b) => b.p95 - a.p95)[0] as Timed;
  return measure({
    suite: 'queries',
    name: `${tracks.toLocaleString('en')}: slowest search as people type, p95 (${slowest.name})`,
    unit: 'ms',
    product: slowest.p95,
    bound: { name: 'limit', value: tracks > 100_000 ? 50 : 20 },
    goal: { op: '<=', value: 1 },
  });
}

async function goals(run: Run, bareServer: BareServer, tracks: number): Promise<Measure[]> {
  const client = await openQuietClient(bareServer.url);
  const floor = await timesOf(client, '/');
  client.close();
  const sizeLabel = tracks.toLocaleString('en');
  const suite = 'queries';
  const timeQuery = (sql: string): number =>
    median(
      Array.from({ length: 5 }, () => {
        const startedAt = performance.now();
        bareServer.db.prepare(sql).all();
        return performance.now() - startedAt;
      }),
    );
  const lists = run.times.filter(({ name }) => name.includes(' @'));
  const searches = run.times.filter(({ name }) => name.startsWith('search ') && name.endsWith(', new'));
  const worst = (times: Timed[], figure: keyof Times): Timed =>
    times.toSorted((a, b) => b[figure] - a[figure])[0] as Timed;
  const slowest = (kind: string, times: Timed[]): Measure[] =>
    (['p50', 'p95'] as const).map((figure) => {
      const worstEntry = worst(times, figure);
      return measure({
        suite,
        name: `${sizeLabel}: slowest ${kind}, ${figure} (${worstEntry.name})`,
        unit: 'ms',
        product: worstEntry[figure],
        bound: { name: 'limit', value: figure === 'p50' ? 10 : 50 },
        goal: { op: '<=', value: 1 },
      });
    });
  const afterWrite = worst(
    run.times.filter(({ name }) => name.endsWith(', after a write')),
    'p50',
  );
  const like = timeQuery(
    "SELECT id FROM tracks WHERE title_sort LIKE '%xq%' OR artist_sort LIKE '%xq%' OR album_sort LIKE '%xq%'",
  );
  const groups = timeQuery(
    'SELECT source, metadata_status, format, count(*), sum(size_bytes), sum(duration_ms) FROM tracks GROUP BY 1, 2, 3',
  );
  const search = worst(searches, 'p50');
  const bound = { name: 'bare page by ids, p50', value: floor.p50 };
  return [
    measure({
      suite,
      name: `${sizeLabel}: tracks by title, first page, p50`,
      unit: 'ms',
      product: run.timesOf('tracks title @0').p50,
      bound,
      goal: { op: '<=', value: 3 },
    }),
    ...slowest('list page', lists),
    measure({
      suite,
      name: `${sizeLabel}: worst search, p50 (${search.name})`,
      unit: 'ms',
      product: search.p50,
      bound: { name: 'LIKE scan', value: like },
      goal: { op: '<=', value: tracks >= 1_000_000 ? 0.1 : 0.3 },
    }),
    ...slowest('search right after a write', searches),
    typedSearch(tracks, searches),
    measure({
      suite,
      name: `${sizeLabel}: slowest deep page right after a write, p50 (${afterWrite.name})`,
      unit: 'ms',
      product: afterWrite.p50,
      bound: { name: 'limit', value: 1_000 },
      goal: { op: '<=', value: 1 },
    }),
    measure({
      suite,
      name: `${sizeLabel}: statistics`,
      unit: 'ms',
      product: run.timesOf('storage').p50,
      bound: { name: 'raw group-by', value: groups },
      goal: { op: '<=', value: tracks >= 1_000_000 ? 0.01 : 0.1 },
    }),
    measure({
      suite,
      name: `${sizeLabel}: like states of 50`,
      unit: 'ms',
      product: run.timesOf('like states of 50').p50,
      bound,
      goal: { op: '<=', value: 2 },
    }),
    measure({
      suite,
      name: `${sizeLabel}: history page`,
      unit: 'ms',
      product: run.timesOf('history').p50,
      bound,
      goal: { op: '<=', value: 3 },
    }),
  ];
}
