// Paths of the product's own files, in the source tree and in the bundle, where `import.meta.url` differs.
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The files that run in worker threads, without `.ts`; the bundle has an entry for each, under its own name. */
export const WORKERS = {
  walk: 'scan/walk/walk-worker',
  watch: 'watch/watch-worker',
  reader: 'files/reader-worker',
  cover: 'covers/cover-worker',
  fingerprint: 'media/fingerprint-worker',
  smart: 'playlists/smart-worker',
  lists: 'library/lists/lists-worker',
  likeness: 'likeness/likeness-worker',
  snapshot: 'backup/snapshot-worker',
  blobs: 'backup/blob-worker',
  checkpoint: 'db/checkpoint-worker',
} as const;
type WorkerName = keyof typeof WORKERS;

export interface ProductPaths {
  migrations: string;
  /** Folder of the built web interface. */
  renderer: string;
  resources: string;
  workers: Record<WorkerName, URL>;
  /** Path of Chromaprint's WebAssembly file. */
  chromaprint: string;
}

/** Returns the paths. `root` is the project (or package) folder; `bundled` says whether this code runs from dist/. */
export function productPaths(root: string, bundled: boolean): ProductPaths {
  const worker = (file: string): URL =>
    pathToFileURL(bundled ? join(root, 'dist', 'server', `${basename(file)}.js`) : join(root, 'server', `${file}.ts`));
  return {
    migrations: join(root, 'migrations'),
    renderer: join(root, 'dist', 'renderer'),
    resources: join(root, 'resources'),
    workers: Object.fromEntries(Object.entries(WORKERS).map(([name, file]) => [name, worker(file)])) as Record<
      WorkerName,
      URL
    >,
    chromaprint: join(
      root,
      ...(bundled ? ['dist', 'server'] : ['node_modules', '@unimusic', 'chromaprint', 'dist']),
      'chromaprint.wasm',
    ),
  };
}
