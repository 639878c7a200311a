// Tracks playback that clients report (extension playbackReport): one session per player, from `starting` to `stopped`.
// A session that played long enough becomes a play. Sessions are kept in memory, like what is playing now.
import type { TrackId, UserId } from '../db/ids.ts';
import { countsAsPlayed } from '../history/counts-as-played.ts';
import { MAX_PLAYERS_PER_USER } from '../history/now-playing.ts';
import type { Player } from '../history/player.ts';

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
  userId: UserId;
  player: Player;
  durationMs: number | null;
  startedAt: number;
  heardMs: number;
  reportedAt: number;
}

interface FinishedPlay {
  player: Player;
  trackId: TrackId;
  startedAt: Date;
  heardMs: number;
}

/** Sessions of players that stopped reporting end after this time. */
const SESSION_TIMEOUT_MS = 30 * 60_000;
/** A player whose address changes continues its session if the position differs by less than this time. */
const MAX_JUMP_MS = 60_000;

export type PlaybackSessions = ReturnType<typeof createPlaybackSessions>;

export function createPlaybackSessions({ now }: { now: () => Date }) {
  /** Sessions by user and player, the one that reported last is last. */
  const sessions = new Map<string, Session>();

  const playedSince = ({ state, reportedAt, rate }: Session, time: number): number =>
    state === 'playing' ? Math.max(0, (time - reportedAt) * rate) : 0;
  const isStale = (session: Session, time: number): boolean =>
    time > session.reportedAt + Math.max(0, (session.durationMs ?? 0) - session.positionMs) + SESSION_TIMEOUT_MS;
  const positionAt = (session: Session, time: number): number =>
    Math.round(Math.min(session.positionMs + playedSince(session, time), session.durationMs ?? Infinity));
  const sessionsOf = (userId: UserId): [key: string, session: Session][] =>
    [...sessions].filter(([, session]) => session.userId === userId);

  function finishPlay({ player, trackId, startedAt, heardMs, durationMs, ignore }: Session): FinishedPlay[] {
    if (ignore || !countsAsPlayed(heardMs, durationMs)) return [];
    return [{ player, trackId, startedAt: new Date(startedAt), heardMs: Math.round(heardMs) }];
  }

  /** Ends the user's sessions whose players are silent for too long, and the oldest ones beyond the limit. */
  function endOldSessions(userId: UserId, time: number): FinishedPlay[] {
    const ownSessions = sessionsOf(userId);
    return ownSessions.flatMap(([key, session], n) => {
      if (!isStale(session, time) && n >= ownSessions.length - MAX_PLAYERS_PER_USER) return [];
      sessions.delete(key);
      return finishPlay(session);
    });
  }

  /** Finds the session that the app had at another address, such as that of a phone that left the Wi-Fi. */
  const findMoved = (
    userId: UserId,
    { app }: Player,
    { trackId, state, positionMs }: Report,
    time: number,
  ): [key: string, session: Session] | undefined =>
    state === 'starting'
      ? undefined
      : sessionsOf(userId).find(
          ([, session]) =>
            session.player.app === app &&
            session.trackId === trackId &&
            Math.abs(positionAt(session, time) - positionMs) < MAX_JUMP_MS,
        );

  return {
    /** Returns the plays that are complete with this report, which may also be of players that stopped reporting. */
    report(userId: UserId, player: Player, report: Report, durationMs: number | null): FinishedPlay[] {
      const key = `${userId} ${player.key}`;
      const time = now().getTime();
      const finishedPlays = endOldSessions(userId, time);
      const ownSession = sessions.get(key);
      const [currentKey, current] = ownSession
        ? [key, ownSession]
        : (findMoved(userId, player, report, time) ?? [key, undefined]);
      if (current) current.heardMs += Math.min(playedSince(current, time), current.durationMs ?? Infinity);
      const isContinued = current !== undefined && current.trackId === report.trackId && report.state !== 'starting';
      if (current && (!isContinued || report.state === 'stopped')) finishedPlays.push(...finishPlay(current));
      sessions.delete(currentKey); // inserted again below, so that the most recent session is last
      if (report.state !== 'stopped')
        sessions.set(key, {
          ...report,
          userId,
          player,
          durationMs,
          startedAt: isContinued ? current.startedAt : time - report.positionMs,
          heardMs: isContinued ? current.heardMs : 0,
          reportedAt: time,
        });
      return [...finishedPlays, ...endOldSessions(userId, time)];
    },

    /** Returns what the user's players are playing, at which positions. */
    playingOf(userId: UserId): {
      player: Player;
      trackId: TrackId;
      state: PlaybackState;
      positionMs: number;
      rate: number;
      reportedAt: Date;
    }[] {
      const time = now().getTime();
      return sessionsOf(userId)
        .filter(([, session]) => !isStale(session, time))
        .map(([, session]) => ({
          player: session.player,
          trackId: session.trackId,
          state: session.state,
          positionMs: positionAt(session, time),
          rate: session.rate,
          reportedAt: new Date(session.startedAt),
        }));
    },
  };
}
