// The jukebox (“Let phones play here”): the player executes the requests of phones and reports its state. If several
// windows of one browser are jukeboxes, the window that registered last is the speaker, and the others wait. Contains
// no React and no HTTP.
import { isSounding, type Player, type QueueTrack } from './player.ts';
import type { JukeboxOut, SpeakerIn } from '../api/routes.ts';

/** Reports are sent well within the 45 s after which the server drops a silent speaker. */
const REPORT_EVERY_MS = 15_000;
const REPORT_AFTER_MS = 500;
/** Smaller differences are caused by the latency of messages. */
const MAX_DRIFT_MS = 2_000;

type Report = NonNullable<SpeakerIn['report']>;

interface SpeakerOptions {
  player: Player;
  id: string;
  /** Whether a speaker is a window of this browser. */
  isOurs: (id: string) => boolean;
  /** Reports to the server; resolves to the state that the phones request. */
  report: (report: Report | undefined) => Promise<JukeboxOut>;
  withdraw: () => Promise<void>;
  tracksOf: (ids: readonly number[]) => Promise<QueueTrack[]>;
  /** Another computer became the speaker. */
  onReplaced: () => void;
}

export function startSpeaker({ player, id, isOurs, report, withdraw, tracksOf, onReplaced }: SpeakerOptions) {
  /** The last request that this window executed. */
  let followed: JukeboxOut | null = null;
  let isStopped = false;
  let isWaiting = false;
  let reportTimer: ReturnType<typeof setTimeout> | undefined;
  // requests are executed one after the other, since loading their tracks takes time
  let pendingWork = Promise.resolve();

  /** Returns the position in the phone's queue; undefined while the user of this window plays another queue. */
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

  async function sendReport(): Promise<void> {
    clearTimeout(reportTimer);
    reportTimer = undefined;
    if (isStopped || isWaiting) return;
    await report(position()).then(receive, () => undefined); // a failed report is repeated in 15 s
  }

  async function follow(request: JukeboxOut): Promise<void> {
    if (isStopped || (followed && request.version <= followed.version)) return;
    // The first request is older than this window's registration; the window keeps playing its own queue until a phone
    // sends a new request.
    if (followed !== null) {
      if (!isSameQueue(player, request.track_ids)) {
        const tracks = await tracksOf(request.track_ids);
        if (isStopped) return;
        if (tracks.length === 0) player.clear();
        else
          player.restore(tracks, Math.max(0, Math.min(request.current_index, tracks.length - 1)), request.position_ms);
      }
      steer(player, request);
    }
    followed = request;
  }

  function receive(request: JukeboxOut): void {
    if (isStopped) return;
    if (request.speaker && request.speaker.id !== id) return giveWay(request.speaker.id);
    if (isWaiting) {
      if (request.speaker) return;
      isWaiting = false;
      return void sendReport(); // the other window was closed
    }
    pendingWork = pendingWork.then(() => follow(request)).catch(() => undefined); // the next report repeats it
  }

  function giveWay(to: string): void {
    isWaiting = isOurs(to);
    followed = null;
    if (isWaiting) return;
    end();
    player.pause();
    onReplaced();
  }

  const timer = setInterval(() => void sendReport(), REPORT_EVERY_MS);
  const stopWatching = player.subscribe(
    watch(player, () => {
      if (followed) reportTimer ??= setTimeout(() => void sendReport(), REPORT_AFTER_MS);
    }),
  );
  const end = () => {
    isStopped = true;
    clearInterval(timer);
    clearTimeout(reportTimer);
    stopWatching();
  };
  void sendReport();

  return {
    hear: receive,
    stop(): void {
      if (isStopped) return;
      end();
      if (!isWaiting) withdraw().catch(() => undefined); // the registration expires after 45 s
    },
  };
}

const isSameQueue = (player: Player, ids: readonly number[]): boolean => {
  const { queue } = player.getState();
  return queue.length === ids.length && queue.every((entry, position) => entry.track.id === ids[position]);
};

/** Applies index, position, volume and play state to a queue that already matches. */
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

/** Calls back when something that a phone displays has changed; the position advances by itself. */
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
