// Regroups albums for other reasons than changed tags: albums of an earlier version follow the rule (releases.ts), and
// people merge albums of one name. Each regrouping can be undone for 30 days.
import { count, desc, eq, lt } from 'drizzle-orm';
import type { AlbumFields, AlbumsBefore } from '../../db/albums-before-regrouping.ts';
import { type MainDb, writtenRow } from '../../db/client.ts';
import type { AlbumId, ArtistId, RegroupingId, TrackId, UserId } from '../../db/ids.ts';
import { albumReview, albumRegroupings } from '../../db/schema.ts';
import { AppError, notFound } from '../../errors.ts';
import type { Page, Paged } from '../../http/paging.ts';
import { inSlices } from '../../runtime/time-slices.ts';
import { albumName, partsOfName } from './album-names.ts';
import type { PlacedTrack } from './album-releases.ts';
import { identityKey } from '../tracks/sort-and-identity-keys.ts';
import type { TrackWriter } from '../tracks/track-writer.ts';
import { bindContext } from '../../runtime/bind-context.ts';

/** A change that regrouping would make: the albums of one name, and the tracks of each album that replaces them. */
export interface AlbumChange {
  title: string;
  artistName: string | null;
  albums: AlbumId[];
  proposedAlbums: PlacedTrack[][];
}

export type Regrouping = typeof albumRegroupings.$inferSelect;
interface NameRow {
  artistId: ArtistId | null;
  artistName: string | null;
  title: string;
}

interface RegroupingsDeps {
  db: MainDb;
  tracks: Pick<TrackWriter, 'batch' | 'releases' | 'insertAlbumLike'>;
  now: () => Date;
}

export type AlbumRegroupings = ReturnType<typeof createAlbumRegroupings>;

export function createAlbumRegroupings(deps: RegroupingsDeps) {
  const context = createContext(deps);

  return bindContext(context, { dueAt, listChanges, releaseUnchanged, applyAll, merge, listPast, undo, purgeOld });
}

type Context = ReturnType<typeof createContext>;

function createContext({ db, tracks: { batch, releases, insertAlbumLike }, now }: RegroupingsDeps) {
  const client = db.$client;
  const listNames = client.prepare<[], NameRow>(
    `SELECT a.artist_id AS artistId, x.name AS artistName, min(a.title) AS title
      FROM albums a INDEXED BY albums_fixed_by LEFT JOIN artists x ON x.id = a.artist_id
      WHERE a.fixed_by = 'upgrade' GROUP BY a.artist_id, a.title_sort, lower(a.title)
      ORDER BY x.sort_key, a.title_sort`,
  );
  const findName = client.prepare<[AlbumId], NameRow & { id: AlbumId }>(
    `SELECT a.id, a.artist_id AS artistId, x.name AS artistName, a.title
      FROM albums a LEFT JOIN artists x ON x.id = a.artist_id WHERE a.id = ?`,
  );
  const findFields = client.prepare<[AlbumId], AlbumFields>(
    `SELECT title, year, release_group_mbid AS releaseGroupMbid, source, source_id AS sourceId,
      is_compilation AS isCompilation FROM albums WHERE id = ?`,
  );
  const setFields = client.prepare<AlbumFields & { id: AlbumId }>(
    `UPDATE albums SET title = @title, release_group_mbid = @releaseGroupMbid, source = @source,
      source_id = @sourceId, is_compilation = @isCompilation WHERE id = @id`,
  );
  const setYear = client.prepare<[number | null, AlbumId]>('UPDATE albums SET year = ? WHERE id = ?');
  const findTagsToRead = client.prepare<[], object>('SELECT 1 FROM tags_again');
  const setFixed = client.prepare<[string | null, AlbumId]>('UPDATE albums SET fixed_by = ? WHERE id = ?');
  return {
    db,
    batch,
    releases,
    insertAlbumLike,
    now,
    listNames,
    findName,
    findFields,
    setFields,
    setYear,
    findTagsToRead,
    setFixed,
  };
}

const nameOf = ({ artistId, title }: NameRow): string => albumName(artistId, title);

const inBatch = <T>({ db, batch }: Context, write: () => T): T =>
  db.transaction(() => batch(write), { behavior: 'immediate' });

/** Calls `handleName` with every name that has albums of an earlier version. */
async function forEachName(context: Context, handleName: (name: NameRow) => void): Promise<void> {
  const visitedNames = new Set<string>();
  await inSlices(context.listNames.all(), (row) => {
    if (!visitedNames.has(nameOf(row))) handleName(row);
    visitedNames.add(nameOf(row));
  });
}

function release(context: Context, name: string): void {
  for (const { id, fixedBy } of context.releases.albumsOf(name))
    if (fixedBy === 'upgrade') context.setFixed.run(null, id);
}

/** Stores what the albums of a name are now, so that the regrouping can be undone. */
function recordRegrouping(context: Context, row: NameRow, by: UserId | null): Regrouping {
  const byAlbum = Map.groupBy(context.releases.tracksOf(nameOf(row)), (track) => track.album);
  return writtenRow(
    context.db
      .insert(albumRegroupings)
      .values({
        name: nameOf(row),
        title: row.title,
        artistName: row.artistName,
        before: [...byAlbum].map(([album, albumTracks]) => [
          album,
          albumTracks.map(({ id }) => id),
          context.findFields.get(album),
        ]) satisfies AlbumsBefore,
        madeBy: by,
        madeAt: context.now(),
      })
      .returning(),
  );
}

/** Applies the rule to a name. Albums that the rule leaves unchanged wait until all tags are read, at most a week. */
function apply(context: Context, row: NameRow, by: UserId | null): void {
  if (context.releases.proposal(nameOf(row))) recordRegrouping(context, row, by);
  else if (by !== null && context.findTagsToRead.get()) return;
  release(context, nameOf(row));
  context.releases.regroupAlbums(nameOf(row));
}

