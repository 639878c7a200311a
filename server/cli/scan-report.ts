// The result of a scan or a dry run as lines for a terminal.
import type { ScanResult } from '../scan/wire.ts';

const SHOWN = 20;
/** Control characters in file names could be escape sequences of the terminal. */
const CONTROLS = /\p{Cc}/gu;

/** Files that were not imported, with the reason. */
export const describeProblems = ({ failed, failed_count, changing, changing_count }: ScanResult): string[] => [
  ...listed(
    failed.map(({ source_id, reason }) => `${source_id}: ${reason}`),
    failed_count,
  ),
  ...(changing_count > 0
    ? ['Still being written, skipped until the next scan:', ...listed(changing, changing_count)]
    : []),
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
    ['found again', restored, result.restored],
    ['unreadable', result.failed.map(({ source_id, reason }) => `${source_id}: ${reason}`), result.failed_count],
    ['still being written', result.changing, result.changing_count],
  ];
  return [
    `Dry run: ${result.files} files checked, nothing was changed. A scan would find:`,
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
