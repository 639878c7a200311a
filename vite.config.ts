// One Vite builds all of it; the mode says which process: renderer (default), server, main, preload.
import buffer from 'node:buffer';
import crypto from 'node:crypto';
import fs, { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { basename, dirname, join } from 'node:path';
import util from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build, defineConfig, type Plugin, type UserConfig } from 'vite';
import { WORKERS } from './server/paths.ts';

const root = import.meta.dirname;

/**
 * Everything in plain JavaScript is bundled (start-up 100 ms and 70 MB instead of 500 ms and 361 MB); packages with
 * native parts or files of their own stay outside.
 */
const NATIVE = ['better-sqlite3', 'sharp', '@node-rs/argon2', '@napi-rs/keyring', 'keytar', 'electron'];
/** 4 MB that only speech enhancement would load, which nothing asks for. */
const UNUSED = ['@wasm-audio-decoders/opus-ml'];

const SHARE_PAGE = 'share.html';
const htmlEntries = () =>
  readdirSync(join(root, 'renderer'))
    .filter((file) => file.endsWith('.html') && file !== SHARE_PAGE)
    .map((file) => join(root, 'renderer', file));

/**
 * Beside every script and style its compressed forms, which the server sends as they are (server/http/static-files.ts).
 */
const compressed: Plugin = {
  name: 'compressed',
  apply: () => process.env['UNCOMPRESSED'] === undefined, // a build for one test takes half as long
  writeBundle({ dir = '' }, bundle) {
    for (const name of Object.keys(bundle).filter((file) => /\.(js|css)$/.test(file))) {
      const bytes = readFileSync(join(dir, name));
      writeFileSync(
        join(dir, `${name}.br`),
        brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
      );
      writeFileSync(join(dir, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    }
  },
};

/** Scripts, styles and the Latin letters; other scripts' letters are fetched by those who need them. */
const isKept = (name: string): boolean => /\.(js|css)$|-latin-wght-normal-.*\.woff2$/.test(name);

/** renderer/service-worker.js with the names of what it keeps. */
const serviceWorker: Plugin = {
  name: 'service-worker',
  writeBundle({ dir = '' }, bundle) {
    const names = ['favicon.svg', 'manifest.webmanifest', 'scheme.js', ...Object.keys(bundle).filter(isKept)];
    const code = readFileSync(join(root, 'renderer/service-worker.js'), 'utf8');
    const files = JSON.stringify(names.toSorted().map((name) => `/${name}`));
    writeFileSync(join(dir, 'sw.js'), code.replace('/* FILES */ []', files));
  },
};

/** The head that the pages of all windows share, in place of its comment; also while developing. */
const sharedHead: Plugin = {
  name: 'shared-head',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) =>
      html.replace('<!-- head.html -->', readFileSync(join(root, 'renderer/windows/head.html'), 'utf8').trimEnd()),
  },
};

/** `en.json?settings` has the texts of the settings, which are a third of all; `en.json?window` has what is left. */
const TEXT_PARTS: Record<string, readonly string[]> = {
  settings: ['settings', 'setting', 'equalizer', 'contents', 'picker'],
  pages: [
    'about',
    'absent',
    'activity',
    'adding',
    'albumChanges',
    'albumEdit',
    'albumMatch',
    'analysis',
    'beside',
    'chapters',
    'charset',
    'cover',
    'credits',
    'density',
    'details',
    'discover',
    'duplicates',
    'edit',
    'empty',
    'folders',
    'genres',
    'history',
    'identity',
    'liked',
    'lyrics',
    'map',
    'measured',
    'merges',
    'metadataStatus',
    'metadataStatusText',
    'missing',
    'mix',
    'mood',
    'moodText',
    'origin',
    'originText',
    'path',
    'picture',
    'place',
    'placeText',
    'playlistFile',
    'podcasts',
    'problem',
    'radio',
    'range',
    'regroup',
    'review',
    'rules',
    'scanReport',
    'search',
    'setup',
    'share',
    'shortcuts',
    'sideBar',
    'similar',
    'stations',
    'statistics',
    'tags',
    'task',
    'trash',
    'version',
    'why',
  ],
  finding: ['synonyms'],
  devices: ['devices', 'sound', 'queueOffer'],
  // of the page of a share, which guests open
  guest: ['guest'],
  // of the desktop's menus
  main: ['shell'],
};
/** Makes the modules of these parts. */
export const englishTexts: Plugin = {
  name: 'english-texts',
  enforce: 'pre',
  load(id) {
    const [, file, part] =
      /^(.*[\\/]languages[\\/]en\.json)\?(settings|pages|finding|devices|guest|window)$/.exec(id) ?? [];
    if (!file) return undefined;
    this.addWatchFile(file);
    const texts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>;
    const partOf = (name: string): string =>
      Object.entries(TEXT_PARTS).find(([, names]) => names.includes(name))?.[0] ?? 'window';
    const own = Object.entries(texts).filter(([name]) => partOf(name) === part);
    return `export default ${JSON.stringify(Object.fromEntries(own))}`;
  },
};

