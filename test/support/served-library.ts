// Compares what the server serves with the manifest of a collection. Returns every difference as a line.
import type { AlbumPage, ArtistPage, TrackOut, TrackPage } from '../../server/library/wire.ts';
import type { ExpectedFile, Manifest } from './library.ts';
import type { TestServer } from './server.ts';

type Api = Pick<TestServer, 'api'>;

export async function allTracks({ api }: Api, query = ''): Promise<TrackOut[]> {
  const tracks: TrackOut[] = [];
  for (let offset = 0; ; offset += 200) {
    const { body } = await api<TrackPage>(`/tracks?limit=200&offset=${offset}${query}`);
    tracks.push(...body.items);
    if (body.items.length < 200) return tracks;
  }
}

export const totalOf = async ({ api }: Api, path: string): Promise<number> =>
  (await api<AlbumPage | ArtistPage | TrackPage>(`${path}${path.includes('?') ? '&' : '?'}limit=1`)).body.total;

/**
 * Returns how the tracks differ from the manifest: every clean file must be a track with exactly its tags, and every
 * other file with usable audio must be a track.
 */
export function differences(tracks: TrackOut[], manifest: Manifest): string[] {
  const bySourceId = new Map(tracks.map((track) => [track.source_id, track]));
  const lines: string[] = [];
  for (const file of manifest.files) {
    if (file.pathHex) continue; // the server's text form of this path differs from the manifest's
    const track = bySourceId.get(file.path.normalize('NFC'));
    if (isRequired(file) && !track) lines.push(`${file.path}: is no track`);
    if (file.expect === 'error' && track && file.messy !== 'unreadable')
      lines.push(`${file.path}: is a track, though it is broken (${file.messy})`);
    if (!file.messy && track) lines.push(...trackDifferences(file, track).map((line) => `${file.path}: ${line}`));
  }
  return lines;
}

const isRequired = ({ expect, messy }: ExpectedFile): boolean => !messy || expect === 'track' || expect === 'degraded';

function trackDifferences({ tags, ...file }: ExpectedFile, track: TrackOut): string[] {
  if (!tags) return ['the manifest has no tags'];
  const expectedFields: Record<string, unknown> = {
    title: tags.title,
    artist_name: tags.artist ?? tags.artists?.join(', ') ?? null,
    artists: tags.artists,
    album_title: tags.album,
    album_artist_name: tags.albumArtist ?? tags.artists?.[0],
    track_number: tags.track ?? null,
    disc_number: tags.disc ?? null,
    year: tags.year ?? null,
    genres: tags.genres ?? [],
    genre: tags.genres?.[0] ?? null,
    recording_mbid: tags.mb?.recording ?? null,
    format: file.format,
    size_bytes: file.size,
    sample_rate_hz: file.rate,
    channels: file.channels,
  };
  const actual: Record<string, unknown> = { ...track, artists: track.artists.map((artist) => artist.name) };
  const lines = Object.entries(expectedFields)
    .filter(([field, value]) => JSON.stringify(actual[field]) !== JSON.stringify(value))
    .map(([field, value]) => `${field} is ${JSON.stringify(actual[field])}, not ${JSON.stringify(value)}`);
  if (Math.abs((track.duration_ms ?? 0) / 1000 - file.seconds) > 0.1)
    lines.push(`plays ${track.duration_ms} ms, not ${file.seconds} s`);
  return lines;
}
