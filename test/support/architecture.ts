// The table of which folder may import which. A folder may use all layers below its own, and in its own layer the
// listed folders, which are before it, so that there are no cycles. Imports of types count like others.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

export interface Layer {
  name: string;
  about: string;
  /** Each folder, or single file, with the folders of its own layer that it uses. */
  folders: Record<string, readonly string[]>;
}

/**
 * The programs and their layers, lowest first. `*` stands for every folder at that place; these do not import each
 * other.
 */
export const ARCHITECTURE: Record<'server' | 'renderer' | 'main', readonly Layer[]> = {
  server: [
    {
      name: 'base',
      about: 'errors, settings, the log, the database, storage: what everything else may use',
      folders: {
        'errors.ts': [],
        'paths.ts': [],
        log: [],
        runtime: ['errors.ts'],
        db: ['errors.ts', 'log', 'runtime'],
        'setting-kinds.ts': ['runtime'],
        storage: ['errors.ts', 'runtime', 'setting-kinds.ts'],
        config: ['errors.ts', 'log', 'db', 'runtime', 'setting-kinds.ts', 'storage'],
      },
    },
    {
      name: 'tools',
      about: 'HTTP, events, jobs, audio formats, requests to other servers: they know bytes, not music',
      folders: {
        http: [],
        outbound: [],
        events: ['http'],
        jobs: ['events', 'http'],
        'module.ts': ['events', 'http', 'jobs'],
        'storage/module.ts': ['module.ts'],
        dsp: [],
        media: ['dsp', 'module.ts'],
      },
    },
    {
      name: 'domain',
      about: 'one folder per subject, with its rules, its tables, its tasks and its part of the REST API',
      folders: {
        auth: [],
        settings: [],
        lan: [],
        radio: [],
        library: [],
        likes: ['library'],
        history: ['library'],
        scrobbling: ['history', 'library', 'likes'],
        lyrics: ['library'],
        playback: ['history', 'library'],
        jukebox: ['playback'],
        devices: ['history', 'library', 'playback'],
        playlists: ['library'],
        streaming: ['library'],
        zips: ['playlists', 'streaming'],
        sources: [],
        covers: ['library'],
        shares: ['auth', 'covers', 'library', 'streaming', 'zips'],
        search: ['library', 'sources'],
        files: ['library', 'playlists'],
        enrichment: ['covers', 'files', 'library'],
        about: ['covers', 'enrichment', 'library'],
        'tag-ratings': ['auth', 'files', 'history', 'library', 'likes', 'settings'],
        analysis: ['enrichment', 'library'],
        likeness: ['analysis', 'library', 'playlists'],
        relocation: ['files', 'library'],
        uploads: ['files', 'library'],
        downloads: ['files', 'library', 'sources'],
        podcasts: ['files'],
        'playlist-files': ['auth', 'files', 'library', 'playlists', 'settings'],
        scan: ['covers', 'enrichment', 'files', 'library', 'playlist-files', 'relocation', 'settings', 'sources'],
        watch: ['files', 'scan'],
        'music-folders': ['files', 'library', 'scan', 'settings', 'watch'],
        backup: ['auth', 'covers', 'playlists'],
        maintenance: ['covers', 'files', 'library', 'settings'],
        stats: ['library'],
      },
    },
    {
      name: 'APIs',
      about: 'protocols over the domain; the REST API is made of the routes of each folder',
      folders: { subsonic: [] },
    },
    {
      name: 'app',
      about: 'puts the modules together; the commands that run it',
      folders: {
        'data-folder.ts': [],
        'wire.ts': [],
        'app.ts': ['data-folder.ts', 'wire.ts'],
        cli: ['app.ts', 'data-folder.ts'],
        'main.ts': ['cli'],
      },
    },
  ],
  renderer: [
    {
      name: 'base',
      about: 'the desktop bridge, choices kept in the browser, languages, and components that know no music',
      folders: {
        'desktop.ts': [],
        'stored-choice.ts': [],
        i18n: ['desktop.ts', 'stored-choice.ts'],
        ui: ['stored-choice.ts'],
      },
    },
    {
      name: 'state',
      about: 'requests and their cache, the player, and what is made of both',
      folders: { api: [], player: ['api'], music: ['api', 'player'] },
    },
    { name: 'features', about: 'one folder per page or dialog', folders: { 'features/*': [] } },
    { name: 'windows', about: 'the windows, made of features', folders: { windows: [] } },
  ],
  main: [{ name: 'main', about: 'the desktop shell', folders: { '*': [] } }],
};

export type Part = keyof typeof ARCHITECTURE;
const PARTS = Object.keys(ARCHITECTURE) as Part[];

