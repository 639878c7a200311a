// Downloads a saved track's audio from its online source while the track before it plays.
import { following } from './play-order.ts';
import type { Player } from './player.ts';

/**
 * `begin` starts the download; an error is reported when the track is played. Returns the function that stops this.
 */
export function fetchAhead(
  player: Pick<Player, 'getState' | 'subscribe'>,
  begin: (trackId: number) => Promise<unknown>,
): () => void {
  let lastKey: number | undefined;
  return player.subscribe(() => {
    const state = player.getState();
    if (state.status !== 'playing' || state.sleep === 'track') return;
    const next = state.queue[following(state, state.repeat, true)];
    if (!next || next.key === lastKey) return;
    lastKey = next.key;
    if (next.track.availability === 'remote') void begin(next.track.id).catch(() => {});
  });
}
