// Playing a saved track fetches its audio (decisions 4, `availability`).
import { findDownload, materialize } from '../api/remote.ts';

const LOOK_EVERY_MS = 500;

/** True when the audio is here. Who listens does not wait for a second attempt, which may be minutes away. */
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
