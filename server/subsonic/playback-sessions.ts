// Playback that clients report (extension playbackReport): one session per device, from `starting` to `stopped`. A
// session that played long enough becomes a play. Kept in memory, like now playing.
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
  /** For now playing only; does not become a play. */
  ignore: boolean;
}

interface Session extends Report {
  durationMs: number | null;
  startedAt: number;
  heardMs: number;
  at: number;
}

interface Played {
  trackId: TrackId;
  startedAt: Date;
  heardMs: number;
}

/** Sessions of devices that stopped reporting end after this time. */
const GIVE_UP_MS = 30 * 60_000;
/** Of an account: clients name themselves. With one more, the one that reported least recently ends. */
const MOST_SESSIONS = 50;

export type PlaybackSessions = ReturnType<typeof createPlaybackSessions>;

export function createPlaybackSessions({ now }: { now: () => Date }) {
  const sessions = new Map<string, Session>();
  const keyOf = (userId: UserId, client: string): string => `${userId} ${client}`;

  const heardSince = ({ state, at, rate }: Session, time: number): number =>
    state === 'playing' ? Math.max(0, (time - at) * rate) : 0;
  const isStale = (session: Session, time: number): boolean =>
    time > session.at + Math.max(0, (session.durationMs ?? 0) - session.positionMs) + GIVE_UP_MS;
  const positionAt = (session: Session, time: number): number =>
    Math.round(Math.min(session.positionMs + heardSince(session, time), session.durationMs ?? Infinity));

  function played({ trackId, startedAt, heardMs, durationMs, ignore }: Session): Played | undefined {
    if (ignore || !countsAsPlayed(heardMs, durationMs)) return undefined;
    return { trackId, startedAt: new Date(startedAt), heardMs: Math.round(heardMs) };
  }

  return {
    /** Returns the play that this report completes, if any. */
    report(userId: UserId, client: string, report: Report, durationMs: number | null): Played | undefined {
      const key = keyOf(userId, client);
      const time = now().getTime();
      const known = sessions.get(key);
      const before = known && !isStale(known, time) ? known : undefined;
      if (before) before.heardMs += Math.min(heardSince(before, time), before.durationMs ?? Infinity);
      const goesOn = before !== undefined && before.trackId === report.trackId && report.state !== 'starting';
      const ended = before && (!goesOn || report.state === 'stopped') ? played(before) : undefined;
      sessions.delete(key); // the latest is the last one
      if (report.state !== 'stopped') {
        const others = [...sessions.keys()].filter((one) => one.startsWith(`${userId} `));
        if (others.length >= MOST_SESSIONS) sessions.delete(others[0] as string);
        sessions.set(key, {
          ...report,
          durationMs,
          startedAt: goesOn ? before.startedAt : time - report.positionMs,
          heardMs: goesOn ? before.heardMs : 0,
          at: time,
        });
      }
      return ended;
    },

    /** What the user's devices are playing, at which positions. */
    of(
      userId: UserId,
    ): { client: string; trackId: TrackId; state: PlaybackState; positionMs: number; rate: number; at: Date }[] {
      const time = now().getTime();
      return [...sessions]
        .filter(([key, session]) => key.startsWith(`${userId} `) && !isStale(session, time))
        .map(([key, session]) => ({
          client: key.slice(`${userId} `.length),
          trackId: session.trackId,
          state: session.state,
          positionMs: positionAt(session, time),
          rate: session.rate,
          at: new Date(session.startedAt),
        }));
    },
  };
}
