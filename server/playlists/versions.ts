// Lists versions of playlists and restores them. A track removed since then is looked up by its names; tracks that
// cannot be found are reported.
import type { MainDb } from '../db/client.ts';
import type { PlaylistId, TrackId, UserId } from '../db/ids.ts';
import { notFound } from '../errors.ts';
import type { Page, Paged } from '../http/paging.ts';
import { getOwn, getReadable } from './access.ts';
import type { VersionCheck, PlaylistChanges } from './changes.ts';
import type { EntryRows, NewEntry, VersionRow } from './entry-rows.ts';
import { inSlices } from '../runtime/time-slices.ts';
import { findVersion, listVersions, updatePlaylist, type PlaylistSummary, type VersionSummary } from './queries.ts';
import type { SongMatcher } from './song-match.ts';

export interface VersionEntry {
  id: number;
  position: number;
  trackId: TrackId;
  isTrackThere: boolean;
  title: string;
  artistName: string | null;
}
export interface MissingTrack {
  title: string;
  artistName: string | null;
}

/** Returns the first version that the user may read: others may read versions since the list became public. */
const firstReadable = ({ ownerId, version, publicSinceVersion }: PlaylistSummary, userId: UserId): number =>
  ownerId === userId ? 1 : (publicSinceVersion ?? version);

interface VersionDeps {
  db: MainDb;
  now: () => Date;
  rows: EntryRows;
  changes: PlaylistChanges;
  songs: SongMatcher;
}

export function createVersions({ db, now, rows, changes, songs }: VersionDeps) {
  function getVersion(id: PlaylistId, version: number) {
    const row = findVersion(db, id, version);
    if (!row) throw notFound('version', version);
    return row;
  }

  /** Returns the entry with its own track, or with a track of the same title and artist. */
  function recoverEntry({
    id,
    trackId,
    position,
    addedAt,
    isThere: isTrackThere,
    ...formerNames
  }: VersionRow): NewEntry | undefined {
    const track = isTrackThere
      ? trackId
      : songs.find({
          title: formerNames.title,
          artist: formerNames.artistName ?? undefined,
          album: formerNames.albumTitle ?? undefined,
          durationMs: formerNames.durationMs ?? undefined,
        });
    return track === undefined ? undefined : { id, trackId: track, position, addedAt };
  }

  return {
    listVersions(userId: UserId, id: PlaylistId, page: Page): Paged<VersionSummary> {
      return listVersions(db, id, firstReadable(getReadable(db, userId, id), userId), page);
    },

    versionEntries(userId: UserId, id: PlaylistId, version: number, page: Page): Paged<VersionEntry> {
      if (version < firstReadable(getReadable(db, userId, id), userId)) throw notFound('version', version);
      const { trackCount } = getVersion(id, version);
      const items = rows.version(id, version, page).map(({ isThere: isTrackThere, ...entry }, n) => ({
        ...entry,
        isTrackThere: isTrackThere === 1,
        position: page.offset + n,
      }));
      return { items, total: trackCount };
    },

    /** Makes a new version that equals an earlier one; returns the tracks that could not be restored. */
    async restore(
      userId: UserId,
      id: PlaylistId,
      { version, expectedVersion }: VersionCheck & { version: number },
    ): Promise<MissingTrack[]> {
      getOwn(db, userId, id, expectedVersion);
      const { rules } = getVersion(id, version);
      if (rules !== null) {
        await changes.withLock(id, async () =>
          db.transaction(
            (tx) => {
              const playlist = getOwn(tx, userId, id, expectedVersion);
              updatePlaylist(tx, id, { rules, updatedAt: now() });
              changes.recordVersion(userId, { ...playlist, rules }, 'restore');
            },
            { behavior: 'immediate' },
          ),
        );
        return [];
      }
      let missingTracks: MissingTrack[] = [];
      await changes.change(userId, id, { expectedVersion }, 'restore', async () => {
        const { newEntries, pastEntries } = await rows.differences(id, version);
        const positions = new Map(newEntries.map((entry) => [entry.id, entry.position]));
        const movedRows: VersionRow[] = [];
        const addedEntries: NewEntry[] = [];
        missingTracks = [];
        await inSlices(pastEntries, (entry) => {
          const position = positions.get(entry.id);
          if (position !== undefined) {
            if (position !== entry.position) movedRows.push(entry);
            return;
          }
          const recoveredEntry = recoverEntry(entry);
          if (recoveredEntry) addedEntries.push(recoveredEntry);
          else missingTracks.push({ title: entry.title, artistName: entry.artistName });
        });
        const stayingIds = new Set(pastEntries.map((entry) => entry.id));
        return {
          removed: newEntries.map((entry) => entry.id).filter((entryId) => !stayingIds.has(entryId)),
          moved: movedRows,
          added: addedEntries,
        };
      });
      return missingTracks;
    },
  };
}