/** Files with rules and tables but no imports, which the other programs may import, too. */
export const PURE: ReadonlySet<string> = new Set([
  'server/covers/cover-sizes.ts',
  'server/history/counts-as-played.ts',
  'server/media/audio-formats.ts',
  'server/media/lrc-format.ts',
  'server/playback/shuffle.ts',
  'server/playlists/playlist-formats.ts',
  'server/storage/music-roots.ts',
  'server/storage/uri.ts',
]);

/** Returns which files of the server each program may import. */
const MAY_USE_OF_SERVER: Record<Part, (path: string) => boolean> = {
  server: () => true,
  renderer: (path) => /\/([a-z]+-)?wire\.ts$/.test(path) || PURE.has(path),
  main: (path) => PURE.has(path),
};

interface Import {
  from: string;
  to: string;
}

const root = join(import.meta.dirname, '..', '..');
const isCode = (path: string): boolean => /\.tsx?$/.test(path);

/** The source files of the programs: paths from the project's root, with `/`. */
export const FILES: readonly string[] = PARTS.flatMap((part) =>
  readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
    .filter(isCode)
    .map((path) => posix.join(part, path.split(sep).join('/'))),
);

export const readCode = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Matches the path of an import: static, for a side effect, re-export, dynamic, or of a type. */
const SPECIFIER = /\b(?:from|import)\s*\(?\s*(['"])(\.{1,2}\/[^'"]+)\1/g;

export function importsOf(path: string, code: string): Import[] {
  return [...code.matchAll(SPECIFIER)].map(([, , specifier = '']) => ({
    from: path,
    to: posix.normalize(posix.join(posix.dirname(path), specifier)),
  }));
}

export const IMPORTS: readonly Import[] = FILES.flatMap((path) => importsOf(path, readCode(path))).filter(({ to }) =>
  isCode(to),
);

const partOf = (path: string): Part | undefined => PARTS.find((part) => path.startsWith(`${part}/`));

/** Returns the place of a file in the table; an entry for the file itself comes before that of its folder. */
export function placeOf(path: string): { part: Part; folder: string; layer: number } | undefined {
  const part = partOf(path);
  if (part === undefined) return undefined;
  const inPart = path.slice(part.length + 1);
  const file = ARCHITECTURE[part].findIndex(({ folders }) => inPart in folders);
  if (file >= 0) return { part, folder: inPart, layer: file };
  for (const [layer, { folders }] of ARCHITECTURE[part].entries())
    for (const name of Object.keys(folders)) {
      if (name.endsWith('*') && inPart.startsWith(name.slice(0, -1))) {
        const rest = inPart.slice(name.length - 1);
        return { part, folder: name.slice(0, -1) + rest.split('/', 1)[0], layer };
      }
      if (inPart.startsWith(`${name}/`)) return { part, folder: name, layer };
    }
  return undefined;
}

/** Returns why the table forbids an import; undefined if the import is allowed. */
export function faultOf({ from, to }: Import): string | undefined {
  const [user, usedPlace] = [placeOf(from), placeOf(to)];
  if (!user || !usedPlace) return `${user ? to : from} is not in the table`;
  if (user.part !== usedPlace.part)
    return usedPlace.part === 'server' && MAY_USE_OF_SERVER[user.part](to)
      ? undefined
      : `${user.part}/ does not use ${usedPlace.part}/`;
  if (user.part === 'main' || user.folder === usedPlace.folder || usedPlace.layer < user.layer) return undefined;
  if (usedPlace.layer > user.layer) return `${usedPlace.folder} lies above ${user.folder}`;
  return usesBeside(user).includes(usedPlace.folder) ? undefined : `${user.folder} may not use ${usedPlace.folder}`;
}

const usesBeside = ({ part, folder, layer }: { part: Part; folder: string; layer: number }): readonly string[] =>
  ARCHITECTURE[part][layer]?.folders[folder] ?? [];

/** Returns the files of each cycle, in order. */
export function cyclesOf(imports: readonly Import[]): string[][] {
  const next = Map.groupBy(imports, ({ from }) => from);
  const cycles: string[][] = [];
  const visitedFiles = new Set<string>();
  const path: string[] = [];
  function visit(file: string): void {
    const fileIndex = path.indexOf(file);
    if (fileIndex >= 0) cycles.push(path.slice(fileIndex));
    if (fileIndex >= 0 || visitedFiles.has(file)) return;
    path.push(file);
    for (const { to } of next.get(file) ?? []) visit(to);
    path.pop();
    visitedFiles.add(file);
  }
  for (const file of next.keys()) visit(file);
  return cycles;
}
