// The jukebox: a window that is registered as the speaker plays what Subsonic clients set. The window gets changes as
// events and reports its position. Each user has one speaker, the window that registered last. The state is kept in
// memory; a speaker that stops reporting expires.
import type { ArtistId, TrackId, UserId } from '../db/ids.ts';
import { forbidden } from '../errors.ts';
import { shuffleItems } from '../playback/shuffle.ts';
import { MAX_POSITION_MS } from '../playback/wire.ts';

interface Jukebox {
  /** Incremented with every change, so that reports about an older state can be recognized. */
  version: number;
  trackIds: TrackId[];
  /** Index in trackIds; -1 if the queue is empty. */
  currentIndex: number;
  positionMs: number;
  isPlaying: boolean;
  /** Volume, 0 to 1. */
  gain: number;
}
interface Speaker {
  id: string;
  name: string;
}
export type JukeboxState = Jukebox & { speaker: Speaker | null };
type SpeakerReport = Pick<Jukebox, 'version' | 'currentIndex' | 'positionMs' | 'isPlaying' | 'gain'>;

interface JukeboxDeps {
  now: () => Date;
  /** Sends the state to the user's windows. */
  announce: (userId: UserId, state: JukeboxState) => void;
  artistsOf: (trackIds: readonly TrackId[]) => ReadonlyMap<TrackId, ArtistId | null>;
  /** Returns a random number from 0 to 1, for shuffling. */
  random?: () => number;
}

const SPEAKER_TIMEOUT_MS = 45_000;
export const MAX_JUKEBOX_SONGS = 10_000;
const EMPTY_JUKEBOX: Jukebox = {
  version: 0,
  trackIds: [],
  currentIndex: -1,
  positionMs: 0,
  isPlaying: false,
  gain: 0.8,
};

interface JukeboxEntry {
  jukebox: Jukebox;
  updatedAt: number;
  speaker?: Speaker;
  seenAt: number;
}

export type JukeboxService = ReturnType<typeof createJukebox>;