/** The package exports 6,000 icons, which the build would all parse: of these only what renderer/ui/theme/icons.ts exports. */
const usedIcons: Plugin = {
  name: 'used-icons',
  apply: 'build',
  load(id) {
    if (!/[\\/]tabler-icons-react\.mjs$/.test(id)) return undefined;
    const list = readFileSync(join(root, 'renderer/ui/theme/icons.ts'), 'utf8');
    const names = new Set(list.match(/\bIcon\w+/g));
    const isUsed = (line: string): boolean => line.match(/\bIcon\w+/g)?.some((name) => names.has(name)) ?? false;
    return readFileSync(id, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('export { default as') && isUsed(line))
      .join('\n');
  },
};

/** What the library window imports before it shows anything. */
const first = new Set<string>();
function addFirst(id: string): void {
  if (first.has(id)) return;
  first.add(id);
  const code = readFileSync(id, 'utf8').replaceAll(/^import type [^;]*;/gm, '');
  for (const [, path = ''] of code.matchAll(/^(?:import|export) (?:[^;'(]*? from )?'(\.[^']+\.tsx?)';/gm))
    addFirst(join(dirname(id), path));
}
addFirst(join(root, 'renderer/windows/library/main.tsx'));

const isShared = (id: string): boolean =>
  /renderer[\\/](ui|api|music|player|i18n)[\\/].*\.tsx?$/.test(id) &&
  !/((setting|page)-texts|synonyms)\.ts$/.test(id) &&
  first.has(id);

/**
 * Each file costs a request, so what pages share is one file: all pages are loaded once the window is idle. Of what a
 * window begins with, nothing is loaded that it does without, except for the first two.
 */
const GROUPS = [
  { name: 'icons', test: /@tabler[\\/]icons-react/, minShareCount: 3 },
  { name: 'shared', test: isShared, minShareCount: 3 },
  { name: 'first', tags: ['$initial' as const], minShareCount: 2, entriesAware: true },
  { name: 'pages', minShareCount: 2 },
];

/**
 * The page of a share is built by itself, after the windows. A fourth entry would cut the files that the windows share
 * into many more, which would all be part of their first load.
 */
const sharePage: Plugin = {
  name: 'share-page',
  apply: 'build',
  async closeBundle() {
    await build({
      configFile: false,
      logLevel: 'warn',
      root: join(root, 'renderer'),
      plugins: [react(), usedIcons, englishTexts, compressed],
      build: {
        outDir: join(root, 'dist/renderer'),
        emptyOutDir: false,
        copyPublicDir: false,
        chunkSizeWarningLimit: 700,
        rolldownOptions: { input: join(root, 'renderer', SHARE_PAGE) },
      },
    });
  },
};

const renderer = (): UserConfig => ({
  root: join(root, 'renderer'),
  plugins: [react(), usedIcons, englishTexts, sharedHead, compressed, serviceWorker, sharePage],
  build: {
    outDir: join(root, 'dist/renderer'),
    emptyOutDir: true,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      input: htmlEntries(),
      output: {
        codeSplitting: { groups: GROUPS },
        // without the windows and pages that share it, which would be a tenth of the HTML
        chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
        assetFileNames: ({ names }) => `assets/${names[0]?.split(/[.~]/)[0]}-[hash][extname]`,
      },
    },
  },
});

/**
 * A file with one letter that is not ASCII is kept at two bytes a letter for as long as the process lives: 6.7 MB
 * instead of 3.3. Lines stay, for the traces in the log; comments go.
 */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle))
      if (chunk.type === 'chunk')
        chunk.code = chunk.code.replace(
          /[^\x00-\x7f]/gu,
          // with braces an astral letter may be a name, too; without, a regular expression needs no flag
          (letter) => {
            const code = letter.codePointAt(0) ?? 0;
            return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
          },
        );
  },
};

