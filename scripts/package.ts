// npm run package [-- OPTIONS OF electron-builder]: builds installers of the desktop app for this system and processor.
// npm run package -- server [--without-node] [--to DIR]: builds an archive of the server, which runs without npm, a
// build or, unless it is left out, an installed Node.js. Both write into out/.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob, sep } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '..');
const isWindows = process.platform === 'win32';
/** The parts of the project that the archive contains, including all of dist/ except the desktop shell. */
const ARCHIVE_PARTS = [
  'dist/server',
  'dist/renderer',
  'migrations',
  'resources',
  'docs',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
];
const EXCLUDED_PARTS = [
  'migrations/meta',
  'resources/packaging',
  'resources/languages',
  'docs/screenshots',
  'docs/decisions',
];
const ARCHIVE_SCRIPTS = [
  'run',
  'run.cmd',
  'tonearm.js',
  'start.js',
  'check-node.js',
  'node-version.js',
  'packaged-node.js',
  'first-build.js',
  'built-parts.js',
];
const NODE_FLAGS = '--expose-gc --max-semi-space-size=4';
const SHELL_LAUNCHER = `#!/bin/sh
# Starts the server, or runs one of its commands: ./tonearm --help
here=$(dirname "$(readlink -f "$0")")
MALLOC_ARENA_MAX=2 exec "$here/scripts/run" node ${NODE_FLAGS} "$here/scripts/tonearm.js" "$@"
`;
const WINDOWS_LAUNCHER = `@rem Starts the server, or runs one of its commands: tonearm --help\r
@"%~dp0scripts\\run.cmd" node ${NODE_FLAGS} "%~dp0scripts\\tonearm.js" %*\r
`;

if (process.argv[2] === 'server') packServer(process.argv.slice(3));
else packApp(process.argv.slice(2));

function packApp(options: string[]): void {
  build('server', 'renderer', 'main');
  const builder = join(root, 'node_modules', 'electron-builder', 'cli.js');
  const { status } = spawnSync(process.execPath, [builder, '--publish', 'never', ...options], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

function packServer(args: string[]): void {
  const options = { 'without-node': { type: 'boolean' }, to: { type: 'string' } } as const;
  const { values } = parseArgs({ args, options });
  build('server', 'renderer');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const name = `tonearm-${version}-${process.platform}-${process.arch}`;
  const staging = mkdtempSync(join(tmpdir(), 'tonearm-archive-'));
  const outDir = values.to ?? join(root, 'out');
  mkdirSync(outDir, { recursive: true });
  const archive = join(outDir, `${name}.${isWindows ? 'zip' : 'tar.gz'}`);
  try {
    fillFolder(join(staging, name), version, values['without-node'] !== true);
    execFileSync('tar', [isWindows ? '-acf' : '-czf', archive, '-C', staging, name]);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  console.log(`${archive} (${(statSync(archive).size / 1e6).toFixed(0)} MB)`);
}

function build(...parts: string[]): void {
  execFileSync(process.execPath, [join(root, 'scripts', 'build.ts'), '--if-stale', ...parts], { stdio: 'inherit' });
}

function fillFolder(folder: string, version: string, withNode: boolean): void {
  const files = [
    ...ARCHIVE_PARTS.flatMap((part) => filesBelow(part)).filter(
      (file) => !EXCLUDED_PARTS.some((part) => file.startsWith(`${part}/`)),
    ),
    ...ARCHIVE_SCRIPTS.map((script) => `scripts/${script}`),
    ...nativePackageFiles(),
    ...(withNode ? nodeFiles() : []),
  ];
  for (const file of files) cpSync(join(root, file), join(folder, file));
  const manifest = { name: 'tonearm', version, license: 'MIT', private: true, type: 'module' };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  if (isWindows) writeFileSync(join(folder, 'tonearm.cmd'), WINDOWS_LAUNCHER);
  else writeFileSync(join(folder, 'tonearm'), SHELL_LAUNCHER, { mode: 0o755 });
}

/** Returns all files below a file or folder of the project, with `/` as separator. */
function filesBelow(part: string): string[] {
  if (!statSync(join(root, part)).isDirectory()) return [part];
  return readdirSync(join(root, part), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll(sep, '/'),
    );
}

/** Returns the files of packages with native parts, as electron-builder.yml chooses them for the desktop app. */
function nativePackageFiles(): string[] {
  const [, list = ''] =
    /^files:\n((?: {2}.*\n)+)/m.exec(readFileSync(join(root, 'electron-builder.yml'), 'utf8')) ?? [];
  const rules = [...list.matchAll(/^ {2}- '?(!?)(node_modules\/[^'\s]+)/gm)].map(([, negation, glob = '']) => ({
    isTaken: negation === '',
    glob: glob.replace('${platform}', process.platform).replace('${arch}', process.arch),
  }));
  const folders = rules.filter(({ isTaken, glob }) => isTaken && glob.endsWith('/**')).map(({ glob }) => dirname(glob));
  const installed = ['node_modules', ...scopeFolders()].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  );
  return installed
    .filter((folder) => folders.some((glob) => matchesGlob(folder, glob)))
    .flatMap(filesBelow)
    .filter((file) => rules.findLast(({ glob }) => matchesGlob(file, glob))?.isTaken);
}

/** Returns the folders of packages with a scope, such as `node_modules/@img`. */
function scopeFolders(): string[] {
  const names = readdirSync(join(root, 'node_modules')).filter((name) => name.startsWith('@'));
  return names.map((name) => `node_modules/${name}`);
}

/** Returns the files of the Node.js package: the program and its licence. */
function nodeFiles(): string[] {
  const folder = readdirSync(join(root, 'node_modules')).find((name) => /^node-(linux|win)-\w+$/.test(name));
  if (folder === undefined)
    throw new Error('There is no Node.js among the packages for this system: add --without-node.');
  const program = isWindows ? 'bin/node.exe' : 'bin/node';
  return [program, 'LICENSE']
    .map((file) => `node_modules/${folder}/${file}`)
    .filter((file) => existsSync(join(root, file)));
}
