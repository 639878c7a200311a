// `tonearm verify` and `tonearm gc [--dry-run]`: upkeep of the storage without a server.
import type { App } from '../app.ts';
import { AppError } from '../errors.ts';
import type { Finding, VerifyReport } from '../maintenance/verify-report.ts';
import type { GarbageResult } from '../maintenance/wire.ts';
import { showJobProgress } from './progress.ts';
import { cancelOnStop, untilEnded } from './wait.ts';
import { COLLECT_GARBAGE, VERIFY_STORAGE } from '../maintenance/tasks.ts';

const SHOWN = 50;

/** Exit code 1 when something is not as it was and could not be healed. */
export async function runVerify(app: App): Promise<void> {
  const tally = (await run(app, { scope: 'all' }, 'Comparing')) as VerifyReport;
  const { checked, covers, bytes, damaged, missing, unreadable, healed, changed, unhashed, returned, findings } = tally;
  console.log(
    `${checked} tracks and ${covers} covers compared (${Math.round(bytes / 1e6)} MB): ${damaged} damaged, ` +
      `${missing} missing, ${unreadable} unreadable, ${healed} healed, ${returned} back again`,
  );
  if (changed + unhashed > 0)
    console.log(`${changed} files were changed since the last scan; ${unhashed} have no checksum to compare with`);
  for (const finding of findings.slice(0, SHOWN)) console.log(`  ${describe(finding)}`);
  if (findings.length > SHOWN) console.log('  … and more: see the result of the job');
  if (damaged + missing + unreadable > 0) process.exitCode = 1;
}

const describe = ({ kind, title, track_id, album_id, storage_uri, healed, reason }: Finding): string =>
  `${kind}${healed ? ', healed' : ''}: "${title}" ` +
  `(${track_id === null ? `cover of album ${album_id}` : `track ${track_id}`}, ` +
  `${storage_uri})${reason === null ? '' : `: ${reason}`}`;

export async function runGarbage(app: App, dryRun: boolean): Promise<void> {
  const { objects, unused, unused_bytes, young, deleted, deleted_bytes, uploads, keys } = (await run(
    app,
    { dryRun },
    'Looking',
  )) as GarbageResult;
  console.log(
    `${objects} objects: ${unused} unused (${Math.round(unused_bytes / 1e6)} MB), ${young} more that are too ` +
      'young to say',
  );
  for (const key of keys.slice(0, SHOWN)) console.log(`  ${key}`);
  console.log(
    dryRun
      ? 'Nothing was deleted.'
      : `${deleted} deleted (${Math.round(deleted_bytes / 1e6)} MB), ${uploads} unfinished uploads given up`,
  );
}

async function run(app: App, payload: { scope: 'all' } | { dryRun: boolean }, label: string): Promise<unknown> {
  const { id } =
    'scope' in payload
      ? await app.jobs.enqueue(VERIFY_STORAGE, payload)
      : await app.jobs.enqueue(COLLECT_GARBAGE, payload);
  showJobProgress(app.events, id, label);
  cancelOnStop(app, id);
  const job = await untilEnded(app, id);
  if (job.status === 'cancelled') throw new AppError('conflict', 'It was cancelled; what it did stays.');
  if (job.status !== 'succeeded') throw new AppError('unavailable', job.error ?? 'It did not end well.');
  return job.result;
}
