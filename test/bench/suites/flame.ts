// Draws where processor time goes, each thread with what it calls: docs/scan-flame.svg and others with --docs. Each
// work is done by a server of its own, so a drawing holds its start as well. Runs only when it is named; --files N.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawFlameGraph, readProfiles } from '../flame-graph.ts';
import type { Measure } from '../measure.ts';
import { root, startProduct, type Product } from '../product.ts';
import { makeSettledLibrary } from '../settled-library.ts';
import { credentialsFor } from '../subsonic-credentials.ts';
import { wav } from './streaming.ts';

const LONG_BYTES = 50_000_000;

interface Work {
  /** Of docs/NAME-flame.svg. */
  name: string;
  title: string;
  /** What is counted, and how often it is done. */
  unit: string;
  times: number;
  run(product: Product, times: number): Promise<void>;
}

const worksOf = (files: number): Work[] => [
  {
    name: 'scan',
    title: `First scan of ${files.toLocaleString('en')} files, reference mode`,
    unit: 'file',
    times: files,
    run: async (product) => void (await product.scan()),
  },
  { name: 'start', title: 'A start and a stop', unit: 'start', times: 1, run: () => Promise.resolve() },
  {
    name: 'rescan',
    title: `Twenty scans of ${files.toLocaleString('en')} files without changes`,
    unit: 'file',
    times: 20 * files,
    async run(product) {
      for (let n = 0; n < 20; n++) await product.scan();
    },
  },
  {
    name: 'lists',
    title: 'Subsonic lists of 500: albums, songs, random songs',
    unit: 'list',
    times: 300,
    run: (product, times) =>
      askSubsonic(product, times, [
        'getAlbumList2?type=alphabeticalByName&size=500',
        'search3?query=&artistCount=0&albumCount=0&songCount=500',
        'getRandomSongs?size=500',
      ]),
  },
  {
    name: 'covers',
    title: 'Covers of 300 pixels, drawn for the first time',
    unit: 'cover',
    times: 200,
    async run(product, times) {
      const { items } = await product.api<{ items: { id: number }[] }>(`/albums?limit=${times}`);
      await askSubsonic(
        product,
        times,
        items.map(({ id }) => `getCoverArt?id=al-${id}&size=300`),
      );
    },
  },
  {
    name: 'stream',
    title: `A stream of ${LONG_BYTES / 1e6} MB, again and again`,
    unit: 'stream',
    times: 60,
    async run(product, times) {
      const { items } = await product.api<{ items: { id: number }[] }>('/tracks?sort=duration&order=desc&limit=1');
      await askSubsonic(product, times, [`stream?id=tr-${items[0]?.id}&format=raw`]);
    },
  },
];

export async function flameSuite(dir: string, { files, docs }: { files: number; docs: boolean }): Promise<Measure[]> {
  const music = join(dir, 'music');
  makeSettledLibrary({ tracks: files, seed: 'flame', art: 'mixed' }, music);
  mkdirSync(join(music, 'Long'));
  writeFileSync(join(music, 'Long', 'long.wav'), wav(LONG_BYTES));
  for (const { name, title, unit, times, run } of worksOf(files)) {
    const profiles = join(dir, name);
    mkdirSync(profiles);
    const product = await startProduct(join(dir, 'data'), {
      LOCAL_MEDIA_IMPORT_PATH: music,
      LOCAL_MEDIA_IMPORT_MODE: 'reference',
      ANALYSIS_ENABLED: 'false',
      NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}`,
    });
    await run(product, times);
    await product.stop();
    const all = readProfiles(profiles);
    const threads = [...all.children.values()].map((thread) => `${thread.name} ${(thread.us / times).toFixed(1)}`);
    console.log(`${name}, µs a ${unit}: ${threads.join(', ')}`);
    if (docs)
      writeFileSync(
        join(root, 'docs', `${name}-flame.svg`),
        drawFlameGraph(all, `${title}, by the profiles of its threads`),
      );
  }
  return [];
}

/** Each address in turn, until so many were asked. */
async function askSubsonic({ url, api }: Product, times: number, paths: string[]): Promise<void> {
  const credentials = credentialsFor(await api<{ username: string; password: string }>('/users/me/subsonic-password'));
  for (let n = 0; n < times; n++) {
    const response = await fetch(`${url}/rest/${paths[n % paths.length]}&${credentials}`);
    if (!response.ok) throw new Error(`${paths[n % paths.length]}: ${response.status}`);
    await response.arrayBuffer();
  }
}
