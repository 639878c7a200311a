// The listening position in an audiobook: a bookmark on the server, so that other devices and Subsonic apps resume at
// the same position.
import { currentEntry, isSounding, type Player, type PlayerState, type QueueTrack } from './player.ts';

const SAVE_EVERY_MS = 15_000;
/** No position is stored this close to the beginning or end of a track. */
const START_MARGIN_MS = 5_000;
const END_MARGIN_MS = 10_000;

/**
 * Finds the stored position of a track. Resolves to null if there is none or it could not be fetched. Never rejects.
 */
export type FindPlace = (trackId: number) => Promise<number | null>;

/**
 * Finds stored positions, and remembers the tracks whose position could not be fetched: their stored position is not
 * overwritten until the server has shown that it is not ahead of the listener.
 */
export function createPlaceFinder(fetchPlace: (trackId: number) => Promise<number | null>) {
  const unknownIds = new Set<number>();
  async function findPlace(trackId: number): Promise<number | null> {
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
    find: findPlace,
    isUnknown: (trackId: number): boolean => unknownIds.has(trackId),
    /** Fetches an unknown position again; the position stays unknown if it is further ahead than `heardUpToMs`. */
    async findAgain(trackId: number, heardUpToMs: number): Promise<void> {
      const positionMs = await findPlace(trackId);
      if (positionMs !== null && positionMs > heardUpToMs) unknownIds.add(trackId);
    },
  };
}

export const isAtBegin = ({ positionMs }: Pick<PlayerState, 'positionMs'>): boolean => positionMs < START_MARGIN_MS;
const isAtEnd = (positionMs: number, durationMs: number | null): boolean =>
  durationMs !== null && durationMs > 0 && positionMs > durationMs - END_MARGIN_MS;

/**
 * Returns the position to resume a track from; null for its beginning, as for every track that is not an audiobook.
 */
export async function placeToGoOn(track: QueueTrack, findPlace: FindPlace): Promise<number | null> {
  if (!track.has_chapters) return null;
  const positionMs = await findPlace(track.id);
  if (positionMs === null || isAtBegin({ positionMs }) || isAtEnd(positionMs, track.duration_ms)) return null;
  return positionMs;
}

interface PlacesOptions {
  save: (trackId: number, positionMs: number) => Promise<unknown>;
  /** Deletes the stored position of a track that was heard to its end. */
  forget: (trackId: number) => Promise<unknown>;
  /** Whether the server may hold a position further ahead, which could not be fetched. */
  isUnknown: (trackId: number) => boolean;
  findAgain: (trackId: number, heardUpToMs: number) => Promise<void>;
  now?: () => number;
}

/**
 * Saves positions while the player plays; a failed save is made up for by the next save. Returns the function that
 * stops this.
 */
export function keepPlaces(
  player: Pick<Player, 'getState' | 'subscribe'>,
  { save, forget, isUnknown, findAgain, now = Date.now }: PlacesOptions,
): () => void {
  let lastState = player.getState();
  let savedAt = now();

  const savePlace = (state: PlayerState) => {
    const track = currentEntry(state)?.track;
    if (!track?.has_chapters || isAtBegin(state)) return;
    savedAt = now();
    if (isUnknown(track.id)) return void findAgain(track.id, state.positionMs);
    const request = isAtEnd(state.positionMs, track.duration_ms)
      ? forget(track.id)
      : save(track.id, Math.round(state.positionMs));
    request.catch(() => undefined);
  };
  const unsubscribe = player.subscribe(() => {
    const previous = lastState;
    const state = (lastState = player.getState());
    const isOtherEntry = currentEntry(state) !== currentEntry(previous);
    // a track that stops at its end has already been set to its beginning
    if (isSounding(previous) && (isOtherEntry || !isSounding(state))) savePlace(previous);
    else if (isSounding(state) && now() - savedAt > SAVE_EVERY_MS) savePlace(state);
  });
  return () => {
    unsubscribe();
    if (isSounding(lastState)) savePlace(lastState);
  };
}
