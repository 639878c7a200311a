// The reason why a track cannot be played, from the status of its stream's response.
import { probeStream, request } from '../api/client.ts';
import type { FailureReason } from './player.ts';

const UNAVAILABLE_STATUS = 503;
const REASONS_BY_STATUS: Record<number, FailureReason> = {
  0: 'unreachable',
  401: 'signed_out',
  404: 'not_found',
  409: 'remote',
  410: 'missing',
  429: 'busy',
  [UNAVAILABLE_STATUS]: 'busy',
};

/** Returns the failure reason; if the stream responds, the browser cannot decode the audio. */
export const reasonOf = (status: number): FailureReason => REASONS_BY_STATUS[status] ?? 'undecodable';

export async function findReason(trackId: number): Promise<FailureReason> {
  const status = await probeStream(trackId);
  return status === UNAVAILABLE_STATUS && (await isOffline(trackId)) ? 'offline' : reasonOf(status);
}

/** Returns whether the music folder of the track cannot be reached. A server that does not say so is busy. */
const isOffline = (trackId: number): Promise<boolean> =>
  request('GET /tracks/{id}', { path: { id: trackId } }).then(
    ({ availability }) => availability === 'offline',
    () => false,
  );
