// A catalogue with one album, for the pages of catalogues.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeArchive } from '../fakes/internet-archive.ts';
import { makeLibrary } from './library.ts';
import { itemOf } from './remote.ts';

const SONGS = ['Harbour Lights', 'Slow Ferry', 'Abandoned Pier', 'Night Boat'];

/**
 * Starts the catalogue. `env` contains the settings of a server that uses it; a search for "harbour" finds the whole
 * album.
 */
export async function startSmallCatalogue(): Promise<{ env: Record<string, string>; close: () => Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-catalogue-'));
  const { files } = makeLibrary(
    { tracks: SONGS.length, formats: ['mp3'], seconds: '2', art: 'none', messy: 0, seed: 'catalogue' },
    dir,
  );
  const archive = await startFakeArchive();
  archive.items.set(
    'quays-low-water',
    itemOf(
      'quays-low-water',
      'Low Water',
      'The Quays',
      SONGS.map((title, i) => [title, readFileSync(join(dir, files[i]!.path))]),
    ),
  );
  rmSync(dir, { recursive: true, force: true });
  return {
    env: { STREAMSRC_ENABLED: 'true', STREAMSRC_PROVIDER: 'ia', STREAMSRC_BASE_URL: archive.url },
    close: () => archive.close(),
  };
}
