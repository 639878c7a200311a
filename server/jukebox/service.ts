// The jukebox: a window registered as the speaker plays what Subsonic clients set. It gets changes as events and
// reports its position. Each user has one speaker, the last one registered. Kept in memory; a speaker that stops
// reporting expires.
import type { ArtistId, TrackId, UserId } from '../db/ids.ts';
import { forbidden } from '../errors.ts';
import { shuffled } from '../playback/shuffle.ts';
import { LONGEST_MS } from '../playback/wire.ts';

interface Jukebox {
  /** Incremented with every change, so that reports on an older state can be recognized. */
  version: number;
  trackIds: TrackId[];
  /** Index in trackIds; -1 if the queue is empty. */
  currentIndex: number;
  positionMs: number;
  isPlaying: boolean;
  /** 0 to 1. */
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
  /** 0 to 1, for shuffling. */
  random?: () => number;
}

const SPEAKER_GONE_MS = 45_000;
export const MOST_JUKEBOX = 10_000;
const EMPTY: Jukebox = { version: 0, trackIds: [], currentIndex: -1, positionMs: 0, isPlaying: false, gain: 0.8 };

interface Kept {
  jukebox: Jukebox;
  at: number;
  speaker?: Speaker;
  seenAt: number;
}

export type JukeboxService = ReturnType<typeof createJukebox>;

export function createJukebox({ now, announce, artistsOf, random = Math.random }: JukeboxDeps) {
  const kept = new Map<UserId, Kept>();
  const of = (userId: UserId): Kept => {
    const found = kept.get(userId) ?? { jukebox: EMPTY, at: now().getTime(), seenAt: 0 };
    kept.set(userId, found);
    return found;
  };

  const speakerOf = ({ speaker, seenAt }: Kept): Speaker | null =>
    speaker !== undefined && now().getTime() - seenAt < SPEAKER_GONE_MS ? speaker : null;

  /** The state with the current position, extrapolated. */
  function stateOf(one: Kept): JukeboxState {
    const { jukebox, at } = one;
    return {
      ...jukebox,
      positionMs: jukebox.positionMs + (jukebox.isPlaying ? now().getTime() - at : 0),
      speaker: speakerOf(one),
    };
  }

  function want(userId: UserId, change: (now: JukeboxState) => Partial<Jukebox>): JukeboxState {
    const one = of(userId);
    const before = stateOf(one);
    if (!before.speaker)
      throw forbidden('There is no speaker. Open Tonearm on the computer that should play and choose "Jukebox mode".');
    const { speaker: _, ...jukebox } = before;
    one.jukebox = { ...jukebox, ...change(before), version: before.version + 1 };
    one.at = now().getTime();
    const state = stateOf(one);
    announce(userId, state);
    return state;
  }

  return {
    get: (userId: UserId): JukeboxState => stateOf(of(userId)),

    /** Registers a window as the speaker, or renews its registration with its position. */
    report(userId: UserId, speaker: Speaker, report: SpeakerReport | undefined): JukeboxState {
      const one = of(userId);
      const isNew = speakerOf(one)?.id !== speaker.id;
      one.speaker = speaker;
      one.seenAt = now().getTime();
      if (report?.version === one.jukebox.version) {
        const currentIndex = Math.min(report.currentIndex, one.jukebox.trackIds.length - 1);
        one.jukebox = {
          ...one.jukebox,
          currentIndex,
          positionMs: report.positionMs,
          isPlaying: report.isPlaying,
          gain: report.gain,
        };
        one.at = one.seenAt;
      }
      const state = stateOf(one);
      if (isNew) announce(userId, state); // the previous speaker stops
      return state;
    },

    /** Unregisters this window; another one stays registered. */
    withdraw(userId: UserId, speakerId: string): void {
      const one = of(userId);
      if (one.speaker?.id !== speakerId) return;
      one.jukebox = { ...one.jukebox, isPlaying: false };
      delete one.speaker;
      announce(userId, stateOf(one));
    },

    // All of these throw `forbidden` while there is no speaker.
    status: (userId: UserId): JukeboxState => {
      const state = stateOf(of(userId));
      return state.speaker ? state : want(userId, () => ({}));
    },
    set: (userId: UserId, trackIds: readonly TrackId[]) =>
      want(userId, () => ({
        trackIds: trackIds.slice(0, MOST_JUKEBOX),
        currentIndex: trackIds.length > 0 ? 0 : -1,
        positionMs: 0,
        isPlaying: false,
      })),
    add: (userId: UserId, trackIds: readonly TrackId[]) =>
      want(userId, (before) => ({
        trackIds: [...before.trackIds, ...trackIds].slice(0, MOST_JUKEBOX),
        currentIndex: before.currentIndex < 0 && trackIds.length > 0 ? 0 : before.currentIndex,
      })),
    clear: (userId: UserId) =>
      want(userId, () => ({ trackIds: [], currentIndex: -1, positionMs: 0, isPlaying: false })),
    remove: (userId: UserId, index: number) =>
      want(userId, (before) => {
        const trackIds = before.trackIds.filter((_, at) => at !== index);
        if (index < before.currentIndex) return { trackIds, currentIndex: before.currentIndex - 1 };
        const isCurrent = index === before.currentIndex;
        return {
          trackIds,
          currentIndex: Math.min(before.currentIndex, trackIds.length - 1),
          ...(isCurrent && { positionMs: 0, isPlaying: before.isPlaying && trackIds.length > index }),
        };
      }),
    start: (userId: UserId) => want(userId, ({ trackIds }) => ({ isPlaying: trackIds.length > 0 })),
    stop: (userId: UserId) => want(userId, () => ({ isPlaying: false })),
    skip: (userId: UserId, index: number, positionMs: number) =>
      want(userId, ({ trackIds, currentIndex }) =>
        index < 0 || index >= trackIds.length
          ? { currentIndex }
          : { currentIndex: index, positionMs: Math.min(positionMs, LONGEST_MS), isPlaying: true },
      ),
    /** The current track becomes the first and continues. */
    shuffle: (userId: UserId) =>
      want(userId, ({ trackIds, currentIndex }) => {
        const artists = artistsOf(trackIds);
        const current = trackIds[currentIndex] ?? null;
        const rest = trackIds.filter((_, at) => at !== currentIndex);
        const after = shuffled(rest, (id) => artists.get(id) ?? null, random, current);
        return current === null ? { trackIds: after } : { trackIds: [current, ...after], currentIndex: 0 };
      }),
    setGain: (userId: UserId, gain: number) => want(userId, () => ({ gain: Math.min(1, Math.max(0, gain)) })),
  };
}
