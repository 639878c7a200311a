// A name such as `Smith; Kotzen` that a person marks as one artist, or takes the mark from. Tracks whose credit came
// from taking it apart get it back whole, and the other way round; albums that are theirs alone go along. What a person
// typed stays as it was typed. A credit does not tell whether a file named both in one value or in two: whoever calls
// the pair one artist means both.
import type { MainDb } from '../db/client.ts';
import type { AlbumId, ArtistId, TrackId } from '../db/ids.ts';
import { splitArtists } from './artist-split.ts';
import { identityKey } from './fold.ts';
import { createResolver } from './resolve.ts';
import type { TrackWriter } from './track-writer.ts';

interface Artist {
  id: ArtistId;
  name: string;
  sortKey: string;
}
interface Credited {
  id: TrackId;
  albumId: AlbumId | null;
  credit: string;
}

const NOT_TYPED = "t.metadata_status <> 'manual' AND coalesce(t.provenance ->> '$.artist', '') <> 'manual'";
/** Those of the keys (resolve.ts) that hold the album artist. */
const OF_ARTIST = /^((?:f:\d+:)?t:)(\d+)(:[^]*)$/;

export function createNeverSplit({ db, tracks: writer, now }: { db: MainDb; tracks: TrackWriter; now: () => Date }) {
  const client = db.$client;
  const resolver = createResolver({ client, search: writer.search, now });
  const findArtist = client.prepare<[ArtistId], Artist & { isWhole: number }>(
    'SELECT id, name, sort_key AS sortKey, never_split AS isWhole FROM artists WHERE id = ?',
  );
  const findPart = client.prepare<[string], Artist & { trackCount: number }>(
    'SELECT id, name, sort_key AS sortKey, track_count AS trackCount FROM artists WHERE name_key = ?',
  );
  const listSplit = client.prepare<
    { rarest: ArtistId; parts: string; most: number },
    Credited
  >(`SELECT t.id, t.album_id AS albumId, t.artist_name AS credit
    FROM track_artists a CROSS JOIN tracks t ON t.id = a.track_id
    WHERE a.artist_id = @rarest AND ${NOT_TYPED} AND (SELECT json_group_array(artist_id ORDER BY position)
    FROM track_artists WHERE track_id = t.id) = @parts
      AND t.artist_name = (SELECT group_concat(credit, ', ' ORDER BY position) FROM track_artists
      WHERE track_id = t.id) LIMIT @most`);
  const listWhole = client.prepare<
    [ArtistId, number],
    Credited
  >(`SELECT t.id, t.album_id AS albumId, a.credit FROM track_artists a CROSS JOIN tracks t ON t.id = a.track_id
    WHERE a.artist_id = ? AND ${NOT_TYPED} AND t.artist_name = a.credit AND (SELECT count(*) FROM track_artists
    WHERE track_id = t.id) = 1 LIMIT ?`);
  const deleteCredits = client.prepare('DELETE FROM track_artists WHERE track_id = ?');
  const insertCredit = client.prepare(
    'INSERT INTO track_artists (track_id, position, artist_id, credit) VALUES (?, ?, ?, ?)',
  );
  const setArtist = client.prepare(
    'UPDATE tracks SET artist_id = ?, artist_name = ?, artist_sort = ?, updated_at = ? WHERE id = ?',
  );
  const isTheirs = client
    .prepare<[AlbumId, ArtistId, ArtistId], number>(`SELECT 1 FROM albums WHERE id = ? AND artist_id = ?
    AND NOT EXISTS (SELECT 1 FROM tracks WHERE album_id = albums.id AND artist_id IS NOT ?)`)
    .pluck();
  const setAlbumArtist = client.prepare(
    'UPDATE albums SET artist_id = ?, artist_sort = ?, updated_at = ? WHERE id = ?',
  );
  const keysOf = client.prepare<[AlbumId], string>('SELECT key FROM album_keys WHERE album_id = ?').pluck();
  const deleteKey = client.prepare('DELETE FROM album_keys WHERE key = ?');
  const insertKey = client.prepare('INSERT OR IGNORE INTO album_keys (key, album_id) VALUES (?, ?)');

  function setCredits(trackId: TrackId, credit: string, artists: readonly Artist[]): void {
    deleteCredits.run(trackId);
    artists.forEach(({ id, name }, position) => insertCredit.run(trackId, position, id, name));
    setArtist.run(artists[0]?.id, credit, artists[0]?.sortKey, now().getTime(), trackId);
    writer.search.set('track', trackId);
  }

  /** The same album, its id kept, found under the other artist from now on. */
  function refile(albumId: AlbumId, from: ArtistId, to: Artist): void {
    setAlbumArtist.run(to.id, to.sortKey, now().getTime(), albumId);
    for (const key of keysOf.all(albumId)) {
      const [, before, id, after] = OF_ARTIST.exec(key) ?? [];
      if (Number(id) !== from) continue;
      deleteKey.run(key);
      insertKey.run(`${before}${to.id}${after}`, albumId);
    }
    writer.search.setAlbum(albumId);
  }

  function join(whole: Artist, names: readonly string[], most: number): number {
    const parts = names.flatMap((name) => findPart.get(identityKey(name)) ?? []);
    const [rarest] = parts.toSorted((a, b) => a.trackCount - b.trackCount);
    const [first] = parts;
    if (!rarest || !first || parts.length < names.length) return 0;
    const found = listSplit.all({ rarest: rarest.id, parts: JSON.stringify(parts.map(({ id }) => id)), most });
    for (const { id } of found) setCredits(id, whole.name, [whole]);
    for (const albumId of albumsOf(found)) {
      if (isTheirs.get(albumId, first.id, whole.id) === undefined) continue;
      refile(albumId, first.id, whole);
      insertKey.run(wasSplit(albumId), albumId);
    }
    writer.sweepEmpty(
      [],
      parts.map(({ id }) => id),
    );
    return found.length;
  }

  function split(whole: Artist, most: number): number {
    const found = listWhole
      .all(whole.id, most)
      .map((track) => ({ ...track, names: splitArtists([track.credit], () => false) }))
      .filter(({ names }) => names.length > 1);
    let first: Artist | undefined;
    for (const { id, names } of found) {
      const artists = names.map((name): Artist => ({ ...resolver.artist(name), name }));
      setCredits(id, names.join(', '), artists);
      first ??= artists[0];
    }
    for (const albumId of albumsOf(found)) {
      if (
        !first ||
        isTheirs.get(albumId, whole.id, first.id) === undefined ||
        deleteKey.run(wasSplit(albumId)).changes === 0
      )
        continue;
      refile(albumId, whole.id, first);
    }
    return found.length;
  }

  /**
   * Gives so many tracks the credit that the mark of the artist asks for; how many had another. Inside the caller's
   * transaction.
   */
  return (id: ArtistId, most: number): number => {
    const artist = findArtist.get(id);
    const names = artist ? splitArtists([artist.name], () => false) : [];
    if (!artist || names.length < 2) return 0;
    return artist.isWhole === 1 ? join(artist, names, most) : split(artist, most);
  };
}

/**
 * Among the keys of an album that was filed under the first of the names: one that its files name by the whole name
 * stays there when the mark goes.
 */
const wasSplit = (albumId: AlbumId): string => `was:${albumId}`;

const albumsOf = (found: readonly { albumId: AlbumId | null }[]): AlbumId[] => [
  ...new Set(found.flatMap(({ albumId }) => albumId ?? [])),
];