export function createJukebox({ now, announce, artistsOf, random = Math.random }: JukeboxDeps) {
  const entries = new Map<UserId, JukeboxEntry>();
  const entryOf = (userId: UserId): JukeboxEntry => {
    const entry = entries.get(userId) ?? { jukebox: EMPTY_JUKEBOX, updatedAt: now().getTime(), seenAt: 0 };
    entries.set(userId, entry);
    return entry;
  };

  const speakerOf = ({ speaker, seenAt }: JukeboxEntry): Speaker | null =>
    speaker !== undefined && now().getTime() - seenAt < SPEAKER_TIMEOUT_MS ? speaker : null;

  /** Returns the state with the current position, computed from the last reported one. */
  function stateOf(entry: JukeboxEntry): JukeboxState {
    const { jukebox, updatedAt } = entry;
    return {
      ...jukebox,
      positionMs: jukebox.positionMs + (jukebox.isPlaying ? now().getTime() - updatedAt : 0),
      speaker: speakerOf(entry),
    };
  }

  function changeState(userId: UserId, change: (now: JukeboxState) => Partial<Jukebox>): JukeboxState {
    const entry = entryOf(userId);
    const previousState = stateOf(entry);
    if (!previousState.speaker)
      throw forbidden(
        'No jukebox is open. Open Tonearm on the computer that should play and choose "Let phones play here".',
      );
    const { speaker: _, ...jukebox } = previousState;
    entry.jukebox = { ...jukebox, ...change(previousState), version: previousState.version + 1 };
    entry.updatedAt = now().getTime();
    const state = stateOf(entry);
    announce(userId, state);
    return state;
  }

  return {
    get: (userId: UserId): JukeboxState => stateOf(entryOf(userId)),

    /** Registers a window as the speaker, or renews the registration with the window's position. */
    report(userId: UserId, speaker: Speaker, report: SpeakerReport | undefined): JukeboxState {
      const entry = entryOf(userId);
      const isNew = speakerOf(entry)?.id !== speaker.id;
      entry.speaker = speaker;
      entry.seenAt = now().getTime();
      if (report?.version === entry.jukebox.version) {
        const currentIndex = Math.min(report.currentIndex, entry.jukebox.trackIds.length - 1);
        entry.jukebox = {
          ...entry.jukebox,
          currentIndex,
          positionMs: report.positionMs,
          isPlaying: report.isPlaying,
          gain: report.gain,
        };
        entry.updatedAt = entry.seenAt;
      }
      const state = stateOf(entry);
      if (isNew) announce(userId, state); // the event makes the previous speaker stop
      return state;
    },

    /** Unregisters this window as the speaker; if another window is registered, nothing changes. */
    withdraw(userId: UserId, speakerId: string): void {
      const entry = entryOf(userId);
      if (entry.speaker?.id !== speakerId) return;
      entry.jukebox = { ...entry.jukebox, isPlaying: false };
      delete entry.speaker;
      announce(userId, stateOf(entry));
    },

    // The functions from here on throw `forbidden` while there is no speaker.
    status: (userId: UserId): JukeboxState => {
      const state = stateOf(entryOf(userId));
      return state.speaker ? state : changeState(userId, () => ({}));
    },
    set: (userId: UserId, trackIds: readonly TrackId[]) =>
      changeState(userId, () => ({
        trackIds: trackIds.slice(0, MAX_JUKEBOX_SONGS),
        currentIndex: trackIds.length > 0 ? 0 : -1,
        positionMs: 0,
        isPlaying: false,
      })),
    add: (userId: UserId, trackIds: readonly TrackId[]) =>
      changeState(userId, (state) => ({
        trackIds: [...state.trackIds, ...trackIds].slice(0, MAX_JUKEBOX_SONGS),
        currentIndex: state.currentIndex < 0 && trackIds.length > 0 ? 0 : state.currentIndex,
      })),
    clear: (userId: UserId) =>
      changeState(userId, () => ({ trackIds: [], currentIndex: -1, positionMs: 0, isPlaying: false })),
    remove: (userId: UserId, index: number) =>
      changeState(userId, (state) => {
        const trackIds = state.trackIds.filter((_, trackIndex) => trackIndex !== index);
        if (index < state.currentIndex) return { trackIds, currentIndex: state.currentIndex - 1 };
        const isCurrent = index === state.currentIndex;
        return {
          trackIds,
          currentIndex: Math.min(state.currentIndex, trackIds.length - 1),
          ...(isCurrent && { positionMs: 0, isPlaying: state.isPlaying && trackIds.length > index }),
        };
      }),
    start: (userId: UserId) => changeState(userId, ({ trackIds }) => ({ isPlaying: trackIds.length > 0 })),
    stop: (userId: UserId) => changeState(userId, () => ({ isPlaying: false })),
    skip: (userId: UserId, index: number, positionMs: number) =>
      changeState(userId, ({ trackIds, currentIndex }) =>
        index < 0 || index >= trackIds.length
          ? { currentIndex }
          : { currentIndex: index, positionMs: Math.min(positionMs, MAX_POSITION_MS), isPlaying: true },
      ),
    /** Shuffles the queue. The current track becomes the first one and continues. */
    shuffle: (userId: UserId) =>
      changeState(userId, ({ trackIds, currentIndex }) => {
        const artists = artistsOf(trackIds);
        const currentId = trackIds[currentIndex] ?? null;
        const otherTracks = trackIds.filter((_, index) => index !== currentIndex);
        const shuffledTracks = shuffleItems(otherTracks, (id) => artists.get(id) ?? null, random, currentId);
        return currentId === null
          ? { trackIds: shuffledTracks }
          : { trackIds: [currentId, ...shuffledTracks], currentIndex: 0 };
      }),
    setGain: (userId: UserId, gain: number) => changeState(userId, () => ({ gain: Math.min(1, Math.max(0, gain)) })),
  };
}
