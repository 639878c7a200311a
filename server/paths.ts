// Where the product's own files are, in the source tree and in the bundle, where `import.meta.url` has moved.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface ProductPaths {
  migrations: string;
  /** The built web interface. */
  renderer: string;
  resources: string;
  workers: {
    walk: URL;
    watch: URL;
    reader: URL;
    cover: URL;
    fingerprint: URL;
    smart: URL;
    lists: URL;
    snapshot: URL;
    checkpoint: URL;
  };
  /** Chromaprint's WebAssembly. */
  chromaprint: string;
}

/** `root` is the project (or package) folder; `bundled` says whether this code runs from dist/. */
export function productPaths(root: string, bundled: boolean): ProductPaths {
  const worker = (room: string, name: string): URL =>
    pathToFileURL(bundled ? join(root, 'dist', 'server', `${name}.js`) : join(root, 'server', room, `${name}.ts`));
  return {
    migrations: join(root, 'migrations'),
    renderer: join(root, 'dist', 'renderer'),
    resources: join(root, 'resources'),
    workers: {
      walk: worker('ingest', 'walk-worker'),
      watch: worker('ingest', 'watch-worker'),
      reader: worker('ingest', 'reader-worker'),
      cover: worker('covers', 'cover-worker'),
      fingerprint: worker('media', 'fingerprint-worker'),
      smart: worker('playlists', 'smart-worker'),
      lists: worker('library', 'lists-worker'),
      snapshot: worker('backup', 'snapshot-worker'),
      checkpoint: worker('db', 'checkpoint-worker'),
    },
    chromaprint: join(
      root,
      ...(bundled ? ['dist', 'server'] : ['node_modules', '@unimusic', 'chromaprint', 'dist']),
      'chromaprint.wasm',
    ),
  };
}
