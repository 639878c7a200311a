import { and, asc, count, desc, eq, gte, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import { type Db, writtenRow } from '../db/client.ts';
import type { PlaylistId, UserId } from '../db/ids.ts';
import {
  playlistFileLines,
  playlistFiles,
  playlists,
  playlistVersions,
  users,
  type PlaylistChange,
} from '../db/schema.ts';
import type { Page, Paged } from '../http/paging.ts';
import { NO_TRACK, textOfEntry, type UnmatchedLine } from './file-match.ts';
import { RulesIn, type Rules } from './rules.ts';

type PlaylistRow = typeof playlists.$inferSelect;
/** A playlist with its owner's name. For a smart playlist, service.ts fills in `trackCount` and `durationMs`. */
export type PlaylistSummary = Omit<PlaylistRow, 'rules'> & {
  ownerName: string;
  rules: Rules | null;
  /** The playlist file in a music folder that the playlist follows, or followed. */
  file: FollowedFile | null;
};

export interface FollowedFile {
  id: number;
  /** In the tree of music folders. */
  path: string;
  /** `edited`: a person changed the playlist after it was read from the file. `stopped`: a person ended following. */
  state: 'follows' | 'edited' | 'stopped';
  isGone: boolean;
  /** Why the file could not be used, or which part of it. */
  fault: string | null;
  unmatchedCount: number;
}

const columns = {
  id: playlists.id,
  ownerId: playlists.ownerId,
  name: playlists.name,
  description: playlists.description,
  isPublic: playlists.isPublic,
  publicSinceVersion: playlists.publicSinceVersion,
  version: playlists.version,
  rules: playlists.rules,
  trackCount: playlists.trackCount,
  durationMs: playlists.durationMs,
  createdAt: playlists.createdAt,
  updatedAt: playlists.updatedAt,
  deletedAt: playlists.deletedAt,
  ownerName: users.username,
  file: {
    id: playlistFiles.id,
    path: playlistFiles.path,
    isGone: playlistFiles.isGone,
    isStopped: playlistFiles.isStopped,
    fault: playlistFiles.fault,
  },
  isEdited: sql<number>`EXISTS (SELECT 1 FROM ${playlistVersions} v WHERE v.playlist_id = ${playlists.id}
    AND v.version > ${playlistFiles.playlistVersion} AND v.user_id IS NOT NULL)`,
  unmatchedCount: sql<number>`(SELECT count(*) FROM ${playlistFileLines} l
    WHERE l.file_id = ${playlistFiles.id} AND l.track_id IS NULL)`,
};

/** Stands in for stored rules that this version cannot parse. Matches nothing; the row is kept. */
const MATCH_NOTHING: Rules = { all: [{ field: 'title', op: 'is_not_set', value: undefined }] };
const toSummary = ({ file, isEdited, unmatchedCount, rules, ...row }: SelectedRow): PlaylistSummary => ({
  ...row,
  rules: rules === null ? null : (RulesIn.safeParse(rules).data ?? MATCH_NOTHING),
  file: file && {
    id: file.id,
    path: file.path,
    isGone: file.isGone,
    fault: file.fault,
    state: file.isStopped ? 'stopped' : isEdited === 1 ? 'edited' : 'follows',
    unmatchedCount,
  },
});

const isReadableBy = (userId: UserId) =>
  and(or(eq(playlists.ownerId, userId), sql`${playlists.isPublic} = 1`), isNull(playlists.deletedAt));
const select = (db: Db) =>
  db
    .select(columns)
    .from(playlists)
    .innerJoin(users, eq(users.id, playlists.ownerId))
    .leftJoin(playlistFiles, eq(playlistFiles.playlistId, playlists.id));
type SelectedRow = NonNullable<ReturnType<ReturnType<typeof select>['get']>>;

/** Finds a playlist among the user's own and the public ones. */
export function findReadable(db: Db, userId: UserId, id: PlaylistId): PlaylistSummary | undefined {
  const row = select(db)
    .where(and(eq(playlists.id, id), isReadableBy(userId)))
    .get();
  return row && toSummary(row);
}

export function findDeleted(db: Db, ownerId: UserId, id: PlaylistId): PlaylistSummary | undefined {
  const row = select(db)
    .where(and(eq(playlists.id, id), eq(playlists.ownerId, ownerId), isNotNull(playlists.deletedAt)))
    .get();
  return row && toSummary(row);
}

/** Lists the user's own and the public playlists, by name. */
export function listReadable(db: Db, userId: UserId, { limit, offset }: Page): Paged<PlaylistSummary> {
  const items = select(db)
    .where(isReadableBy(userId))
    .orderBy(sql`${playlists.name} COLLATE NOCASE`, asc(playlists.id))
    .limit(limit)
    .offset(offset)
    .all();
  return {
    items: items.map(toSummary),
    total: db.select({ n: count() }).from(playlists).where(isReadableBy(userId)).get()?.n ?? 0,
  };
}

/** Lists deleted playlists, most recently deleted first. */
export function listDeleted(db: Db, ownerId: UserId, { limit, offset }: Page): Paged<PlaylistSummary> {
  const where = and(eq(playlists.ownerId, ownerId), isNotNull(playlists.deletedAt));
  const items = select(db)
    .where(where)
    .orderBy(desc(playlists.deletedAt), desc(playlists.id))
    .limit(limit)
    .offset(offset)
    .all();
  return { items: items.map(toSummary), total: db.select({ n: count() }).from(playlists).where(where).get()?.n ?? 0 };
}

interface NewPlaylist {
  ownerId: UserId;
  name: string;
  description: string | null;
  isPublic: boolean;
  rules: Rules | null;
  createdAt: Date;
}

export const insertPlaylist = (db: Db, playlist: NewPlaylist): PlaylistId =>
  writtenRow(
    db
      .insert(playlists)
      .values({ ...playlist, publicSinceVersion: playlist.isPublic ? 1 : null, updatedAt: playlist.createdAt })
      .returning({ id: playlists.id }),
  ).id;

type Changeable = Pick<PlaylistRow, 'name' | 'description' | 'isPublic' | 'deletedAt'> & { rules: Rules };
export type PlaylistFields = { [F in keyof Changeable]?: Changeable[F] | undefined };

/**
 * Updates a playlist. A playlist becomes public from its current version on, so a new version has to be recorded
 * before.
 */
export function updatePlaylist(db: Db, id: PlaylistId, fields: PlaylistFields & { updatedAt: Date }): void {
  const publicSinceVersion =
    fields.isPublic === true ? sql`CASE WHEN is_public THEN public_since_version ELSE version END` : null;
  db.update(playlists)
    .set({ ...fields, ...(fields.isPublic !== undefined && { publicSinceVersion }) })
    .where(eq(playlists.id, id))
    .run();
}

export const deletePlaylist = (db: Db, id: PlaylistId): void =>
  void db.delete(playlists).where(eq(playlists.id, id)).run();

/** Increments and returns the version. */
export const nextVersion = (db: Db, id: PlaylistId, updatedAt: Date): number =>
  writtenRow(
    db
      .update(playlists)
      .set({ version: sql`${playlists.version} + 1`, updatedAt })
      .where(eq(playlists.id, id))
      .returning({ version: playlists.version }),
  )?.version ?? 0;

interface NewVersion {
  playlistId: PlaylistId;
  version: number;
  change: PlaylistChange;
  added: number;
  removed: number;
  moved: number;
  rules: Rules | null;
  /** Null if a playlist file made the version. */
  userId: UserId | null;
  createdAt: Date;
}

/** Records a version with the current number of tracks. */
export const appendVersion = (db: Db, version: NewVersion): void => {
  const trackCount =
    db.select({ n: playlists.trackCount }).from(playlists).where(eq(playlists.id, version.playlistId)).get()?.n ?? 0;
  db.insert(playlistVersions)
    .values({ ...version, trackCount })
    .run();
};

/** Counts the tracks again after a version was written in parts. */
export const recountVersion = (db: Db, id: PlaylistId, version: number): void =>
  void db
    .update(playlistVersions)
    .set({ trackCount: sql`(SELECT ${playlists.trackCount} FROM ${playlists} WHERE ${playlists.id} = ${id})` })
    .where(and(eq(playlistVersions.playlistId, id), eq(playlistVersions.version, version)))
    .run();

export type VersionSummary = Omit<typeof playlistVersions.$inferSelect, 'playlistId' | 'rules' | 'userId'> & {
  userName: string | null;
};

/** Lists versions, latest first, from `since` on. */
export function listVersions(
  db: Db,
  playlistId: PlaylistId,
  since: number,
  { limit, offset }: Page,
): Paged<VersionSummary> {
  const where = and(eq(playlistVersions.playlistId, playlistId), gte(playlistVersions.version, since));
  const v = playlistVersions;
  const items = db
    .select({
      version: v.version,
      change: v.change,
      added: v.added,
      removed: v.removed,
      moved: v.moved,
      trackCount: v.trackCount,
      createdAt: v.createdAt,
      userName: users.username,
    })
    .from(v)
    .leftJoin(users, eq(users.id, v.userId))
    .where(where)
    .orderBy(desc(v.version))
    .limit(limit)
    .offset(offset)
    .all();
  return { items, total: db.select({ n: count() }).from(v).where(where).get()?.n ?? 0 };
}

export function findVersion(
  db: Db,
  playlistId: PlaylistId,
  version: number,
): { rules: Rules | null; trackCount: number } | undefined {
  const row = db
    .select({ rules: playlistVersions.rules, trackCount: playlistVersions.trackCount })
    .from(playlistVersions)
    .where(and(eq(playlistVersions.playlistId, playlistId), eq(playlistVersions.version, version)))
    .get();
  return row && { ...row, rules: row.rules === null ? null : (RulesIn.safeParse(row.rules).data ?? MATCH_NOTHING) };
}

/** Lists the lines of a playlist's file that have no track, in the order of the file. */
export function listUnmatchedLines(db: Db, fileId: number, { limit, offset }: Page): Paged<UnmatchedLine> {
  const { location, artist, title, line, reason, position } = playlistFileLines;
  const where = and(eq(playlistFileLines.fileId, fileId), isNull(playlistFileLines.trackId));
  const rows = db
    .select({ location, artist, title, line, reason })
    .from(playlistFileLines)
    .where(where)
    .orderBy(position)
    .limit(limit)
    .offset(offset)
    .all();
  return {
    items: rows.map((row) => ({
      line: row.line,
      text: textOfEntry({ ...row, artist: row.artist ?? undefined, title: row.title ?? undefined }),
      reason: row.reason ?? NO_TRACK,
    })),
    total: db.select({ n: count() }).from(playlistFileLines).where(where).get()?.n ?? 0,
  };
}

/** Returns those of the playlists that are ordinary and that the user may read. */
export const listOrdinary = (db: Db, userId: UserId, ids: PlaylistId[]): PlaylistId[] =>
  db
    .select({ id: playlists.id })
    .from(playlists)
    .where(and(inArray(playlists.id, ids), isNull(playlists.rules), isReadableBy(userId)))
    .all()
    .map(({ id }) => id);
