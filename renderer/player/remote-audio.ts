// Saved tracks whose audio is still in a remote catalogue: fetched when they are played, or while the track before them
// plays (decisions 4, `availability`).
import { findDownload, materialize } from '../api/remote.ts';
import { following } from './queue.ts';
import type { Player } from './types.ts';

const LOOK_EVERY_MS = 500;

/** True when the audio is here. A second attempt may be minutes away, so it is not waited for. */
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

/** `begin` starts the download; why it fails is told when the track's turn has come. Returns how to stop. */
export function fetchAhead(
  player: Pick<Player, 'getState' | 'subscribe'>,
  begin: (trackId: number) => Promise<unknown>,
): () => void {
  let seen: number | undefined;
  return player.subscribe(() => {
    const state = player.getState();
    if (state.status !== 'playing' || state.sleep === 'track') return;
    const next = state.queue[following(state, state.repeat, true)];
    if (!next || next.key === seen) return;
    seen = next.key;
    if (next.track.availability === 'remote') void begin(next.track.id).catch(() => {});
  });
}
