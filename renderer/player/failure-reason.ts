// The reason why a track cannot be played, from the status of its stream's response.
import { probeStream } from '../api/client.ts';
import type { FailureReason } from './player.ts';

const REASONS_BY_STATUS: Record<number, FailureReason> = {
  0: 'unreachable',
  401: 'signed_out',
  404: 'not_found',
  409: 'remote',
  410: 'missing',
  429: 'busy',
  503: 'busy',
};

/** Returns the failure reason; if the stream responds, the browser cannot decode the audio. */
export const findReason = async (trackId: number): Promise<FailureReason> =>
  REASONS_BY_STATUS[await probeStream(trackId)] ?? 'undecodable';
