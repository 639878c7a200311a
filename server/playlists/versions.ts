// Versions of playlists, and restoring them. A track removed since is looked up by its names; tracks that cannot be
// found are reported.
import type { MainDb } from '../db/client.ts';
import type { PlaylistId, TrackId, UserId } from '../db/ids.ts';
import { notFound } from '../errors.ts';
import type { Page, Paged } from '../http/paging.ts';
import { getOwn, getReadable } from './access.ts';
import type { Expected, PlaylistChanges } from './changes.ts';
import type { EntryRows, NewEntry, VersionRow } from './entry-rows.ts';
import { findVersion, listVersions, updatePlaylist, type VersionSummary } from './queries.ts';
import type { SongMatcher } from './song-match.ts';

export interface VersionEntry {
  id: number;
  position: number;
  trackId: TrackId;
  isThere: boolean;
  title: string;
  artistName: string | null;
}
export interface MissingTrack {
  title: string;
  artistName: string | null;
}

export interface VersionDeps {
  db: MainDb;
  now: () => Date;
  rows: EntryRows;
  changes: PlaylistChanges;
  songs: SongMatcher;
}

export function createVersions({ db, now, rows, changes, songs }: VersionDeps) {
  function getVersion(id: PlaylistId, version: number) {
    const found = findVersion(db, id, version);
    if (!found) throw notFound('version', version);
    return found;
  }

  /** The entry with its own track, or with one of the same names. */
  function recovered({ id, trackId, position, addedAt, isThere, ...was }: VersionRow): NewEntry | undefined {
    const track = isThere
      ? trackId
      : songs.find({
          title: was.title,
          artist: was.artistName ?? undefined,
          album: was.albumTitle ?? undefined,
          durationMs: was.durationMs ?? undefined,
        });
    return track === undefined ? undefined : { id, trackId: track, position, addedAt };
  }

  return {
    listVersions(userId: UserId, id: PlaylistId, page: Page): Paged<VersionSummary> {
      getReadable(db, userId, id);
      return listVersions(db, id, page);
    },

    versionEntries(userId: UserId, id: PlaylistId, version: number, page: Page): Paged<VersionEntry> {
      getReadable(db, userId, id);
      const { trackCount } = getVersion(id, version);
      const items = rows
        .version(id, version, page)
        .map(({ isThere, ...entry }, n) => ({ ...entry, isThere: isThere === 1, position: page.offset + n }));
      return { items, total: trackCount };
    },

    /** Makes a new version that equals an earlier one; gives what could not be brought back. */
    restore(
      userId: UserId,
      id: PlaylistId,
      { version, expectedVersion }: Expected & { version: number },
    ): Promise<MissingTrack[]> {
      return changes.alone(id, async () => {
        const { missing, rest } = db.transaction(
          (tx): { missing: MissingTrack[]; rest?: Parameters<typeof changes.finish>[0] } => {
            const playlist = getOwn(tx, userId, id, expectedVersion);
            const { rules } = getVersion(id, version);
            if (rules !== null) {
              updatePlaylist(tx, id, { rules, updatedAt: now() });
              changes.note(userId, { ...playlist, rules }, 'restore');
              return { missing: [] };
            }
            const { fresh, past } = rows.differences(id, version);
            const positions = new Map(fresh.map((entry) => [entry.id, entry.position]));
            const kept = new Set(past.map((entry) => entry.id));
            const back = past
              .filter((entry) => !positions.has(entry.id))
              .map((entry) => ({ entry, found: recovered(entry) }));
            const planned = {
              removed: fresh.filter((entry) => !kept.has(entry.id)).map((entry) => entry.id),
              moved: past.filter((entry) => (positions.get(entry.id) ?? entry.position) !== entry.position),
              added: back.flatMap(({ found }) => found ?? []),
            };
            const isSame = planned.removed.length + planned.moved.length + planned.added.length === 0;
            if (isSame) changes.note(userId, playlist, 'restore');
            return {
              missing: back
                .filter(({ found }) => found === undefined)
                .map(({ entry: { title, artistName } }) => ({ title, artistName })),
              ...(!isSame && { rest: changes.writeVersion(userId, playlist, 'restore', planned) }),
            };
          },
          { behavior: 'immediate' },
        );
        if (rest) await changes.finish(rest);
        return missing;
      });
    },
  };
}
