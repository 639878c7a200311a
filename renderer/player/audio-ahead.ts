// The audio of the next two tracks, fetched once the current track is fully downloaded, so that a short outage
// between tracks is not heard.
import { following } from './play-order.ts';
import { currentEntry, type Player, type PlayerState, type QueueTrack } from './player.ts';

const TRACKS_AHEAD = 2;
/** Bytes per track; longer tracks are not decoded as a whole either. */
const MAX_BYTES = 80_000_000;
/** Tolerance in milliseconds: the end of the buffered audio and the end of the track differ by rounding. */
const WHOLE_WITHIN_MS = 500;

export interface AudioAheadOptions {
  fetchStream: (trackId: number, signal: AbortSignal) => Promise<Response>;
  /** The key of the requested stream; the key differs for each quality. */
  keyOf: (trackId: number) => string;
  /** Whether tracks may be fetched although they might never be played. */
  isAllowed: () => boolean;
}

export class AudioAhead {
  readonly #options: AudioAheadOptions;
  readonly #fetched = new Map<string, Response>();
  #fetching: { key: string; stop: AbortController } | undefined;

  constructor(options: AudioAheadOptions) {
    this.#options = options;
  }

  /** Returns the stream of a track like `fetchStream`, but from memory if the track was fetched ahead. */
  stream(trackId: number, signal: AbortSignal): Promise<Response> {
    const response = this.#fetched.get(this.#options.keyOf(trackId));
    return response ? Promise.resolve(response.clone()) : this.#options.fetchStream(trackId, signal);
  }

  /** Fetches ahead while the player plays; returns the function that stops this. */
  follow(player: Pick<Player, 'getState' | 'subscribe'>): () => void {
    const unsubscribe = player.subscribe(() => this.#look(player.getState()));
    return () => {
      unsubscribe();
      this.#keepOnly([]);
    };
  }

  #look(state: PlayerState): void {
    const current = currentEntry(state)?.track;
    if (!current || state.status !== 'playing') return;
    const upcomingTracks = this.#options.isAllowed() ? nextTracks(state) : [];
    this.#keepOnly([current, ...upcomingTracks].map(({ id }) => this.#options.keyOf(id)));
    const isDownloaded = state.durationMs > 0 && state.bufferedMs >= state.durationMs - WHOLE_WITHIN_MS;
    const next = upcomingTracks.find(({ id }) => !this.#fetched.has(this.#options.keyOf(id)));
    if (next && isDownloaded && !this.#fetching) void this.#fetch(next.id);
  }

  async #fetch(trackId: number): Promise<void> {
    const { keyOf, fetchStream } = this.#options;
    const fetching = (this.#fetching = { key: keyOf(trackId), stop: new AbortController() });
    // a failure is reported when the track plays
    const response = await fetchStream(trackId, fetching.stop.signal).catch(() => undefined);
    const isSmall = Number(response?.headers.get('Content-Length') ?? Infinity) <= MAX_BYTES;
    const body = response?.ok && isSmall ? await response.arrayBuffer().catch(() => undefined) : undefined;
    if (response && body && this.#fetching === fetching)
      this.#fetched.set(fetching.key, new Response(body, { headers: response.headers }));
    if (this.#fetching === fetching) this.#fetching = undefined;
  }

  #keepOnly(keys: readonly string[]): void {
    for (const key of this.#fetched.keys()) if (!keys.includes(key)) this.#fetched.delete(key);
    if (!this.#fetching || keys.includes(this.#fetching.key)) return;
    this.#fetching.stop.abort();
    this.#fetching = undefined;
  }
}

/** Returns the tracks that will play by themselves after the current track, as far as their audio can be fetched. */
function nextTracks(state: PlayerState): QueueTrack[] {
  const tracks: QueueTrack[] = [];
  let { index } = state;
  while (tracks.length < TRACKS_AHEAD) {
    index = following({ ...state, index }, state.repeat, true);
    const track = state.queue[index]?.track;
    if (!track || index === state.index) break;
    tracks.push(track);
  }
  return tracks.filter(({ availability }) => availability === 'available');
}
