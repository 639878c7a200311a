// A library is retagged as Picard does: album by album, in several sittings, some of them undone half-way, while the
// folder is watched or scanned. User data of albums, artists and tracks follows the music.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { AlbumOut, ArtistOut, TrackOut } from '../../server/library/wire.ts';
import { ascii, id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const TRACKS_EACH = 3;
const ALBUMS_PER_ARTIST = 5;
const SITTING_COUNT = 3;

interface Names {
  artist: string;
  album: string;
  year: string;
  mbids: boolean;
  /** The embedded picture. */
  picture: Buffer | undefined;
}
/** The number of times that a file was retagged, which determines its names. */
type Round = 0 | 1 | 2;

/**
 * Returns the names of an album after a round: another spelling of the artist, of the title, of both, or of all fields.
 */
function namesOf(album: number, round: Round, picture: Buffer): Names {
  const artist = Math.floor(album / ALBUMS_PER_ARTIST);
  const namingStyle = artist % 4;
  const suffix = ['', ' (2009)', ' (Remaster)'][round] ?? '';
  return {
    artist: round > 0 && namingStyle !== 0 ? `The Quays ${artist}${round}` : `Quays ${artist}`,
    album: namingStyle !== 1 ? `Harbour ${album}${suffix}` : `Harbour ${album}`,
    year: namingStyle === 3 && round > 0 ? `${2008 + round}` : '1999',
    mbids: namingStyle === 3 && round > 0,
    picture: namingStyle === 3 && round > 0 ? picture : undefined,
  };
}

const mbid = (kind: number, n: number, round: Round): string =>
  `0000000${kind}-0000-4000-8000-${String(n * 3 + round).padStart(12, '0')}`;

const titleOf = (album: number, trackNumber: number, round: Round): string =>
  `Tide ${album}.${trackNumber}, version ${round}`;

function tagFile(album: number, trackNumber: number, round: Round, picture: Buffer): Buffer {
  const { artist, album: title, year, mbids, picture: embeddedPicture } = namesOf(album, round, picture);
  const text = (name: string, value: string) => id3Frame(name, utf8Text(value));
  const ownText = (name: string, value: string) => id3Frame('TXXX', Buffer.from(`\x03${name}\0${value}`));
  return Buffer.concat([
    id3([
      text('TIT2', titleOf(album, trackNumber, round)),
      text('TPE1', artist),
      text('TPE2', artist),
      text('TALB', title),
      text('TDRC', year),
      text('TRCK', `${trackNumber + 1}/${TRACKS_EACH}`),
      ...(mbids
        ? [
            ownText('MusicBrainz Album Id', mbid(1, album, round)),
            ownText('MusicBrainz Release Group Id', mbid(2, album, 0)),
            ownText('MusicBrainz Artist Id', mbid(3, Math.floor(album / ALBUMS_PER_ARTIST), 0)),
          ]
        : []),
      ...(embeddedPicture ? [id3Frame('APIC', Buffer.concat([ascii('\0image/png\0\x03\0'), embeddedPicture]))] : []),
    ]),
    silentMp3(40 + album * TRACKS_EACH + trackNumber), // a different length gives each file different audio
  ]);
}

const isLiked = (n: number): boolean => n % 3 === 0;
const ratingOf = (n: number): number => (n % 4 === 0 ? 1 + (n % 5) : 0);
const hasChosenCover = (n: number): boolean => n % 10 < 2;

interface LikeState {
  liked: boolean;
  rating: number;
}

export async function playRetagged({
  albums,
  isWatched,
  mode,
}: {
  albums: number;
  isWatched: boolean;
  mode: 'copy' | 'reference';
}): Promise<string[]> {
  const base = fs.mkdtempSync(join(tmpdir(), 'tonearm-retagged-'));
  const music = join(base, 'music');
  const square = (background: string): Promise<Buffer> =>
    sharp({ create: { width: 90, height: 90, channels: 3, background } })
      .png()
      .toBuffer();
  const embeddedPicture = await square('#224466');
  const pathOf = (album: number, trackNumber: number): string => `album ${album}/${trackNumber}.mp3`;
  let stamp = 1_600_000_000;
  function write(album: number, trackNumber: number, round: Round): void {
    const path = join(music, pathOf(album, trackNumber));
    fs.mkdirSync(join(path, '..'), { recursive: true });
    fs.writeFileSync(`${path}.new`, tagFile(album, trackNumber, round, embeddedPicture));
    fs.utimesSync(`${path}.new`, ++stamp, stamp);
    fs.renameSync(`${path}.new`, path);
  }
  const albumNumbers = Array.from({ length: albums }, (_, album) => album);
  const trackNumbers = Array.from({ length: TRACKS_EACH }, (_, nth) => nth);
  for (const album of albumNumbers) for (const trackNumber of trackNumbers) write(album, trackNumber, 0);

  const server: TestServer = await startServer({
    env: {
      LOCAL_MEDIA_IMPORT_PATH: music,
      LOCAL_MEDIA_IMPORT_MODE: mode,
      LOCAL_MEDIA_WATCH: String(isWatched),
      MIN_FREE_BYTES: '0',
    },
  });
  const faults: string[] = [];
  const { api } = server;
  const headers = (): Record<string, string> => ({ authorization: `Bearer ${server.token}` });
  const pictureOf = async (kind: 'albums' | 'artists', id: number | null): Promise<string> => {
    const answer = await fetch(`${server.url}/api/v1/${kind}/${id}/cover`, { headers: headers() });
    return createHash('sha1')
      .update(new Uint8Array(await answer.arrayBuffer()))
      .digest('hex');
  };
  async function choose(kind: 'albums' | 'artists', id: number | null, n: number): Promise<string> {
    const form = new FormData();
    const color = `#${((n * 7919) % 0xffffff).toString(16).padStart(6, '0')}`;
    form.set('file', new Blob([Uint8Array.from(await square(color))]), 'picture.png');
    const answer = await fetch(`${server.url}/api/v1/${kind}/${id}/cover`, {
      method: 'PUT',
      body: form,
      headers: headers(),
    });
    if (!answer.ok) throw new Error(`${kind} ${id}: ${answer.status} ${await answer.text()}`);
    return pictureOf(kind, id);
  }
  const byPath = async (): Promise<Map<string, TrackOut>> =>
    new Map((await allTracks(server)).map((track) => [track.source_id, track]));
  /** Waits until the tracks have the titles of their files. */
  async function settle(rounds: (album: number, trackNumber: number) => Round): Promise<void> {
    if (isWatched)
      await until(
        async () => {
          const tracks = await byPath();
          return albumNumbers.flatMap((album) =>
            trackNumbers.filter(
              (trackNumber) =>
                tracks.get(pathOf(album, trackNumber))?.title !==
                titleOf(album, trackNumber, rounds(album, trackNumber)),
            ),
          ).length;
        },
        (lateCount) => lateCount === 0,
        { everyMs: 300 },
      );
    else await api('/sources/local_folder/scan', { method: 'POST' });
    await server.app.drain();
  }
  const saidOf = async (type: 'album' | 'artist', ids: readonly (number | null)[]): Promise<Map<number, LikeState>> => {
    const saidByAlbum = new Map<number, LikeState>();
    const different = [...new Set(ids)];
    for (let offset = 0; offset < different.length; offset += 100) {
      const query = different
        .slice(offset, offset + 100)
        .map((id) => `item_id=${id}`)
        .join('&');
      const { body } = await api<(LikeState & { item_id: number })[]>(`/likes/state?item_type=${type}&${query}`);
      for (const { item_id: id, liked, rating } of body) saidByAlbum.set(id, { liked, rating: rating ?? 0 });
    }
    return saidByAlbum;
  };

  try {
    await settle(() => 0);
    const previousTracks = await byPath();
    const firstTrackOf = (album: number): TrackOut => previousTracks.get(pathOf(album, 0)) as TrackOut;
    const artists = [...new Set(albumNumbers.map((album) => Math.floor(album / ALBUMS_PER_ARTIST)))];
    const covers = new Map<number, string>();
    const portraits = new Map<number, string>();
    const like = async (item_type: string, item_id: number | null, n: number): Promise<void> => {
      if (isLiked(n) || ratingOf(n) > 0)
        await api('/likes', { method: 'POST', body: { item_type, item_id, liked: isLiked(n), rating: ratingOf(n) } });
    };
    for (const album of albumNumbers) {
      const { album_id: id } = firstTrackOf(album);
      await like('album', id, album);
      if (hasChosenCover(album)) covers.set(album, await choose('albums', id, album));
    }
    for (const artist of artists) {
      const { artist_id: id } = firstTrackOf(artist * ALBUMS_PER_ARTIST);
      await like('artist', id, artist);
      if (hasChosenCover(artist)) portraits.set(artist, await choose('artists', id, artist + 1_000));
      if (artist % 7 === 0) await api(`/radio/never/artists/${id}`, { method: 'PUT' });
    }
    const playlistId = (await api<{ id: number }>('/playlists', { method: 'POST', body: { name: 'Mine' } })).body.id;
    const ids = albumNumbers.flatMap((album) =>
      trackNumbers.map((trackNumber) => previousTracks.get(pathOf(album, trackNumber))?.id),
    );
    for (let offset = 0; offset < ids.length; offset += 500)
      await api(`/playlists/${playlistId}/tracks`, {
        method: 'POST',
        body: { track_ids: ids.slice(offset, offset + 500) },
      });
    for (const [n, id] of ids.entries())
      if (n % 2 === 0) await api('/likes', { method: 'POST', body: { item_type: 'track', item_id: id, liked: true } });
    const addedDates = new Map<number, string>();
    for (const album of albumNumbers)
      addedDates.set(album, (await api<AlbumOut>(`/albums/${firstTrackOf(album).album_id}`)).body.created_at);

    /** Returns the faults; while an album is half retagged, a track may be in either part. */
    async function check(moment: string, isWhole: boolean): Promise<void> {
      const tracks = await byPath();
      const tracksOfAlbum = (album: number): TrackOut[] =>
        trackNumbers.flatMap((trackNumber) => tracks.get(pathOf(album, trackNumber)) ?? []);
      const albumStates = await saidOf(
        'album',
        [...tracks.values()].map((track) => track.album_id),
      );
      const artistStates = await saidOf(
        'artist',
        [...tracks.values()].map((track) => track.artist_id),
      );
      const hasLikeState = (likeState: LikeState | undefined, n: number): boolean =>
        (likeState?.liked ?? false) === isLiked(n) && (likeState?.rating ?? 0) === ratingOf(n);
      for (const album of albumNumbers) {
        const albumFiles = tracksOfAlbum(album);
        for (const trackNumber of trackNumbers)
          if (albumFiles[trackNumber]?.id !== previousTracks.get(pathOf(album, trackNumber))?.id)
            faults.push(`${moment}: ${pathOf(album, trackNumber)} is new`);
        const albumIds = [...new Set(albumFiles.map((track) => track.album_id))];
        if (isWhole && albumIds.length !== 1) faults.push(`${moment}: album ${album} is ${albumIds.join()}`);
        const matchingIds = albumIds.filter((id) => hasLikeState(albumStates.get(id ?? 0), album));
        if (matchingIds.length === 0) faults.push(`${moment}: like or rating of album ${album} is lost`);
        const [id = null] = matchingIds;
        if (!isWhole) continue;
        const cover = covers.get(album);
        if (cover !== undefined && (await pictureOf('albums', id)) !== cover)
          faults.push(`${moment}: cover of album ${album} is another`);
        const { created_at: addedAt } = (await api<AlbumOut>(`/albums/${albumIds[0]}`)).body;
        if (Math.abs(Date.parse(addedAt) - Date.parse(addedDates.get(album) ?? '')) > 1_000)
          faults.push(`${moment}: album ${album} is added ${addedAt}`);
      }
      const nevers = (await api<{ artists: ArtistOut[] }>('/radio/never')).body.artists.map(
        (neverArtist) => neverArtist.id,
      );
      for (const artist of artists) {
        const artistAlbums = albumNumbers
          .filter((album) => Math.floor(album / ALBUMS_PER_ARTIST) === artist)
          .flatMap((album) => tracksOfAlbum(album).map((track) => track.artist_id));
        const matchingIds = [...new Set(artistAlbums)].filter((id) => hasLikeState(artistStates.get(id ?? 0), artist));
        if (matchingIds.length === 0) faults.push(`${moment}: like or rating of artist ${artist} is lost`);
        if (artist % 7 === 0 && !artistAlbums.some((id) => id !== null && nevers.includes(id)))
          faults.push(`${moment}: artist ${artist} is played in radios`);
        const portrait = portraits.get(artist);
        if (isWhole && portrait !== undefined && (await pictureOf('artists', artistAlbums[0] ?? null)) !== portrait)
          faults.push(`${moment}: picture of artist ${artist} is another`);
      }
      const { entries } = (await api<{ entries: { track: { id: number } }[] }>(`/playlists/${playlistId}?limit=10000`))
        .body;
      if (entries.map(({ track }) => track.id).join() !== ids.slice(0, entries.length).join() || entries.length === 0)
        faults.push(`${moment}: the playlist is another`);
      const states = await api<{ total: number }>('/tracks?liked=true&limit=1');
      if (states.body.total !== Math.ceil(ids.length / 2)) faults.push(`${moment}: ${states.body.total} liked tracks`);
    }

    const roundOf = new Map<string, Round>();
    const rounds = (album: number, trackNumber: number): Round => roundOf.get(pathOf(album, trackNumber)) ?? 0;
    async function retagInSitting(
      moment: string,
      round: Round,
      parts: (album: number, trackNumber: number) => boolean,
      isWhole: boolean,
    ) {
      for (const album of albumNumbers)
        for (const trackNumber of trackNumbers)
          if (parts(album, trackNumber) && rounds(album, trackNumber) !== round) {
            write(album, trackNumber, round);
            roundOf.set(pathOf(album, trackNumber), round);
          }
      await settle(rounds);
      await check(moment, isWhole);
      if (albums > 100) console.log(`${moment}: ${faults.length} faults`);
    }
    for (let n = 0; n < SITTING_COUNT; n++)
      await retagInSitting(
        `sitting ${n + 1}`,
        1,
        (album, trackNumber) => (album + trackNumber) % SITTING_COUNT <= n,
        n === SITTING_COUNT - 1,
      );
    await retagInSitting('half of another round', 2, (album, trackNumber) => (album + trackNumber) % 2 === 0, false);
    await retagInSitting('undone', 1, () => true, true);
    await retagInSitting('as it was', 0, () => true, true);
    await retagInSitting('all at once', 2, () => true, true);
    return faults;
  } finally {
    await server.close();
    fs.rmSync(base, { recursive: true, force: true });
  }
}

export async function proveRetaggedAlbums({ runs: albums = 500 }: { runs: number | undefined }): Promise<boolean> {
  let faults = 0;
  for (const [mode, isWatched] of [
    ['reference', false],
    ['reference', true],
    ['copy', false],
    ['copy', true],
  ] as const) {
    const runFaults = await playRetagged({ albums, isWatched, mode });
    faults += runFaults.length;
    for (const fault of runFaults.slice(0, 50)) console.log(fault);
    console.log(`${albums} albums, ${mode}, ${isWatched ? 'watched' : 'scanned'}: ${runFaults.length} faults`);
  }
  return faults === 0;
}
