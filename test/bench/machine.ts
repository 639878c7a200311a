// Describes the machine of a benchmark in one line.
import { readFileSync, realpathSync } from 'node:fs';
import { arch, availableParallelism, cpus, release, totalmem, type } from 'node:os';

export const describeMachine = (dir: string): string =>
  [
    `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    diskOf(realpathSync(dir)),
    `${type()} ${release()} ${arch()}`,
    `Node ${process.versions.node}`,
  ].join(' · ');

/** Returns the file system of `dir`; empty except on Linux. */
function diskOf(dir: string): string {
  if (process.platform !== 'linux') return dir;
  const [device, , system] = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, mountPoint = '']) => mountPoint === '/' || mountPoint === dir || dir.startsWith(`${mountPoint}/`))
    .toSorted(([, a = ''], [, b = '']) => a.length - b.length)
    .at(-1) ?? ['', '', 'unknown'];
  return `${system} on ${device}`;
}
