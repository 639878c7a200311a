// Playing a saved track whose audio is still in an online source downloads it first (decisions 4, `availability`).
import { findDownload, materialize } from '../api/remote.ts';

const LOOK_EVERY_MS = 500;

/** True when the audio is available. A second attempt may be minutes away, so it is not waited for. */
export async function fetchAudio(trackId: number, signal: AbortSignal): Promise<boolean> {
  try {
    let download = await materialize(trackId, signal);
    while (download.status === 'queued' || download.status === 'running') {
      await new Promise((resolve) => {
        setTimeout(resolve, LOOK_EVERY_MS);
      });
      download = await findDownload(download.id, signal);
    }
    return download.status === 'succeeded';
  } catch {
    return false;
  }
}
