// Reports to the user's other devices what this player plays: when a track starts, seeks, stops or resumes.
import { currentEntry, isSounding, type Player } from './player.ts';

type TellNowPlaying = (playing: { track_id: number | null; position_ms: number }) => Promise<unknown>;

/** A track that plays for less than this is not reported, such as tracks skipped on the way to another. */
const SETTLED_MS = 800;
const JUMP_MS = 5_000;

export function announceNowPlaying(player: Player, sendNowPlaying: TellNowPlaying): () => void {
  let lastReport = '';
  let lastMs = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tellNow = () => {
    timer = undefined;
    const state = player.getState();
    sendNowPlaying({
      track_id: isSounding(state) ? (currentEntry(state)?.track.id ?? null) : null,
      position_ms: Math.round(state.positionMs),
    }).catch(() => undefined);
  };
  const unsubscribe = player.subscribe(() => {
    const state = player.getState();
    const now = isSounding(state) ? `${currentEntry(state)?.key}` : '';
    const jumped = now !== '' && Math.abs(state.positionMs - lastMs) > JUMP_MS;
    lastMs = state.positionMs;
    if (now === lastReport && !jumped) return;
    lastReport = now;
    timer ??= setTimeout(tellNow, SETTLED_MS);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
    if (lastReport !== '') sendNowPlaying({ track_id: null, position_ms: 0 }).catch(() => undefined);
  };
}
