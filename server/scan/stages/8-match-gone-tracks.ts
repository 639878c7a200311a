// Gone stage, when all rows are written: searches for tracks whose files are gone among the new tracks.
import { inSlices } from '../../runtime/time-slices.ts';
import type { Scan } from '../scan-context.ts';
import { recordAdopted, recordJoined } from '../scan-record.ts';

/** Groups the tracks of new and changed folders into albums and releases. */
export async function assignAlbums({ deps, options }: Scan): Promise<void> {
  const { db, tracks } = deps;
  const { folderAlbums, releases } = tracks;
  const inTransaction = (slice: () => void): void => db.transaction(slice, { behavior: 'immediate' });
  const splitAlbums = folderAlbums.list();
  await inSlices(splitAlbums, folderAlbums.gather, inTransaction);
  const unassignedReleases = releases.listNotedNames();
  await inSlices(unassignedReleases, releases.regroupAlbums, inTransaction);
  if (splitAlbums.length + unassignedReleases.length > 0) options.onCommit();
}

export async function matchGoneTracks({ deps, options, unfinishedScans, record }: Scan): Promise<void> {
  const { joinedIds, adoptedIds, upgradedIds } = await deps.goneTrackFinder.matchGoneTracks({
    root: options.roots,
    lastOldId: unfinishedScans.lastOldId(),
    signal: options.signal,
    now: deps.now(),
  });
  recordJoined(record, [...joinedIds, ...upgradedIds]);
  recordAdopted(record, adoptedIds);
  unfinishedScans.end();
}
