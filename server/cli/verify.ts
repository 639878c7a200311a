// `tonearm verify` and `tonearm gc`: storage maintenance without a running server.
import type { App } from '../app.ts';
import type { Finding, VerifyReport } from '../maintenance/verify-report.ts';
import type { GarbageResult } from '../maintenance/wire.ts';
import { runJob } from './wait.ts';
import { COLLECT_GARBAGE, VERIFY_STORAGE } from '../maintenance/tasks.ts';

const MAX_SHOWN = 50;

/** Verifies the storage. Sets exit code 1 when something is damaged and could not be repaired. */
export async function runVerify(app: App): Promise<void> {
  const { id } = await app.jobs.enqueue(VERIFY_STORAGE, { scope: 'all' });
  const {
    checked,
    covers,
    pictures,
    bytes,
    damaged,
    missing,
    unreadable,
    healed,
    changed,
    unhashed,
    returned,
    findings,
  } = await runJob<VerifyReport>(app, id, 'Verifying');
  console.log(
    `${checked} tracks, ${covers} covers and ${pictures} pictures of artists verified ` +
      `(${Math.round(bytes / 1e6)} MB): ${damaged} damaged, ${missing} missing, ${unreadable} unreadable, ` +
      `${healed} repaired, ${returned} found again`,
  );
  if (changed + unhashed > 0) console.log(`${changed} files changed since the last scan; ${unhashed} have no checksum`);
  for (const finding of findings.slice(0, MAX_SHOWN)) console.log(`  ${describe(finding)}`);
  if (findings.length > MAX_SHOWN) console.log('  … and more, see the result of the job');
  if (damaged + missing + unreadable > 0) process.exitCode = 1;
}

const describe = ({ kind, title, storage_uri, healed, reason, ...subject }: Finding): string =>
  `${kind}${healed ? ', repaired' : ''}: "${title}" (${describeSubject(subject)}, ` +
  `${storage_uri})${reason === null ? '' : `: ${reason}`}`;

function describeSubject({
  track_id,
  album_id,
  artist_id,
}: Pick<Finding, 'track_id' | 'album_id' | 'artist_id'>): string {
  if (track_id !== null) return `track ${track_id}`;
  if (album_id !== null) return `cover of album ${album_id}`;
  return artist_id === null ? 'picture of an artist' : `picture of artist ${artist_id}`;
}

export async function runGarbage(app: App, dryRun: boolean, earlierLibrary: boolean): Promise<void> {
  const { id } = await app.jobs.enqueue(COLLECT_GARBAGE, { dryRun, earlierLibrary });
  const { objects, unused, unused_bytes, young, earlier, earlier_bytes, deleted, deleted_bytes, uploads, keys } =
    await runJob<GarbageResult>(app, id, 'Looking for unused objects');
  console.log(
    `${objects} objects: ${unused} unused (${Math.round(unused_bytes / 1e6)} MB), ${young} more unused for too ` +
      'short a time',
  );
  if (earlier > 0)
    console.log(
      `${earlier} (${Math.round(earlier_bytes / 1e6)} MB) are kept, because an earlier library in this storage may ` +
        'need them. When it is not needed any more, run "tonearm gc --earlier-library".',
    );
  for (const key of keys.slice(0, MAX_SHOWN)) console.log(`  ${key}`);
  console.log(
    dryRun
      ? 'Nothing was deleted.'
      : `${deleted} deleted (${Math.round(deleted_bytes / 1e6)} MB), ${uploads} unfinished uploads aborted`,
  );
}
