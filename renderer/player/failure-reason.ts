// Why a track can't be played, by the status that its stream responds with.
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

/** When the stream responds, it is the browser that cannot decode it. */
export const findReason = async (trackId: number): Promise<FailureReason> =>
  REASONS_BY_STATUS[await probeStream(trackId)] ?? 'undecodable';