const node = (entries: Record<string, string>, outDir: string, format: 'es' | 'cjs' = 'es'): UserConfig => ({
  ssr: { noExternal: true, external: [...NATIVE, ...UNUSED] },
  plugins: [asciiOnly],
  build: {
    ssr: true,
    target: 'node24',
    outDir: join(root, outDir),
    emptyOutDir: format === 'es',
    rolldownOptions: {
      input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(root, file)])),
      external: [...NATIVE, ...UNUSED],
      output: {
        format,
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: false } },
        entryFileNames: format === 'es' ? '[name].js' : '[name].cjs',
        chunkFileNames: 'chunks/[name]-[hash].js',
      },
    },
  },
});

/**
 * An import of a built-in module reads all its exports, and some of them load more when they are read: WebSocket of
 * `node:http` a whole HTTP client, `diff` of `node:util` what asserts and the terminal need, `webcrypto` of `node:crypto`
 * and the streams of `node:fs` a few files each. What is asked for by name here is read from the module itself, without
 * those.
 */
const BUILTINS: Record<string, object> = { buffer, crypto, fs, http, util };
const LOADING = new Set([
  'WebSocket',
  'CloseEvent',
  'MessageEvent',
  'webcrypto',
  'subtle',
  'getRandomValues',
  'ReadStream',
  'WriteStream',
  'FileReadStream',
  'FileWriteStream',
  'File',
  'diff',
  'setTraceSigInt',
  'transferableAbortController',
  'transferableAbortSignal',
]);
const lightBuiltins: Plugin = {
  name: 'light-builtins',
  enforce: 'pre',
  resolveId: (id, importer = '') =>
    // the object store's package, which is loaded late, tells a stream by its class
    /^(node:)?(buffer|crypto|fs|http|util)$/.test(id) && !/@(smithy|aws-sdk)/.test(importer)
      ? `\0${id.replace('node:', '')}`
      : undefined,
  load(id) {
    const name = id.slice(1);
    const all = id.startsWith('\0') ? BUILTINS[name] : undefined;
    if (all === undefined) return undefined;
    const names = Object.keys(all).filter((key) => !LOADING.has(key));
    return `const all = process.getBuiltinModule('node:${name}');\nexport default all;\nexport const { ${names.join(', ')} } = all;`;
  },
};

/** What packages load and Tonearm does not use: 700 KB that every start would read and keep. */
const UNNEEDED: Record<string, string> = {
  // the parsers of express: bodies are read in server/http/body.ts
  'body-parser': 'export default {};',
  // parses queries for express, which is told not to
  qs: 'export default {};',
  // asks for the version of Node, and 24 has all that is asked for
  semver: 'export const satisfies = () => true; export default { satisfies };',
};
const withoutUnneeded: Plugin = {
  name: 'without-unneeded',
  enforce: 'pre',
  resolveId: (id) => (id in UNNEEDED ? `\0${id}` : undefined),
  load: (id) => (id.startsWith('\0') ? UNNEEDED[id.slice(1)] : undefined),
};

/** Of the types of all the world, express needs those that it sends itself (the files of the windows) or asks for. */
const SENT = ['css', 'flac', 'html', 'js', 'json', 'map', 'png', 'svg', 'txt', 'webmanifest', 'woff2', 'br', 'gz'];
const sentTypes: Plugin = {
  name: 'sent-types',
  enforce: 'pre',
  load(id) {
    if (!/[\\/]mime-db[\\/]db\.json$/.test(id)) return undefined;
    const all = JSON.parse(readFileSync(id, 'utf8')) as Record<string, { extensions?: string[] }>;
    const sent = Object.entries(all).filter(([, { extensions }]) => extensions?.some((name) => SENT.includes(name)));
    return JSON.stringify(Object.fromEntries(sent));
  },
};

/** The one file of WebAssembly that a package keeps beside its code. */
const chromaprint: Plugin = {
  name: 'chromaprint',
  generateBundle() {
    this.emitFile({
      type: 'asset',
      fileName: 'chromaprint.wasm',
      source: readFileSync(join(root, 'node_modules/@unimusic/chromaprint/dist/chromaprint.wasm')),
    });
  },
};

export default defineConfig(({ mode }) => {
  if (mode === 'server')
    return {
      ...node(
        {
          main: 'server/main.ts',
          ...Object.fromEntries(Object.values(WORKERS).map((file) => [basename(file), `server/${file}.ts`])),
        },
        'dist/server',
      ),
      plugins: [chromaprint, lightBuiltins, withoutUnneeded, sentTypes, asciiOnly],
    };
  if (mode === 'main') return node({ index: 'main/index.ts' }, 'dist/main');
  if (mode === 'preload') return node({ preload: 'main/preload.ts' }, 'dist/main', 'cjs');
  return renderer();
});
