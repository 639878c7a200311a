// One Vite builds all of it; the mode says which process: renderer (default), server, main, preload.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

const root = import.meta.dirname;

/** Everything in plain JavaScript is bundled (start-up 100 ms and 70 MB instead of 500 ms and 361 MB); packages with native parts or files of their own stay outside. */
const NATIVE = ['better-sqlite3', 'sharp', '@node-rs/argon2', '@napi-rs/keyring', 'keytar', 'electron'];
/** 4 MB that only speech enhancement would load, which nothing asks for. */
const UNUSED = ['@wasm-audio-decoders/opus-ml'];

const htmlEntries = () => readdirSync(join(root, 'renderer')).filter((file) => file.endsWith('.html')).map((file) => join(root, 'renderer', file));

const renderer = (): UserConfig => ({
  root: join(root, 'renderer'),
  plugins: [react()],
  build: { outDir: join(root, 'dist/renderer'), emptyOutDir: true, rolldownOptions: { input: htmlEntries() } },
});

const node = (entries: Record<string, string>, outDir: string, format: 'es' | 'cjs' = 'es'): UserConfig => ({
  ssr: { noExternal: true, external: [...NATIVE, ...UNUSED] },
  build: {
    ssr: true,
    target: 'node22',
    outDir: join(root, outDir),
    emptyOutDir: format === 'es',
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(root, file)])),
      external: [...NATIVE, ...UNUSED],
      output: { format, entryFileNames: format === 'es' ? '[name].js' : '[name].cjs', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  },
});

/** The one file of WebAssembly that a package keeps beside its code. */
const chromaprint: Plugin = {
  name: 'chromaprint',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'chromaprint.wasm', source: readFileSync(join(root, 'node_modules/@unimusic/chromaprint/dist/chromaprint.wasm')) });
  },
};

export default defineConfig(({ mode }) => {
  if (mode === 'server') return { ...node({ main: 'server/main.ts', 'reader-worker': 'server/ingest/reader-worker.ts', 'walk-worker': 'server/ingest/walk-worker.ts', 'watch-worker': 'server/ingest/watch-worker.ts', 'cover-worker': 'server/covers/cover-worker.ts', 'fingerprint-worker': 'server/media/fingerprint-worker.ts', 'smart-worker': 'server/playlists/smart-worker.ts', 'snapshot-worker': 'server/backup/snapshot-worker.ts' }, 'dist/server'), plugins: [chromaprint] };
  if (mode === 'main') return node({ index: 'main/index.ts' }, 'dist/main');
  if (mode === 'preload') return node({ preload: 'main/preload.ts' }, 'dist/main', 'cjs');
  return renderer();
});
