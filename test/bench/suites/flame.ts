// Draws where a first scan in reference mode spends its processor time: docs/scan-flame.svg with --docs. Runs only when
// it is named; --files N.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawFlameGraph, readProfiles } from '../flame-graph.ts';
import type { Measure } from '../measure.ts';
import { root, startProduct } from '../product.ts';
import { makeSettledLibrary } from '../settled-library.ts';

export async function flameSuite(dir: string, { files, docs }: { files: number; docs: boolean }): Promise<Measure[]> {
  const music = join(dir, 'music');
  const profiles = join(dir, 'profiles');
  makeSettledLibrary({ tracks: files, seed: 'flame' }, music);
  mkdirSync(profiles);
  const product = await startProduct(join(dir, 'flame'), {
    LOCAL_MEDIA_IMPORT_PATH: music,
    LOCAL_MEDIA_IMPORT_MODE: 'reference',
    NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}`,
  });
  await product.scan();
  await product.stop();
  const all = readProfiles(profiles);
  for (const { name, us } of all.children.values()) console.log(`${name}: ${(us / files).toFixed(0)} µs a file`);
  if (docs) {
    const title = `First scan of ${files.toLocaleString('en')} files, reference mode, by the profiles of its threads`;
    writeFileSync(join(root, 'docs', 'scan-flame.svg'), drawFlameGraph(all, title));
  }
  return [];
}
