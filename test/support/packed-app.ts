// Packs the app without Electron's binary, which is not needed to check what is packed: it is replaced by a file with
// only the fuses, which electron-builder looks for.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './product.ts';

/** The bytes before the fuses in Electron's binary: https://www.electronjs.org/docs/latest/tutorial/fuses */
const SENTINEL = Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX');
/**
 * The fuses in the order of version 1. In a build of Electron only the first, third and fourth fuse are on until they
 * are set.
 */
const FUSES = [
  'runAsNode',
  'cookieEncryption',
  'nodeOptions',
  'nodeInspect',
  'asarIntegrity',
  'onlyFromAsar',
  'browserSnapshot',
  'fileProtocolPrivileges',
  'wasmTrapHandlers',
] as const;
const AS_BUILT = '101100011';

export interface PackedApp {
  /** The folder that an installer would install. */
  dir: string;
  archive: string;
  /** Path of the unpacked files beside the archive. */
  unpacked: string;
  fuses(): Record<(typeof FUSES)[number], boolean>;
}

/** Packs for Linux on any system, as the release workflow does; the native packages are the installed ones. */
export async function packApp(dir: string): Promise<PackedApp> {
  await runNode([join(root, 'scripts', 'build.ts'), '--if-stale', 'server', 'renderer', 'main']);
  const dist = join(dir, 'electron');
  mkdirSync(join(dist, 'resources'), { recursive: true });
  mkdirSync(join(dist, 'locales'));
  writeFileSync(join(dist, 'locales', 'en-US.pak'), '');
  writeFileSync(
    join(dist, 'electron'),
    Buffer.concat([SENTINEL, Buffer.from([1, FUSES.length]), Buffer.from(AS_BUILT)]),
    { mode: 0o755 },
  );

  const output = join(dir, 'out');
  await runNode([
    join(root, 'node_modules', 'electron-builder', 'cli.js'),
    '--linux',
    'dir',
    `--${process.arch}`,
    '--publish',
    'never',
    '-c.publish.owner=somebody',
    '-c.publish.repo=somewhere',
    `-c.electronDist=${dist}`,
    `-c.directories.output=${output}`,
  ]);
  const app = join(output, process.arch === 'x64' ? 'linux-unpacked' : `linux-${process.arch}-unpacked`);
  return {
    dir: app,
    archive: join(app, 'resources', 'app.asar'),
    unpacked: join(app, 'resources', 'app.asar.unpacked'),
    fuses() {
      const binary = readFileSync(join(app, 'tonearm'));
      const row = binary.indexOf(SENTINEL) + SENTINEL.length + 2;
      return Object.fromEntries(FUSES.map((fuse, n) => [fuse, binary[row + n] === 0x31])) as ReturnType<
        PackedApp['fuses']
      >;
    },
  };
}

async function runNode(args: string[]): Promise<void> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}:\n${stdout}`);
}
