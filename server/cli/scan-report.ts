// Describes the result of a scan or a dry run in lines for a terminal.
import type { App } from '../app.ts';
import type { JobId } from '../db/ids.ts';
import type { JobOut } from '../jobs/wire.ts';
import { SCAN_LOCAL_FOLDER } from '../scan/tasks.ts';
import type { ScanResult } from '../scan/wire.ts';
import { OPERATOR, showProgress } from './progress.ts';

const MAX_SHOWN_LINES = 20;
/** Control characters in file names, which could be escape sequences of the terminal. */
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/** Shows progress and results of all scans, as long as the process runs. */
export function showScans({ events, jobs }: Pick<App, 'events' | 'jobs'>): void {
  let lastProblems = '';
  let isFirst = true;
  showProgress(events);
  events.subscribe(OPERATOR, undefined, ({ name, data }) => {
    const job = name === 'job' ? (JSON.parse(data) as JobOut) : undefined;
    if (job?.task !== SCAN_LOCAL_FOLDER.name) return;
    if (job.status === 'failed') return console.log(`Scan failed: ${job.error}`);
    if (job.status !== 'succeeded') return;
    // the event leaves out long lists, so the job is read
    const result = jobs.get(job.id as JobId).result as ScanResult;
    if (result.dry_run) return;
    if (isFirst || hasChanges(result)) console.log(describeCounts(result));
    isFirst = false;
    const problems = describeProblems(result).join('\n');
    if (problems !== '' && problems !== lastProblems) console.log(problems);
    lastProblems = problems;
  });
}

const hasChanges = ({ files, unchanged, missing }: ScanResult): boolean => unchanged < files || missing > 0;

/** Returns a line with counts, and the files that were not imported. */
export const describeScan = (result: ScanResult): string[] => [describeCounts(result), ...describeProblems(result)];

/** Returns a line with counts of files, which add up to the number of files. */
function describeCounts(result: ScanResult): string {
  const { files, added, updated, missing, changing_count: changing, failed_folders: folders, duration_ms } = result;
  const newFiles = added - result.extra_tracks;
  const parts: [number, string][] = [
    [Math.max(0, newFiles), 'new'],
    [updated, 'changed'],
    // several tracks of one moved file count as one moved file
    [result.moved + Math.min(0, newFiles), 'moved'],
    [result.unchanged, 'unchanged'],
    [changing, 'still being written'],
    [result.failed_count - folders, 'failed'],
  ];
  const counts = parts.flatMap(([count, label]) => (count > 0 ? [`${count} ${label}`] : []));
  const otherCounts = [
    ...(newFiles > 0 && result.extra_tracks > 0 ? [`${added} tracks added`] : []),
    ...(missing > 0 ? [`${missing} ${missing === 1 ? 'track is' : 'tracks are'} missing`] : []),
    ...(folders > 0 ? [`${folders} ${folders === 1 ? 'folder' : 'folders'} could not be listed`] : []),
  ];
  const perSecond = Math.round(files / Math.max(0.001, duration_ms / 1000));
  const text = [counts.join(', '), ...otherCounts].filter(Boolean).join('; ');
  return `Scan done: ${files} ${files === 1 ? 'file' : 'files'}${text === '' ? '' : `, ${text}`} (${perSecond}/s)`;
}

/** Lists files that were not imported, with the reason. */
const describeProblems = ({ failed, failed_count, changing, changing_count }: ScanResult): string[] => [
  ...(failed_count > 0
    ? [
        'Could not be read:',
        ...listLines(
          failed.map(({ source_id, reason }) => `${source_id}: ${reason}`),
          failed_count,
        ),
      ]
    : []),
  ...(changing_count > 0
    ? ['Still being written, skipped until the next scan:', ...listLines(changing, changing_count)]
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
      ...listLines(names, count).map((line) => `        ${line}`),
    ]),
    `${String(result.unchanged).padStart(7)} unchanged`,
  ];
}

const listLines = (lines: string[], count: number): string[] => [
  ...lines.slice(0, MAX_SHOWN_LINES).map((line) => `  ${line.replace(CONTROL_CHARACTERS, '\ufffd')}`),
  ...(count > Math.min(MAX_SHOWN_LINES, lines.length)
    ? [`  … and ${count - Math.min(MAX_SHOWN_LINES, lines.length)} more`]
    : []),
];
