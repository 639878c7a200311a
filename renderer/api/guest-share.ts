// Requests of the page of a share. Its guests have no session, so it uses nothing of client.ts, and it asks only for
// addresses below that of the share.
import type { GuestShareOut } from '../../server/shares/wire.ts';
import type { CoverSize } from '../../server/covers/cover-sizes.ts';

export type GuestShare = GuestShareOut;
export type GuestTrack = GuestShareOut['tracks'][number];
/** What the server knew about the share when it sent the page. */
export type ShareState = 'open' | 'locked' | 'expired' | 'ended' | 'unknown';
const STATES: readonly string[] = ['open', 'locked', 'expired', 'ended', 'unknown'] satisfies ShareState[];
const isState = (text: string): text is ShareState => STATES.includes(text);

const root = (): string => `/share/${location.pathname.split('/')[2] ?? ''}`;

/** Returns the state of the share, and when it expired. */
export function readShareState(): { state: ShareState; expiredAt: string | undefined } {
  const tag = document.querySelector<HTMLMetaElement>('meta[name="share"]');
  const state = tag?.content ?? '';
  return { state: isState(state) ? state : 'unknown', expiredAt: tag?.dataset['until'] };
}

/** Fetches what is shared. Returns undefined if the server did not send it. */
export async function fetchShare(): Promise<GuestShare | undefined> {
  const response = await fetch(`${root()}/content`, { headers: { Accept: 'application/json' } }).catch(() => undefined);
  return response?.ok ? ((await response.json()) as GuestShare) : undefined;
}

/** Enters the password; returns the status of the response, 0 without one. */
export async function enterPassword(password: string): Promise<number> {
  const response = await fetch(`${root()}/password`, {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
    body: JSON.stringify({ password }),
  }).catch(() => undefined);
  return response?.status ?? 0;
}

/** Returns false if the share can no longer be opened; true also while the server cannot be reached. */
export async function isShareOpen(): Promise<boolean> {
  const response = await fetch(root(), { method: 'HEAD', headers: { Accept: 'application/json' } }).catch(
    () => undefined,
  );
  return response === undefined || (response.status !== 404 && response.status !== 410);
}

export const trackUrl = (position: number, format?: string): string =>
  `${root()}/${position}${format === undefined ? '' : `?format=${format}`}`;
export const fetchTrack = (position: number, signal: AbortSignal, format?: string): Promise<Response> =>
  fetch(trackUrl(position, format), { signal });
/** Requests one byte of a track and returns the status, 0 without a response. */
export async function probeTrack(position: number): Promise<number> {
  const response = await fetch(trackUrl(position), { headers: { Range: 'bytes=0-0' } }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status ?? 0;
}
/** Reports that a track was played. A report that does not arrive is not repeated. */
export const reportPlay = (position: number): void =>
  void fetch(`${root()}/${position}/plays`, { method: 'POST', keepalive: true }).catch(() => undefined);

export const guestCover = (position: number | null, size: CoverSize): string | null =>
  position === null ? null : `${root()}/${position}/cover?size=${size}`;
export const savedTrackUrl = (position: number): string => `${root()}/${position}?save=true`;
export const savedShareUrl = (): string => `${root()}/zip`;
