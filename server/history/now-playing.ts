// What each user is playing now, on each of their players; kept in memory only.
import type { TrackId, UserId } from '../db/ids.ts';
import { notFound } from '../errors.ts';
import type { EventHub } from '../events/hub.ts';
import type { LibraryService } from '../library/service.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import { nowPlayingEvent } from './events.ts';
import type { Player } from './player.ts';

interface NowPlayingReport {
  /** Null when playback has stopped. */
  trackId: TrackId | null;
  positionMs: number;
}
export interface NowPlaying {
  player: Player;
  positionMs: number;
  since: Date;
  track: TrackSummary;
}

interface NowPlayingDeps {
  now: () => Date;
  events: Pick<EventHub, 'publish'>;
  library: Pick<LibraryService, 'tracksById'>;
  /** Called when another track starts. */
  onStart?: (userId: UserId, track: TrackSummary) => void;
}

/** If no other report follows, a report stays valid for this time after the end of the track. */
const GRACE_MS = 10 * 60_000;
const UNKNOWN_LENGTH_MS = 60 * 60_000;
/**
 * Maximum number of players per user, since clients choose their own names. A player beyond this limit replaces the one
 * that reported least recently.
 */
export const MAX_PLAYERS_PER_USER = 50;

interface PlayerReport {
  player: Player;
  trackId: TrackId;
  positionMs: number;
  since: Date;
  validUntilMs: number;
}

export type NowPlayingService = ReturnType<typeof createNowPlaying>;

export function createNowPlaying({ now, events, library, onStart }: NowPlayingDeps) {
  /** The last report of each player by its key, the most recent last. */
  const reportsByUser = new Map<UserId, Map<string, PlayerReport>>();

  /** Returns what the user's players are playing, the most recent report first. */
  function list(userId: UserId): NowPlaying[] {
    const reports = reportsByUser.get(userId) ?? new Map<string, PlayerReport>();
    for (const [key, { validUntilMs }] of reports) if (validUntilMs <= now().getTime()) reports.delete(key);
    if (reports.size === 0) reportsByUser.delete(userId);
    const currentReports = [...reports.values()].toReversed();
    const trackIds = currentReports.map(({ trackId }) => trackId);
    const tracks = new Map(library.tracksById(userId, trackIds).map((track) => [track.id, track]));
    return currentReports.flatMap(({ player, trackId, positionMs, since }) => {
      const track = tracks.get(trackId);
      return track ? [{ player, positionMs, since, track }] : [];
    });
  }

  return {
    /** Stores what a player of the user is playing. Throws `not_found` for an unknown track. */
    set(userId: UserId, player: Player, { trackId, positionMs }: NowPlayingReport): void {
      const reports = reportsByUser.get(userId) ?? new Map<string, PlayerReport>();
      const previousReport = reports.get(player.key);
      const [track] = trackId === null ? [] : library.tracksById(userId, [trackId]);
      if (trackId !== null && !track) throw notFound('track', trackId);
      reports.delete(player.key); // inserted again below, so that the most recent report is last
      if (track) {
        const since = now();
        const [oldestKey] = reports.keys();
        if (oldestKey !== undefined && reports.size >= MAX_PLAYERS_PER_USER) reports.delete(oldestKey);
        reports.set(player.key, {
          player,
          trackId: track.id,
          positionMs,
          since,
          validUntilMs: since.getTime() + (track.durationMs ?? UNKNOWN_LENGTH_MS) - positionMs + GRACE_MS,
        });
        reportsByUser.set(userId, reports);
        if (previousReport?.trackId !== track.id || positionMs === 0) onStart?.(userId, track);
      }
      events.publish(
        nowPlayingEvent,
        { user_id: userId, track_id: trackId, position_ms: positionMs },
        { audience: { userId } },
      );
    },

    list,
    /** Returns what the player that reported last is playing. */
    get: (userId: UserId): NowPlaying | undefined => list(userId)[0],
  };
}