/**
 * Returns the id of an album as it was before, and inserts its row again if the row was deleted. An album that has
 * another name by now keeps that name, and a new album takes its place.
 */
function bringBack(
  context: Context,
  album: AlbumId,
  fields: AlbumFields | undefined,
  name: string,
  like: AlbumId,
): AlbumId {
  const row = context.findName.get(album);
  const hasOtherName = row !== undefined && nameOf(row) !== name;
  const id = context.insertAlbumLike(like, hasOtherName ? null : album);
  if (!fields || identityKey(fields.title) !== partsOfName(name)?.titleKey) return id;
  if (!row || hasOtherName) context.setFields.run({ ...fields, id });
  context.setYear.run(fields.year, id); // the year stays as long as one of the tracks has it
  return id;
}

/**
 * Returns when the albums of an earlier version follow the rule by themselves; undefined if there are no such
 * albums.
 */
const dueAt = ({ listNames, db }: Context): Date | undefined =>
  listNames.get() === undefined ? undefined : db.select().from(albumReview).get()?.dueAt;

/** Returns the changes that regrouping would make, in the order of artists and titles. */
async function listChanges(context: Context): Promise<AlbumChange[]> {
  const albumChanges: AlbumChange[] = [];
  await forEachName(context, (row) => {
    const proposedAlbums = context.releases.proposal(nameOf(row));
    const albums = context.releases.albumsOf(nameOf(row)).map(({ id }) => id);
    if (proposedAlbums) albumChanges.push({ title: row.title, artistName: row.artistName, albums, proposedAlbums });
  });
  return albumChanges;
}

/**
 * Lets albums of an earlier version that the rule leaves unchanged follow it from now on. Waits until the tags that
 * an earlier version did not keep are read again, because the release of an album may be among them.
 */
async function releaseUnchanged(context: Context): Promise<void> {
  if (context.findTagsToRead.get()) return;
  await forEachName(context, (row) => {
    if (!context.releases.proposal(nameOf(row))) inBatch(context, () => release(context, nameOf(row)));
  });
}

/**
 * Regroups the albums that share a name with one of these albums, or all albums. Calls `reportProgress` after each
 * name.
 */
async function applyAll(
  context: Context,
  by: UserId | null,
  albumIds?: readonly AlbumId[],
  reportProgress: () => void = () => {},
): Promise<void> {
  const names = albumIds && new Set(albumIds.flatMap((id) => context.findName.get(id) ?? []).map(nameOf));
  await forEachName(context, (row) => {
    if (names && !names.has(nameOf(row))) return;
    inBatch(context, () => apply(context, row, by));
    reportProgress();
  });
}

/**
 * Merges two albums of one name. Throws `not_found`, and `conflict` for albums of two names, whose tracks have to
 * be moved by editing them.
 */
function merge(context: Context, from: AlbumId, into: AlbumId, by: UserId): Regrouping {
  const [sourceAlbum, targetAlbum] = [context.findName.get(from), context.findName.get(into)];
  if (!sourceAlbum || !targetAlbum) throw notFound('album', sourceAlbum ? into : from);
  const name = nameOf(targetAlbum);
  if (nameOf(sourceAlbum) !== name || from === into)
    throw new AppError('conflict', 'Albums with other names are made one by giving their tracks the same album.');
  return inBatch(context, () => {
    const regrouping = recordRegrouping(context, targetAlbum, by);
    const albums = Map.groupBy(context.releases.tracksOf(name), ({ album }) => (album === from ? into : album));
    context.setFixed.run('person', into);
    context.releases.put(name, [...albums]);
    return regrouping;
  });
}

function listPast({ db }: Context, { limit, offset }: Page): Paged<Regrouping> {
  const total = db.select({ n: count() }).from(albumRegroupings).get()?.n ?? 0;
  const { id } = albumRegroupings;
  return { items: db.select().from(albumRegroupings).orderBy(desc(id)).limit(limit).offset(offset).all(), total };
}

/**
 * Restores the albums as they were before a regrouping and fixes them. Throws `not_found`, and `conflict` if no
 * album has the name any more.
 */
function undo(context: Context, id: RegroupingId): void {
  const row = context.db.select().from(albumRegroupings).where(eq(albumRegroupings.id, id)).get();
  if (!row) throw notFound('change of albums', id);
  const previousAlbums = row.before as AlbumsBefore;
  inBatch(context, () => {
    const currentTracks = context.releases.tracksOf(row.name);
    const [firstTrack] = currentTracks;
    if (!firstTrack) throw new AppError('conflict', `No album is called ${row.title} any more.`);
    const presentIds = new Set(currentTracks.map((track) => track.id));
    const albumByTrack = new Map<TrackId, AlbumId>();
    for (const [album, tracks, fields] of previousAlbums) {
      const remaining = tracks.filter((track) => presentIds.has(track));
      if (remaining.length === 0) continue;
      const id = bringBack(context, album, fields, row.name, firstTrack.album);
      for (const track of remaining) albumByTrack.set(track, id);
    }
    const albums = Map.groupBy(currentTracks, (track) => albumByTrack.get(track.id) ?? track.album);
    context.releases.put(row.name, [...albums]);
    for (const album of new Set(albumByTrack.values())) context.setFixed.run('person', album);
    context.db.delete(albumRegroupings).where(eq(albumRegroupings.id, id)).run();
  });
}

const purgeOld = ({ db }: Context, cutoff: Date): void =>
  void db.delete(albumRegroupings).where(lt(albumRegroupings.madeAt, cutoff)).run();
