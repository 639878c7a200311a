// Runs other programs on audio files through judges.py. A missing program is reported, and the comparison with it is
// skipped.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

interface Judgements {
  loudness: { lufs: number; peak: number; leading: number; trailing: number };
  tempo: { bpm: number };
  music: { bpm: number; key: string };
  likeness: { sonara?: number[]; librosa?: number[] };
}

/** Returns the other program's results; undefined, after a report, if the program is missing. */
export function judge<Kind extends keyof Judgements>(
  python: string,
  kind: Kind,
  paths: readonly string[],
  ...args: string[]
): Judgements[Kind][] | undefined {
  const script = join(import.meta.dirname, 'judges.py');
  const { status, stdout, stderr } = spawnSync(python, [script, kind, ...args], {
    input: paths.map((path) => `${path}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  if (status === 0)
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Judgements[Kind]);
  console.error(`NOT JUDGED: ${kind}, as ${python} or what it needs is absent (${(stderr ?? '').trim().slice(-120)})`);
  return undefined;
}
