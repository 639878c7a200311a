// Recorded music from Debian's packages of games: each folder with five tracks or more is an album. Packages are
// downloaded and unpacked, not installed.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

const SOUNDTRACK_PACKAGES = [
  'colobot-common-sounds',
  'drascula-music',
  'fillets-ng-data',
  'flare-game',
  'freedroidrpg-data',
  'hedgewars-data',
  'hyperrogue-music',
  'marsshooter-data',
  'naev-data',
  'planetblupi-music-ogg',
  'pushover-data',
  'singularity-music',
  'starfighter-data',
  'supertux-data',
  'supertuxkart-data',
  'unknown-horizons',
  'warzone2100-music',
  'wesnoth-1.16-music',
  'widelands-data',
];
const AUDIO_ENDINGS = '{ogg,mp3,flac,opus,mod,xm,it,s3m}';
const SHORTEST_SECONDS = 25;
const MIN_TRACKS = 5;
/** Maximum number of tracks per album, so that no album dominates the result. */
const MAX_TRACKS = 15;

export interface Recorded {
  path: string;
  /** Name of the Debian package. */
  package: string;
  album: string;
  artist: string | undefined;
}

/**
 * Returns the recorded tracks; packages that are already in the folder are used again. Packages that cannot be
 * downloaded are reported and skipped.
 */
export function openSoundtracks(folder: string): Recorded[] {
  for (const name of SOUNDTRACK_PACKAGES) {
    const targetPath = join(folder, name);
    if (existsSync(targetPath)) continue;
    mkdirSync(targetPath, { recursive: true });
    const { status } = spawnSync('apt-get', ['download', '-q', name], { cwd: targetPath });
    const [file] = globSync('*.deb', { cwd: targetPath });
    if (status !== 0 || file === undefined) {
      console.error(`NOT HEARD: ${name}, as apt-get has none`);
      rmSync(targetPath, { recursive: true });
      continue;
    }
    execFileSync('dpkg-deb', ['-x', join(targetPath, file), targetPath]);
    rmSync(join(targetPath, file));
  }
  const albums = new Map<string, Recorded[]>();
  for (const path of globSync(`**/*.${AUDIO_ENDINGS}`, { cwd: folder }).sort()) {
    if (!lstatSync(join(folder, path)).isFile()) continue; // a link from another language
    const album = dirname(path);
    const albumTracks = albums.get(album) ?? [];
    const facts = factsOf(join(folder, path));
    if (facts.seconds >= SHORTEST_SECONDS)
      albumTracks.push({
        path: join(folder, path),
        package: path.split(sep)[0] as string,
        album,
        artist: facts.artist,
      });
    albums.set(album, albumTracks);
  }
  return [...albums.values()]
    .filter((tracks) => tracks.length >= MIN_TRACKS)
    .flatMap((tracks) => {
      const count = Math.min(MAX_TRACKS, tracks.length);
      return Array.from({ length: count }, (_, n) => tracks[Math.floor((n * tracks.length) / count)] as Recorded);
    });
}

function factsOf(path: string): { seconds: number; artist: string | undefined } {
  const { stdout } = spawnSync(
    'ffprobe',
    ['-v', 'error', '-show_entries', 'format=duration:format_tags=artist:stream_tags=artist', '-of', 'json', path],
    { encoding: 'utf8' },
  );
  interface TagSource {
    tags?: Record<string, string>;
  }
  const { format, streams } = JSON.parse(stdout || '{}') as {
    format?: TagSource & { duration?: string };
    streams?: TagSource[];
  };
  const tags = [format, ...(streams ?? [])].flatMap((source) => Object.entries(source?.tags ?? {}));
  return {
    seconds: Number(format?.duration ?? 0),
    artist: tags
      .find(([name]) => name.toLowerCase() === 'artist')?.[1]
      ?.trim()
      .toLowerCase(),
  };
}
