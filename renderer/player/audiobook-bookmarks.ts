// Where somebody is in an audiobook: a bookmark on the server, so that other devices and Subsonic apps go on there too.
import { currentEntry, isSounding, type Player, type PlayerState, type QueueTrack } from './player.ts';

const EVERY_MS = 15_000;
/** Closer to the beginning or the end there is no place to come back to. */
const BEGIN_MS = 5_000;
const END_MS = 10_000;

export type FindPlace = (trackId: number) => Promise<number | null>;

export const isAtBegin = ({ positionMs }: Pick<PlayerState, 'positionMs'>): boolean => positionMs < BEGIN_MS;
const isAtEnd = (positionMs: number, durationMs: number | null): boolean =>
  durationMs !== null && durationMs > 0 && positionMs > durationMs - END_MS;

/** Null: at its beginning, as every track that is no audiobook. */
export async function placeToGoOn(track: QueueTrack, findPlace: FindPlace): Promise<number | null> {
  if (!track.has_chapters) return null;
  const positionMs = await findPlace(track.id).catch(() => null); // best effort
  if (positionMs === null || isAtBegin({ positionMs }) || isAtEnd(positionMs, track.duration_ms)) return null;
  return positionMs;
}

interface PlacesOptions {
  save: (trackId: number, positionMs: number) => Promise<unknown>;
  /** It was heard to its end. */
  forget: (trackId: number) => Promise<unknown>;
  now?: () => number;
}

/** Best effort: a failed save is made up by the next one. Returns how to stop. */
export function keepPlaces(
  player: Pick<Player, 'getState' | 'subscribe'>,
  { save, forget, now = Date.now }: PlacesOptions,
): () => void {
  let last = player.getState();
  let savedAt = now();

  const keep = (state: PlayerState) => {
    const track = currentEntry(state)?.track;
    if (!track?.has_chapters || isAtBegin(state)) return;
    savedAt = now();
    const done = isAtEnd(state.positionMs, track.duration_ms)
      ? forget(track.id)
      : save(track.id, Math.round(state.positionMs));
    done.catch(() => undefined);
  };
  const unsubscribe = player.subscribe(() => {
    const before = last;
    const state = (last = player.getState());
    const isOther = currentEntry(state) !== currentEntry(before);
    // what stops at its end is back at its beginning
    if (isSounding(before) && (isOther || !isSounding(state))) keep(before);
    else if (isSounding(state) && now() - savedAt > EVERY_MS) keep(state);
  });
  return () => {
    unsubscribe();
    if (isSounding(last)) keep(last);
  };
}
