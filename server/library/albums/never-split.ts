// Applies a changed "never split" mark, as on `Smith; Kotzen`, to existing tracks: credits that were split are joined,
// and the other way round. Albums by these artists alone are moved along; manually edited credits are kept. Whether a
// file had the names in one value or in two is not stored, so the mark applies to both. Also joins credits that ID3v2.3
// files separate by slashes once the library has an artist of the whole name, such as `AC/DC`.
import type { MainDb } from '../../db/client.ts';
import type { AlbumId, ArtistId, TrackId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { artists, trackArtists, tracks } from '../../db/schema.ts';
import { inNamedAlbum, isNamed } from '../../db/unknown-names.ts';
import { splitArtists, type ArtistSplitting } from './artist-split.ts';
import { identityKey } from '../tracks/sort-and-identity-keys.ts';
import { createResolver } from '../tracks/resolve.ts';
import type { TrackWriter } from '../tracks/track-writer.ts';

type Artist = RowAs<typeof artists, 'id' | 'name' | 'sortKey'>;
type CreditedTrack = RowAs<typeof tracks, 'id' | 'albumId'> & RowAs<typeof trackArtists, 'credit'>;

const NOT_TYPED = "t.metadata_status <> 'manual' AND coalesce(t.provenance ->> '$.artist', '') <> 'manual'";
/** Album keys (resolve.ts) that contain the album artist. */
const ARTIST_IN_KEY = /^((?:[dl]:)?t:)(\d+)(:[^]*)$/;

interface NeverSplitDeps {
  db: MainDb;
  tracks: TrackWriter;
  artistSeparators: () => readonly string[];
  now: () => Date;
}

export function createNeverSplit({ db, tracks: writer, artistSeparators, now }: NeverSplitDeps) {
  const client = db.$client;
  const resolver = createResolver({ client, search: writer.search, now, artistSeparators });
  const splitting = (): ArtistSplitting => ({ ...resolver.artistSplitting(), isNeverSplit: () => false });
  const findArtist = client.prepare<[ArtistId], Artist & RowAs<typeof artists, 'neverSplit'>>(
    'SELECT id, name, sort_key AS sortKey, never_split AS neverSplit FROM artists WHERE id = ?',
  );
  const findPart = client.prepare<[string], Artist & RowAs<typeof artists, 'trackCount'>>(
    'SELECT id, name, sort_key AS sortKey, track_count AS trackCount FROM artists WHERE name_key = ?',
  );
  const listSplit = client.prepare<
    { rarest: ArtistId; parts: string; slashed: string | null; most: number },
    CreditedTrack
  >(`SELECT t.id, t.album_id AS albumId, t.artist_name AS credit
    FROM track_artists a CROSS JOIN tracks t ON t.id = a.track_id
    WHERE a.artist_id = @rarest AND ${NOT_TYPED} AND (SELECT json_group_array(artist_id ORDER BY position)
    FROM track_artists WHERE track_id = t.id) = @parts
      AND t.artist_name = (SELECT group_concat(credit, ', ' ORDER BY position) FROM track_artists
      WHERE track_id = t.id)
      AND (@slashed IS NULL
        OR @slashed = (SELECT m.tags ->> '$.slashedArtist' FROM more_tags m WHERE m.track_id = t.id))
    LIMIT @most`);
  const listWhole = client.prepare<
    [ArtistId, number],
    CreditedTrack
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
      AND ${isNamed('albums')}
    AND NOT EXISTS (SELECT 1 FROM tracks WHERE album_id = albums.id AND artist_id IS NOT ?)`)
    .pluck();
  const isLoose = client.prepare<[TrackId]>(`SELECT 1 FROM tracks t WHERE t.id = ? AND NOT ${inNamedAlbum('t')}`);
  const setAlbumArtist = client.prepare(
    'UPDATE albums SET artist_id = ?, artist_sort = ?, updated_at = ? WHERE id = ?',
  );
  const isShared = client.prepare<[AlbumId], number>('SELECT 1 FROM album_artists WHERE album_id = ? LIMIT 1').pluck();
  const listTracksIn = client.prepare<[AlbumId], TrackId>('SELECT id FROM tracks WHERE album_id = ?').pluck();
  const deleteAlbumArtists = client.prepare<[TrackId]>('DELETE FROM track_album_artists WHERE track_id = ?');
  const insertAlbumArtist = client.prepare<[TrackId, number, ArtistId]>(
    'INSERT INTO track_album_artists (track_id, position, artist_id) VALUES (?, ?, ?)',
  );
  const keysOf = client.prepare<[AlbumId], string>('SELECT key FROM album_keys WHERE album_id = ?').pluck();
  const deleteKey = client.prepare('DELETE FROM album_keys WHERE key = ?');
  const insertKey = client.prepare('INSERT OR IGNORE INTO album_keys (key, album_id) VALUES (?, ?)');

  function setCredits(trackId: TrackId, credit: string, artists: readonly Artist[]): void {
    deleteCredits.run(trackId);
    artists.forEach(({ id, name }, position) => insertCredit.run(trackId, position, id, name));
    setArtist.run(artists[0]?.id, credit, artists[0]?.sortKey, now().getTime(), trackId);
    if (isLoose.get(trackId) !== undefined) writer.joinUnnamedAlbum(trackId);
    writer.search.set('track', trackId);
  }

  /** Moves an album from one artist to another, or to several. The album keeps its id and its keys. */
  function refile(albumId: AlbumId, from: ArtistId, [to, ...others]: readonly [Artist, ...Artist[]]): void {
    for (const trackId of listTracksIn.all(albumId)) {
      deleteAlbumArtists.run(trackId);
      if (others.length > 0) [to, ...others].forEach(({ id }, n) => insertAlbumArtist.run(trackId, n, id));
    }
    setAlbumArtist.run(to.id, to.sortKey, now().getTime(), albumId);
    for (const key of keysOf.all(albumId)) {
      const [, prefix, id, suffix] = ARTIST_IN_KEY.exec(key) ?? [];
      if (Number(id) !== from) continue;
      deleteKey.run(key);
      insertKey.run(`${prefix}${to.id}${suffix}`, albumId);
    }
    writer.noteAlbum(albumId);
    writer.search.setAlbum(albumId);
  }

  /** With `slashed`, joins only the credits of files that have the name with slashes in their tags. */
  function joinCredits(
    unsplitArtist: Artist,
    { names, slashed, limit }: { names: readonly string[]; slashed: string | null; limit: number },
  ): number {
    const parts = names.flatMap((name) => findPart.get(identityKey(name)) ?? []);
    const [rarestPart] = parts.toSorted((a, b) => a.trackCount - b.trackCount);
    const [firstPart] = parts;
    if (!rarestPart || !firstPart || parts.length < names.length) return 0;
    const splitTracks = listSplit.all({
      rarest: rarestPart.id,
      parts: JSON.stringify(parts.map(({ id }) => id)),
      slashed,
      most: limit,
    });
    const previousNames = splitTracks.map(({ id, albumId }) => [id, writer.namesOf(id, albumId)] as const);
    for (const { id } of splitTracks) setCredits(id, unsplitArtist.name, [unsplitArtist]);
    for (const albumId of albumsOf(splitTracks)) {
      if (isTheirs.get(albumId, firstPart.id, unsplitArtist.id) === undefined) continue;
      const wasShared = isShared.get(albumId) !== undefined;
      refile(albumId, firstPart.id, [unsplitArtist]);
      insertKey.run(splitMarkOf(albumId, wasShared), albumId);
    }
    for (const [id, names] of previousNames) writer.noteRename(id, names);
    writer.sweepEmpty(
      albumsOf(splitTracks),
      parts.map(({ id }) => id),
    );
    return splitTracks.length;
  }

  function splitCredits(joinedArtist: Artist, limit: number): number {
    const joinedTracks = listWhole
      .all(joinedArtist.id, limit)
      .map((track) => ({ ...track, names: splitArtists([track.credit], splitting()) }))
      .filter(({ names }) => names.length > 1);
    const previousNames = joinedTracks.map(({ id, albumId }) => [id, writer.namesOf(id, albumId)] as const);
    let parts: readonly Artist[] = [];
    for (const { id, names } of joinedTracks) {
      const artists = names.map((name): Artist => ({ ...resolver.artist(name), name }));
      setCredits(id, names.join(', '), artists);
      if (parts.length === 0) parts = artists;
    }
    const [firstArtist, ...otherArtists] = parts;
    for (const albumId of albumsOf(joinedTracks)) {
      if (!firstArtist || isTheirs.get(albumId, joinedArtist.id, firstArtist.id) === undefined) continue;
      const [wasAlone, wasShared] = [false, true].map(
        (shared) => deleteKey.run(splitMarkOf(albumId, shared)).changes > 0,
      );
      if (wasAlone || wasShared) refile(albumId, joinedArtist.id, [firstArtist, ...(wasShared ? otherArtists : [])]);
    }
    for (const [id, names] of previousNames) writer.noteRename(id, names);
    return joinedTracks.length;
  }

  /**
   * Fixes the credits of up to `limit` tracks and returns the number of tracks. Runs inside the caller's transaction.
   */
  function apply(id: ArtistId, limit: number): number {
    const artist = findArtist.get(id);
    if (!artist) return 0;
    if (artist.neverSplit === 1) {
      const names = splitArtists([artist.name], { ...splitting(), isOneArtist: () => false });
      if (names.length > 1) return joinCredits(artist, { names, slashed: null, limit });
    } else if (splitArtists([artist.name], splitting()).length > 1) return splitCredits(artist, limit);
    const slashedNames = artist.name.split('/');
    return slashedNames.length > 1 ? joinCredits(artist, { names: slashedNames, slashed: artist.name, limit }) : 0;
  }

  return {
    apply,
    /** Lists artists whose names the separators divide. */
    listDivisible: (): ArtistId[] =>
      client
        .prepare<[], Pick<Artist, 'id' | 'name'>>('SELECT id, name FROM artists')
        .all()
        .filter(({ name }) => splitArtists([name], resolver.artistSplitting()).length > 1)
        .map(({ id }) => id),
  };
}

/**
 * Returns the key that marks an album as moved by `joinCredits`. Only marked albums move back when the "never split"
 * mark is removed; an album whose files name the unsplit artist stays. A shared album was filed under all parts of the
 * name, others under the first part.
 */
const splitMarkOf = (albumId: AlbumId, isShared: boolean): string => `was:${albumId}${isShared ? ':shared' : ''}`;

const albumsOf = (rows: readonly { albumId: AlbumId | null }[]): AlbumId[] => [
  ...new Set(rows.flatMap(({ albumId }) => albumId ?? [])),
];
