// Albums that became others otherwise than by their tags: those of an earlier version that the rule (releases.ts) makes
// others, and albums of one name that a person made one. Each can be taken back for 30 days.
import { count, desc, eq, lt } from 'drizzle-orm';
import type { AlbumFields, AlbumsBefore } from '../db/albums-before.ts';
import { type MainDb, writtenRow } from '../db/client.ts';
import type { AlbumId, ArtistId, RegroupingId, TrackId, UserId } from '../db/ids.ts';
import { albumReview, albumRegroupings } from '../db/schema.ts';
import { AppError, notFound } from '../errors.ts';
import type { Page, Paged } from '../http/paging.ts';
import { inSlices } from '../runtime/time-slices.ts';
import { albumName, partsOfName } from './album-names.ts';
import type { PlacedTrack } from './album-releases.ts';
import { identityKey } from './sort-and-identity-keys.ts';
import type { TrackWriter } from './track-writer.ts';

/** Albums of one name, and the tracks of each that the rule makes of them. */
export interface AlbumChange {
  title: string;
  artistName: string | null;
  albums: AlbumId[];
  becomes: PlacedTrack[][];
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

export function createAlbumRegroupings({ db, tracks: { batch, releases, insertAlbumLike }, now }: RegroupingsDeps) {
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
  const nameOf = ({ artistId, title }: NameRow): string => albumName(artistId, title);
  const inBatch = <T>(write: () => T): T => db.transaction(() => batch(write), { behavior: 'immediate' });

  /** Calls `each` with every name that has albums of an earlier version. */
  async function forEachName(each: (name: NameRow) => void): Promise<void> {
    const seen = new Set<string>();
    await inSlices(listNames.all(), (row) => {
      if (!seen.has(nameOf(row))) each(row);
      seen.add(nameOf(row));
    });
  }

  function release(name: string): void {
    for (const { id, fixedBy } of releases.albumsOf(name)) if (fixedBy === 'upgrade') setFixed.run(null, id);
  }

  /** Notes what the albums of a name are now, to be taken back. */
  function note(row: NameRow, by: UserId | null): Regrouping {
    const byAlbum = Map.groupBy(releases.tracksOf(nameOf(row)), (track) => track.album);
    return writtenRow(
      db
        .insert(albumRegroupings)
        .values({
          name: nameOf(row),
          title: row.title,
          artistName: row.artistName,
          before: [...byAlbum].map(([album, some]) => [
            album,
            some.map(({ id }) => id),
            findFields.get(album),
          ]) satisfies AlbumsBefore,
          madeBy: by,
          madeAt: now(),
        })
        .returning(),
    );
  }

  /** Albums that stay what they are wait for the rest of their tags, unless the week is over. */
  function apply(row: NameRow, by: UserId | null): void {
    if (releases.proposal(nameOf(row))) note(row, by);
    else if (by !== null && findTagsToRead.get()) return;
    release(nameOf(row));
    releases.settle(nameOf(row));
  }

  /**
   * Returns the id of an album as it was before, whose row is made again if it is gone. An album that has another name
   * by now stays what it is, and a new one takes its place.
   */
  function bringBack(album: AlbumId, fields: AlbumFields | undefined, name: string, like: AlbumId): AlbumId {
    const row = findName.get(album);
    const isOther = row !== undefined && nameOf(row) !== name;
    const id = insertAlbumLike(like, isOther ? null : album);
    if (!fields || identityKey(fields.title) !== partsOfName(name)?.titleKey) return id;
    if (!row || isOther) setFields.run({ ...fields, id });
    setYear.run(fields.year, id); // stays if one of its tracks has it
    return id;
  }

  return {
    /** When the albums of an earlier version follow the rule by themselves; undefined if none are left. */
    dueAt: (): Date | undefined =>
      listNames.get() === undefined ? undefined : db.select().from(albumReview).get()?.dueAt,
    /** What would change, in the order of artists and titles. */
    async changes(): Promise<AlbumChange[]> {
      const changed: AlbumChange[] = [];
      await forEachName((row) => {
        const becomes = releases.proposal(nameOf(row));
        const albums = releases.albumsOf(nameOf(row)).map(({ id }) => id);
        if (becomes) changed.push({ title: row.title, artistName: row.artistName, albums, becomes });
      });
      return changed;
    },
    /**
     * Albums of an earlier version that the rule leaves as they are follow it from now on. Waits until the tags that an
     * earlier version did not keep are read again: which release an album is may be among them.
     */
    async releaseUnchanged(): Promise<void> {
      if (findTagsToRead.get()) return;
      await forEachName((row) => {
        if (!releases.proposal(nameOf(row))) inBatch(() => release(nameOf(row)));
      });
    },
    /** Makes the albums what the rule says: those of these names, or all. Calls `tell` after each. */
    async applyAll(by: UserId | null, of?: readonly AlbumId[], tell: () => void = () => {}): Promise<void> {
      const names = of && new Set(of.flatMap((id) => findName.get(id) ?? []).map(nameOf));
      await forEachName((row) => {
        if (names && !names.has(nameOf(row))) return;
        inBatch(() => apply(row, by));
        tell();
      });
    },
    /** Throws `not_found`, and `conflict` for albums of two names: their tracks are given another album. */
    merge(from: AlbumId, into: AlbumId, by: UserId): Regrouping {
      const [one, other] = [findName.get(from), findName.get(into)];
      if (!one || !other) throw notFound('album', one ? into : from);
      const name = nameOf(other);
      if (nameOf(one) !== name || from === into)
        throw new AppError('conflict', 'Albums with other names are made one by giving their tracks the same album.');
      return inBatch(() => {
        const made = note(other, by);
        const albums = Map.groupBy(releases.tracksOf(name), ({ album }) => (album === from ? into : album));
        setFixed.run('person', into);
        releases.put(name, [...albums]);
        return made;
      });
    },
    past({ limit, offset }: Page): Paged<Regrouping> {
      const total = db.select({ n: count() }).from(albumRegroupings).get()?.n ?? 0;
      const { id } = albumRegroupings;
      return { items: db.select().from(albumRegroupings).orderBy(desc(id)).limit(limit).offset(offset).all(), total };
    },
    /** The albums are what they were before, and stay so. Throws `not_found`, and `conflict` if the name is gone. */
    undo(id: RegroupingId): void {
      const row = db.select().from(albumRegroupings).where(eq(albumRegroupings.id, id)).get();
      if (!row) throw notFound('change of albums', id);
      const albumsBefore = row.before as AlbumsBefore;
      inBatch(() => {
        const all = releases.tracksOf(row.name);
        const [first] = all;
        if (!first) throw new AppError('conflict', `No album is called ${row.title} any more.`);
        const present = new Set(all.map((track) => track.id));
        const ofTrack = new Map<TrackId, AlbumId>();
        for (const [album, tracks, fields] of albumsBefore) {
          const remaining = tracks.filter((track) => present.has(track));
          if (remaining.length === 0) continue;
          const id = bringBack(album, fields, row.name, first.album);
          for (const track of remaining) ofTrack.set(track, id);
        }
        const albums = Map.groupBy(all, (track) => ofTrack.get(track.id) ?? track.album);
        releases.put(row.name, [...albums]);
        for (const album of new Set(ofTrack.values())) setFixed.run('person', album);
        db.delete(albumRegroupings).where(eq(albumRegroupings.id, id)).run();
      });
    },
    purgeOld: (before: Date): void => void db.delete(albumRegroupings).where(lt(albumRegroupings.madeAt, before)).run(),
  };
}
