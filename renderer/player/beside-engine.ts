// Tasks of a window that has the engine, loaded when the window gets the engine: the upcoming tracks are fetched
// ahead, and the system's media controls follow the player.
import { AudioAhead, type AudioAheadOptions } from './audio-ahead.ts';
import { fetchAhead } from './fetch-ahead.ts';
import { connectMediaSession, playSilentElement } from './media-session.ts';
import type { Player } from './player.ts';

export const createAudioAhead = (options: AudioAheadOptions): AudioAhead => new AudioAhead(options);

interface BesideEngine {
  ahead: AudioAhead;
  /** Starts the download of a track from an online source. */
  materialize: (trackId: number) => Promise<unknown>;
}

/** Starts these tasks; returns the function that stops them. */
export function workBeside(engine: Player, { ahead, materialize }: BesideEngine): () => void {
  const stops = [
    fetchAhead(engine, materialize),
    ahead.follow(engine),
    connectMediaSession(engine),
    playSilentElement(engine),
  ];
  return () => stops.forEach((stop) => stop());
}
