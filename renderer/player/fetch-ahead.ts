// A saved track whose audio is elsewhere is fetched while the one before it plays, so that it is here when its turn
// comes.
import { following } from './queue.ts';
import type { Player } from './types.ts';

/** `materialize` begins the fetching; why it fails is told when the track's turn has come. Returns how to stop. */
export function fetchAhead(
  player: Pick<Player, 'getState' | 'subscribe'>,
  materialize: (trackId: number) => Promise<unknown>,
): () => void {
  let seen: number | undefined;
  return player.subscribe(() => {
    const state = player.getState();
    if (state.status !== 'playing' || state.sleep === 'track') return;
    const next = state.queue[following(state, state.repeat, true)];
    if (!next || next.key === seen) return;
    seen = next.key;
    if (next.track.availability === 'remote') void materialize(next.track.id).catch(() => {});
  });
}
