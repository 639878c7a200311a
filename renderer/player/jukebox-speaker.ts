// Jukebox mode: the player follows what phones ask for, and reports its state. Of several windows of one browser the
// one that offered itself last is the speaker, and the others wait. No React and no HTTP.
import { isSounding, type Player, type QueueTrack } from './player.ts';
import type { JukeboxOut, SpeakerIn } from '../api/routes.ts';

/** Well below the 45 s after which the server drops a silent speaker. */
const REPORT_EVERY_MS = 15_000;
const REPORT_AFTER_MS = 500;
/** A smaller difference is the latency of a message. */
const MAX_DRIFT_MS = 2_000;

type Report = NonNullable<SpeakerIn['report']>;

interface SpeakerOptions {
  player: Player;
  id: string;
  /** Whether a speaker is another window of this browser. */
  isOurs: (id: string) => boolean;
  /** Reports to the server; resolves to what is wanted now. */
  report: (report: Report | undefined) => Promise<JukeboxOut>;
  withdraw: () => Promise<void>;
  tracksOf: (ids: readonly number[]) => Promise<QueueTrack[]>;
  /** Another computer became the speaker. */
  onReplaced: () => void;
}

export function startSpeaker({ player, id, isOurs, report, withdraw, tracksOf, onReplaced }: SpeakerOptions) {
  /** The last request received and followed. */
  let followed: JukeboxOut | null = null;
  let isOver = false;
  let isWaiting = false;
  let soon: ReturnType<typeof setTimeout> | undefined;
  let turn = Promise.resolve(); // one request after the other: their tracks take time to load

  /** Undefined while the user of this window plays something else, which has no position in a phone's queue. */
  function position(): Report | undefined {
    const state = player.getState();
    if (!followed || !isSameQueue(player, followed.track_ids)) return undefined;
    return {
      version: followed.version,
      current_index: state.index,
      position_ms: Math.max(0, Math.round(state.positionMs)),
      playing: isSounding(state),
      gain: state.volume,
    };
  }

  async function say(): Promise<void> {
    clearTimeout(soon);
    soon = undefined;
    if (isOver || isWaiting) return;
    await report(position()).then(hear, () => undefined); // repeated in 15 s
  }

  async function follow(wish: JukeboxOut): Promise<void> {
    if (isOver || (followed && wish.version <= followed.version)) return;
    // The first was requested before this window offered itself; what plays here goes on until a phone asks for
    // something.
    if (followed !== null) {
      if (!isSameQueue(player, wish.track_ids)) {
        const tracks = await tracksOf(wish.track_ids);
        if (isOver) return;
        if (tracks.length === 0) player.clear();
        else player.restore(tracks, Math.max(0, Math.min(wish.current_index, tracks.length - 1)), wish.position_ms);
      }
      steer(player, wish);
    }
    followed = wish;
  }

  function hear(wish: JukeboxOut): void {
    if (isOver) return;
    if (wish.speaker && wish.speaker.id !== id) return giveWay(wish.speaker.id);
    if (isWaiting) {
      if (wish.speaker) return;
      isWaiting = false;
      return void say(); // the other window was closed
    }
    turn = turn.then(() => follow(wish)).catch(() => undefined); // the next report brings the request again
  }

  function giveWay(to: string): void {
    isWaiting = isOurs(to);
    followed = null;
    if (isWaiting) return;
    end();
    player.pause();
    onReplaced();
  }

  const timer = setInterval(() => void say(), REPORT_EVERY_MS);
  const stopWatching = player.subscribe(
    watch(player, () => {
      if (followed) soon ??= setTimeout(() => void say(), REPORT_AFTER_MS);
    }),
  );
  const end = () => {
    isOver = true;
    clearInterval(timer);
    clearTimeout(soon);
    stopWatching();
  };
  void say();

  return {
    hear,
    stop(): void {
      if (isOver) return;
      end();
      if (!isWaiting) withdraw().catch(() => undefined); // it expires after 45 s
    },
  };
}

const isSameQueue = (player: Player, ids: readonly number[]): boolean => {
  const { queue } = player.getState();
  return queue.length === ids.length && queue.every((entry, at) => entry.track.id === ids[at]);
};

/** Index, position, volume and play state, in a queue that already matches. */
function steer(player: Player, { current_index, position_ms, playing, gain }: JukeboxOut): void {
  const state = player.getState();
  const entry = state.queue[current_index];
  if (Math.abs(state.volume - gain) > 0.005) player.setVolume(gain);
  if (!entry) return;
  if (state.index !== current_index) player.jumpTo(entry.key);
  if (Math.abs(player.getState().positionMs - position_ms) > MAX_DRIFT_MS) player.seek(position_ms);
  if (playing && !isSounding(player.getState())) player.play();
  if (!playing && isSounding(player.getState())) player.pause();
}

/** Calls back when something a phone shows has changed; the position advances by itself. */
function watch(player: Player, onChange: () => void): () => void {
  const readState = () => {
    const { index, volume, queue } = player.getState();
    return [index, volume, queue.length, isSounding(player.getState())].join(' ');
  };
  let previousState = readState();
  return () => {
    const now = readState();
    if (now === previousState) return;
    previousState = now;
    onChange();
  };
}
