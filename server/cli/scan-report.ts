// What a scan did, or would do, as lines for a terminal. Pure.
import type { ScanResult } from '../scan/wire.ts';

const SHOWN = 20;
/** In file names these could tell the terminal to do things. */
const CONTROLS = /\p{Cc}/gu;

/** What could not be taken, and why. */
export const describeProblems = ({ failed, failed_count, changing, changing_count }: ScanResult): string[] => [
  ...listed(
    failed.map(({ source_id, reason }) => `${source_id}: ${reason}`),
    failed_count,
  ),
  ...(changing_count > 0 ? ['Still being written, left for the next scan:', ...listed(changing, changing_count)] : []),
];

export function describeDryRun(result: ScanResult): string[] {
  const { added, updated, moved, missing, restored } = result.changes ?? {
    added: [],
    updated: [],
    moved: [],
    missing: [],
    restored: [],
  };
  const kinds: [string, string[], number][] = [
    ['new', added, result.added],
    ['changed', updated, result.updated],
    ['moved', moved.map(({ from, to }) => `${from} → ${to}`), result.moved],
    ['missing', missing, result.missing],
    ['back again', restored, result.restored],
    ['cannot be read', result.failed.map(({ source_id, reason }) => `${source_id}: ${reason}`), result.failed_count],
    ['still being written', result.changing, result.changing_count],
  ];
  return [
    `Dry run: ${result.files} files looked at, nothing was changed. A scan would find:`,
    ...kinds.flatMap(([kind, names, count]) => [
      `${String(count).padStart(7)} ${kind}`,
      ...listed(names, count).map((line) => `        ${line}`),
    ]),
    `${String(result.unchanged).padStart(7)} unchanged`,
  ];
}

const listed = (lines: string[], count: number): string[] => [
  ...lines.slice(0, SHOWN).map((line) => `  ${line.replace(CONTROLS, '\ufffd')}`),
  ...(count > Math.min(SHOWN, lines.length) ? [`  … and ${count - Math.min(SHOWN, lines.length)} more`] : []),
];
