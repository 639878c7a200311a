// URLs for elements that cannot send headers: <img>, <audio> and EventSource send the token in the query.
import { COVER_SIZES, LARGEST_COVER, type CoverSize } from '../../server/covers/cover-sizes.ts';
import { API, toQueryString } from './client.ts';
import { OWN_DEVICE } from './device-news.ts';
import { firstEventId } from './last-event.ts';
import { getSession } from './session.ts';
import { downloadUrl } from './url-tokens.ts';

const token = () => getSession()?.urls?.media;

export const coverUrl = (kind: 'albums' | 'artists' | 'tracks', id: number, size: CoverSize): string =>
  `${API}/${kind}/${id}/cover${toQueryString({ size, token: token() })}`;

/** Returns the smallest stored size that fills `cssPixels` on this screen. */
export function coverSizeFor(cssPixels: number): CoverSize {
  const devicePixels = cssPixels * Math.min(2, devicePixelRatio);
  return COVER_SIZES.find((size) => size >= devicePixels * 0.85) ?? LARGEST_COVER;
}

export const albumCover = (album: { id: number; has_cover: boolean }, size: CoverSize): string | null =>
  album.has_cover ? coverUrl('albums', album.id, size) : null;

/** Returns the URL of one of the pictures that an album's cover can be chosen from. */
export const candidateUrl = (albumId: number, candidate: string): string =>
  `${API}/albums/${albumId}/cover/candidates/${candidate}${toQueryString({ token: token() })}`;

/** Returns the URL of one of the pictures on Wikimedia Commons that an artist's picture can be chosen from. */
export const artistCandidateUrl = (artistId: number, file: string): string =>
  `${API}/artists/${artistId}/cover/candidate${toQueryString({ file, token: token() })}`;

export function trackCover(
  track: { id: number; album_id: number | null; album_title?: string | null; has_cover: boolean },
  size: CoverSize,
): string | null {
  if (!track.has_cover) return null;
  const { id, album_id, album_title } = track;
  return album_id === null || album_title === null ? coverUrl('tracks', id, size) : coverUrl('albums', album_id, size);
}

/** Returns the URL of an online source's cover, which the server fetches for the browser. */
export const remoteCover = (path: string | null): string | null =>
  path?.startsWith(`${API}/`)
    ? `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ token: token() ?? '' }).toString()}`
    : null;

/** About as many ids fit into a URL. */
export const MAX_ZIPPED_TRACKS = 1_000;
/** Returns the URL for saving an album, an artist, a playlist or some tracks as one file. */
export const zipUrl = (query: Record<string, string | number | undefined>): Promise<string> =>
  downloadUrl('/zip', query);

/** Returns the URL for saving a track, unchanged or converted. */
export const savedUrl = (trackId: number, format?: string): string =>
  `${API}/stream/${trackId}${toQueryString({ format, token: token() })}`;
/**
 * Returns the URL for playing a track. With the format `playable`, audio is converted only if the browser cannot play
 * it or its bit rate is above `kbps` (0: no limit); with another format it is always converted.
 */
export const streamUrl = (trackId: number, kbps = 0, format = 'playable', startMs = 0): string =>
  `${API}/stream/${trackId}${toQueryString({
    format,
    max_bitrate: kbps || undefined,
    start_ms: Math.round(startMs) || undefined,
    token: token(),
  })}`;
export const episodeUrl = (episodeId: number): string =>
  `${API}/podcast-episodes/${episodeId}/audio${toQueryString({ token: token() })}`;
export const stationUrl = (stationId: number): string =>
  `${API}/stations/${stationId}/audio${toQueryString({ token: token() })}`;
export const eventsUrl = (): string =>
  `${API}/events${toQueryString({
    token: getSession()?.urls?.events,
    last_event_id: firstEventId(),
    device_id: OWN_DEVICE,
  })}`;
