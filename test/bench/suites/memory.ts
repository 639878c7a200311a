// Resident memory of the server while it scans 100,000 tracks, and of its walk afterwards. The bound is the limit itself.
import { join } from 'node:path';
import { makeLibrary } from '../../support/library.ts';
import { measure, type Measure } from '../measure.ts';
import { startProduct } from '../product.ts';

const TRACKS = 100_000;
const LIMIT_MB = 250;

export async function memorySuite(dir: string): Promise<Measure[]> {
  const music = join(dir, 'music-100k');
  makeLibrary({ tracks: TRACKS, seed: 'memory' }, music);
  const product = await startProduct(join(dir, 'memory'), { LOCAL_MEDIA_IMPORT_PATH: music, LOCAL_MEDIA_IMPORT_MODE: 'reference' });
  let highest = 0;
  const watch = setInterval(() => { highest = Math.max(highest, product.rss()); }, 100);
  const { ms, result } = await product.scan();
  clearInterval(watch);
  process.stderr.write(`100,000 tracks: first scan ${Math.round(ms / 1000)} s, ${result['added']} added\n`);
  await product.stop();
  return [measure({ suite: 'memory', name: 'highest RSS, first scan of 100,000', unit: 'MB', product: highest, bound: { name: 'limit', value: LIMIT_MB }, goal: { op: '<=', value: 1 } })];
}
