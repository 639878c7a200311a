// Where somebody is in an audiobook: a bookmark on the server, so that other devices and Subsonic apps go on there too.
import { currentEntry, isSounding, type Player, type PlayerState, type QueueTrack } from './player.ts';

const SAVE_EVERY_MS = 15_000;
/** Closer to the beginning or the end there is no place to come back to. */
const START_MARGIN_MS = 5_000;
const END_MARGIN_MS = 10_000;

/** Null: there is none, or it is not known. Never fails. */
export type FindPlace = (trackId: number) => Promise<number | null>;

/**
 * Finds places, and remembers of which tracks the place could not be fetched: nothing is saved over it, until it is
 * known that it is not further on than the listener.
 */
export function createPlaceFinder(fetchPlace: (trackId: number) => Promise<number | null>) {
  const unknownIds = new Set<number>();
  async function find(trackId: number): Promise<number | null> {
    try {
      const positionMs = await fetchPlace(trackId);
      unknownIds.delete(trackId);
      return positionMs;
    } catch {
      unknownIds.add(trackId);
      return null;
    }
  }
  return {
    find,
    isUnknown: (trackId: number): boolean => unknownIds.has(trackId),
    /** The place stays unknown when it is further on than `heardUpToMs`. */
    async findAgain(trackId: number, heardUpToMs: number): Promise<void> {
      const positionMs = await find(trackId);
      if (positionMs !== null && positionMs > heardUpToMs) unknownIds.add(trackId);
    },
  };
}

export const isAtBegin = ({ positionMs }: Pick<PlayerState, 'positionMs'>): boolean => positionMs < START_MARGIN_MS;
const isAtEnd = (positionMs: number, durationMs: number | null): boolean =>
  durationMs !== null && durationMs > 0 && positionMs > durationMs - END_MARGIN_MS;

/** Null: at its beginning, as every track that is no audiobook. */
export async function placeToGoOn(track: QueueTrack, findPlace: FindPlace): Promise<number | null> {
  if (!track.has_chapters) return null;
  const positionMs = await findPlace(track.id);
  if (positionMs === null || isAtBegin({ positionMs }) || isAtEnd(positionMs, track.duration_ms)) return null;
  return positionMs;
}

interface PlacesOptions {
  save: (trackId: number, positionMs: number) => Promise<unknown>;
  /** It was heard to its end. */
  forget: (trackId: number) => Promise<unknown>;
  /** There may be another place, further on. */
  isUnknown: (trackId: number) => boolean;
  findAgain: (trackId: number, heardUpToMs: number) => Promise<void>;
  now?: () => number;
}

/** Best effort: a failed save is made up by the next one. Returns how to stop. */
export function keepPlaces(
  player: Pick<Player, 'getState' | 'subscribe'>,
  { save, forget, isUnknown, findAgain, now = Date.now }: PlacesOptions,
): () => void {
  let last = player.getState();
  let savedAt = now();

  const keep = (state: PlayerState) => {
    const track = currentEntry(state)?.track;
    if (!track?.has_chapters || isAtBegin(state)) return;
    savedAt = now();
    if (isUnknown(track.id)) return void findAgain(track.id, state.positionMs);
    const done = isAtEnd(state.positionMs, track.duration_ms)
      ? forget(track.id)
      : save(track.id, Math.round(state.positionMs));
    done.catch(() => undefined);
  };
  const unsubscribe = player.subscribe(() => {
    const previous = last;
    const state = (last = player.getState());
    const isOther = currentEntry(state) !== currentEntry(previous);
    // what stops at its end is back at its beginning
    if (isSounding(previous) && (isOther || !isSounding(state))) keep(previous);
    else if (isSounding(state) && now() - savedAt > SAVE_EVERY_MS) keep(state);
  });
  return () => {
    unsubscribe();
    if (isSounding(last)) keep(last);
  };
}
