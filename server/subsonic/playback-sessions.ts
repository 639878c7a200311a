// Tracks playback that clients report (extension playbackReport): one session per device, from `starting` to `stopped`.
// A session that played long enough becomes a play. Sessions are kept in memory, like what is playing now.
import type { TrackId, UserId } from '../db/ids.ts';
import { countsAsPlayed } from '../history/counts-as-played.ts';

export type PlaybackState = 'starting' | 'playing' | 'paused' | 'stopped';
export const PLAYBACK_STATES: readonly string[] = [
  'starting',
  'playing',
  'paused',
  'stopped',
] satisfies PlaybackState[];

interface Report {
  trackId: TrackId;
  state: PlaybackState;
  positionMs: number;
  rate: number;
  /** True if the session only shows what is playing now, and does not become a play. */
  ignore: boolean;
}

interface Session extends Report {
  durationMs: number | null;
  startedAt: number;
  heardMs: number;
  reportedAt: number;
}

interface FinishedPlay {
  trackId: TrackId;
  startedAt: Date;
  heardMs: number;
}

/** Sessions of devices that stopped reporting end after this time. */
const SESSION_TIMEOUT_MS = 30 * 60_000;
/**
 * Maximum number of sessions per user, since clients choose their own names. A session beyond this limit ends the one
 * that reported least recently.
 */
const MAX_SESSIONS_PER_USER = 50;

export type PlaybackSessions = ReturnType<typeof createPlaybackSessions>;

export function createPlaybackSessions({ now }: { now: () => Date }) {
  const sessions = new Map<string, Session>();
  const keyOf = (userId: UserId, client: string): string => `${userId} ${client}`;

  const playedSince = ({ state, reportedAt, rate }: Session, time: number): number =>
    state === 'playing' ? Math.max(0, (time - reportedAt) * rate) : 0;
  const isStale = (session: Session, time: number): boolean =>
    time > session.reportedAt + Math.max(0, (session.durationMs ?? 0) - session.positionMs) + SESSION_TIMEOUT_MS;
  const positionAt = (session: Session, time: number): number =>
    Math.round(Math.min(session.positionMs + playedSince(session, time), session.durationMs ?? Infinity));

  function finishPlay({ trackId, startedAt, heardMs, durationMs, ignore }: Session): FinishedPlay | undefined {
    if (ignore || !countsAsPlayed(heardMs, durationMs)) return undefined;
    return { trackId, startedAt: new Date(startedAt), heardMs: Math.round(heardMs) };
  }

  return {
    /** Returns the play that this report completes, if any. */
    report(userId: UserId, client: string, report: Report, durationMs: number | null): FinishedPlay | undefined {
      const key = keyOf(userId, client);
      const time = now().getTime();
      const session = sessions.get(key);
      const current = session && !isStale(session, time) ? session : undefined;
      if (current) current.heardMs += Math.min(playedSince(current, time), current.durationMs ?? Infinity);
      const isContinued = current !== undefined && current.trackId === report.trackId && report.state !== 'starting';
      const finishedPlay = current && (!isContinued || report.state === 'stopped') ? finishPlay(current) : undefined;
      sessions.delete(key); // inserted again below, so that the most recent session is last
      if (report.state !== 'stopped') {
        const userKeys = [...sessions.keys()].filter((sessionKey) => sessionKey.startsWith(`${userId} `));
        if (userKeys.length >= MAX_SESSIONS_PER_USER) sessions.delete(userKeys[0] as string);
        sessions.set(key, {
          ...report,
          durationMs,
          startedAt: isContinued ? current.startedAt : time - report.positionMs,
          heardMs: isContinued ? current.heardMs : 0,
          reportedAt: time,
        });
      }
      return finishedPlay;
    },

    /** Returns what the user's devices are playing, at which positions. */
    playingOf(userId: UserId): {
      client: string;
      trackId: TrackId;
      state: PlaybackState;
      positionMs: number;
      rate: number;
      reportedAt: Date;
    }[] {
      const time = now().getTime();
      return [...sessions]
        .filter(([key, session]) => key.startsWith(`${userId} `) && !isStale(session, time))
        .map(([key, session]) => ({
          client: key.slice(`${userId} `.length),
          trackId: session.trackId,
          state: session.state,
          positionMs: positionAt(session, time),
          rate: session.rate,
          reportedAt: new Date(session.startedAt),
        }));
    },
  };
}
