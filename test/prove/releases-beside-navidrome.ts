// Every case of test/data/releases.txt that is marked [agreed], as tagged files in the library of a running Navidrome,
// whose albums must contain the files that the case lists. Needs Go, or a Navidrome that was built before.
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { navidrome } from '../bench/peers/go-servers.ts';
import { endPeers, type Peer, type Subsonic } from '../bench/peers/peer.ts';
import { flac, id3, id3Frame, silentMp3, utf8Text, vorbisComment } from '../support/audio-bytes.ts';
import {
  readReleasesTable,
  writeAlbums,
  type CaseAlbum,
  type GroupTrack,
  type ReleaseCase,
} from '../support/releases-table.ts';

export async function proveReleasesBesideNavidrome(): Promise<boolean> {
  const peer = navidrome(join(tmpdir(), 'tonearm-bench-peers'));
  let agreements = 0;
  let differences = 0;
  for (const releaseCase of readReleasesTable().filter(({ isAgreed }) => isAgreed)) {
    const name = `line ${releaseCase.line}: ${releaseCase.title}`;
    const obstacle = obstacleOf(releaseCase);
    if (obstacle !== undefined) {
      console.log(`${name}: not compared, ${obstacle}`);
      continue;
    }
    const namesArtists = releaseCase.albums.some(({ artist }) => artist !== undefined);
    const albums = (await albumsIn(peer, releaseCase)).map(({ tracks, artist }) => ({
      tracks,
      artist: namesArtists ? artist : undefined,
    }));
    const [expectedAlbums, outcome] = [
      writeAlbums(releaseCase.groups, releaseCase.albums),
      writeAlbums(releaseCase.groups, albums),
    ];
    if (outcome === expectedAlbums) agreements++;
    else differences++;
    console.log(`${name}: ${outcome}${outcome === expectedAlbums ? '' : `, and not ${expectedAlbums}`}`);
  }
  console.log(`${peer.name} ${peer.version} agrees on ${agreements} cases and differs on ${differences}`);
  return differences === 0 && agreements > 0;
}

/** Returns why files alone cannot express a case; undefined if they can. */
function obstacleOf({ groups }: ReleaseCase): string | undefined {
  const tracks = groups.flat();
  if (tracks.some(({ folder }) => folder === undefined)) return 'it has uploads';
  if (tracks.some(({ isEdited }) => isEdited)) return 'it has edits by a person';
  if (tracks.some(({ sound }) => sound !== undefined)) return 'it has fingerprints';
  return undefined;
}

/** Returns the albums of a new Navidrome with only the files of the case, which are named after the tracks. */
async function albumsIn(peer: Peer, { groups }: ReleaseCase): Promise<CaseAlbum[]> {
  const base = fs.mkdtempSync(join(tmpdir(), 'tonearm-releases-'));
  const music = join(base, 'music');
  const tracks = groups.flat();
  for (const track of tracks) {
    const path = join(music, track.folder ?? '', `${track.name}.${track.format}`);
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, fileOf(track));
  }
  try {
    const server = await peer.start({ music, dir: base });
    await server.scan?.();
    const albums = await listAlbums(server.subsonic as Subsonic);
    await server.stop();
    const count = albums.reduce((sum, album) => sum + album.tracks.length, 0);
    if (count !== tracks.length) throw new Error(`${count} of ${tracks.length} files are in the albums`);
    return albums;
  } finally {
    await endPeers();
    fs.rmSync(base, { recursive: true, force: true });
  }
}

/** Returns a file with the track's tags and a second of silence; Navidrome ignores the length. */
function fileOf(track: GroupTrack): Buffer {
  const texts = textsOf(track);
  if (track.format === 'flac') return flac([4, vorbisComment(...texts.map(([, name, text]) => `${name}=${text}`))]);
  const frames = texts.map(([frame, name, text]) => {
    if (frame === 'TXXX') return id3Frame(frame, utf8Text(`${ID3_NAMES.get(name) ?? name}\0${text}`));
    return id3Frame(frame, utf8Text(frame === 'COMM' ? `eng\0${text}` : text));
  });
  return Buffer.concat([id3(frames), silentMp3(40)]);
}

/** Picard's names of ID3 frames, by their names in FLAC. */
const ID3_NAMES = new Map([
  ['MUSICBRAINZ_ALBUMID', 'MusicBrainz Album Id'],
  ['MUSICBRAINZ_RELEASEGROUPID', 'MusicBrainz Release Group Id'],
]);

/** Returns the tags of a track: ID3 frame, name in FLAC, value. The comment identifies the track. */
function textsOf(track: GroupTrack): [frame: string, name: string, text: string][] {
  const values: [string, string, string | number | undefined][] = [
    ['TIT2', 'TITLE', track.title],
    ['TPE1', 'ARTIST', track.artist],
    ['TPE2', 'ALBUMARTIST', track.albumArtist],
    ['TALB', 'ALBUM', track.album],
    ['TDRC', 'DATE', track.year],
    ['TPOS', 'DISCNUMBER', track.discNumber],
    ['TRCK', 'TRACKNUMBER', track.trackNumber],
    ['TCMP', 'COMPILATION', track.isCompilation ? 1 : undefined],
    ['TXXX', 'MUSICBRAINZ_ALBUMID', track.releaseMbid],
    ['TXXX', 'MUSICBRAINZ_RELEASEGROUPID', track.releaseGroupMbid],
    ['TXXX', 'ALBUMVERSION', track.edition],
    ['COMM', 'COMMENT', track.name],
  ];
  return values.flatMap(([frame, name, value]) => (value === undefined ? [] : [[frame, name, String(value)]]));
}

interface Album {
  id: string;
  artist?: string;
  song?: { comment?: string }[];
}

async function listAlbums({ url, credentials }: Subsonic): Promise<CaseAlbum[]> {
  const callNavidrome = async <T>(request: string): Promise<T> => {
    const response = await fetch(`${url}/rest/${request}&${credentials}`);
    return ((await response.json()) as { 'subsonic-response': T })['subsonic-response'];
  };
  const albumList = await callNavidrome<{ albumList2: { album?: Album[] } }>(
    'getAlbumList2?type=alphabeticalByName&size=500',
  );
  const albums = (albumList.albumList2.album ?? []).map(async ({ id }) => {
    const { album } = await callNavidrome<{ album: Album }>(`getAlbum?id=${id}`);
    return { tracks: (album.song ?? []).map(({ comment }) => comment ?? ''), artist: album.artist ?? 'nobody' };
  });
  return Promise.all(albums);
}
