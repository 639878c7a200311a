// Manual edits of single fields of a track or an artist. replace-metadata.ts replaces all metadata at once.
import { eq } from 'drizzle-orm';
import type { Db, MainDb } from '../../db/client.ts';
import type { ArtistId, TrackId } from '../../db/ids.ts';
import { albums, artists, trackGenres, tracks, type Origin } from '../../db/schema.ts';
import { LISTED_TEXTS, type FieldChanges, type FoldedColumn } from '../../db/track-fields.ts';
import { notFound } from '../../errors.ts';
import { foldedText, sortKey } from '../tracks/sort-and-identity-keys.ts';
import { createResolver } from '../tracks/resolve.ts';
import type { TrackWriter } from '../tracks/track-writer.ts';

/** Changes of a track's fields. An absent field is kept, null clears it. */
export interface TrackChanges extends FieldChanges {
  title?: string | undefined;
  genre?: string | null | undefined;
}

export interface ArtistChanges {
  sortName?: string | undefined;
  neverSplit?: boolean | undefined;
}

/** Fields whose change may move a track to another release. */
const RELEASE_FIELDS = [
  'title',
  'year',
  'discNumber',
  'trackNumber',
] as const satisfies readonly (keyof TrackChanges)[];

/** Fields from which the values of the album are derived. */
const ALBUM_FIELDS = ['year', 'genre', 'discNumber', 'trackNumber'] as const satisfies readonly (keyof TrackChanges)[];

interface EditsDeps {
  db: MainDb;
  tracks: Pick<TrackWriter, 'search' | 'batch' | 'noteAlbumOf' | 'settleAlbumOf' | 'updateCredits'>;
  now: () => Date;
}

export function createEdits({ db, tracks: writer, now }: EditsDeps) {
  const { search } = writer;
  const resolver = createResolver({ client: db.$client, search, now });

  /** Writes the changed fields, marks them as `manual` and keeps metadata_status. */
  function updateTrack(id: TrackId, changes: TrackChanges): void {
    db.transaction(
      (tx) => {
        const track = tx.select().from(tracks).where(eq(tracks.id, id)).get();
        if (!track) throw notFound('track', id);
        const definedChanges = withoutUndefined(changes);
        const changedFields = Object.keys(definedChanges);
        if (changedFields.length === 0) return;
        const provenance = {
          ...track.provenance,
          ...Object.fromEntries(changedFields.map((field): [string, Origin] => [field, 'manual'])),
        };
        const { title } = definedChanges;
        tx.update(tracks)
          .set({
            ...definedChanges,
            ...(title !== undefined && { titleSort: sortKey(title) }),
            ...foldsOf(definedChanges),
            provenance,
            updatedAt: now(),
          })
          .where(eq(tracks.id, id))
          .run();
        if (title !== undefined || definedChanges.composer !== undefined) search.set('track', id);
        if (definedChanges.composer !== undefined) writer.updateCredits(id);
        if (RELEASE_FIELDS.some((field) => definedChanges[field] !== undefined))
          writer.batch(() => writer.noteAlbumOf(id));
        if (definedChanges.genre !== undefined) setGenre(tx, id, definedChanges.genre);
        if (ALBUM_FIELDS.some((field) => definedChanges[field] !== undefined)) writer.settleAlbumOf(id);
      },
      { behavior: 'immediate' },
    );
  }

  /** Replaces all genres of the track. */
  function setGenre(tx: Db, trackId: TrackId, genre: string | null): void {
    tx.delete(trackGenres).where(eq(trackGenres.trackId, trackId)).run();
    if (genre !== null)
      tx.insert(trackGenres)
        .values({ trackId, position: 0, genreId: resolver.genre(genre) })
        .run();
  }

  /**
   * Updates an artist. `neverSplit` only affects names read from now on; existing credits are changed by
   * never-split.ts.
   */
  function updateArtist(id: ArtistId, { sortName, neverSplit }: ArtistChanges): void {
    db.transaction(
      (tx) => {
        if (!tx.select({ id: artists.id }).from(artists).where(eq(artists.id, id)).get()) throw notFound('artist', id);
        if (neverSplit !== undefined)
          tx.update(artists).set({ neverSplit, updatedAt: now() }).where(eq(artists.id, id)).run();
        if (sortName === undefined) return;
        const key = sortKey(sortName);
        tx.update(artists).set({ sortName, sortKey: key, updatedAt: now() }).where(eq(artists.id, id)).run();
        tx.update(tracks).set({ artistSort: key }).where(eq(tracks.artistId, id)).run();
        tx.update(albums).set({ artistSort: key }).where(eq(albums.artistId, id)).run();
        search.set('artist', id);
        const artistAlbums = tx.select({ id: albums.id }).from(albums).where(eq(albums.artistId, id)).all();
        // albums can also be found by the name of their artist
        for (const album of artistAlbums) search.set('album', album.id);
      },
      { behavior: 'immediate' },
    );
  }

  return { updateTrack, updateArtist };
}

/** Returns the folded values of the changed fields. */
const foldsOf = (changes: FieldChanges): Partial<Record<FoldedColumn, string | null>> =>
  Object.fromEntries(
    LISTED_TEXTS.flatMap((field) =>
      changes[field] === undefined ? [] : [[`${field}Sort`, foldedText(changes[field])]],
    ),
  );

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
const withoutUndefined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
