// What each user is playing now; kept in memory only. Users see only what they play themselves, on all their devices.
import type { TrackId, UserId } from '../db/ids.ts';
import { notFound } from '../errors.ts';
import type { EventHub } from '../events/hub.ts';
import type { LibraryService } from '../library/service.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import { nowPlayingEvent } from './events.ts';

interface NowPlayingReport {
  trackId: TrackId | null;
  positionMs: number;
  client: string | null;
}
export interface NowPlaying extends NowPlayingReport {
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

export type NowPlayingService = ReturnType<typeof createNowPlaying>;

export function createNowPlaying({ now, events, library, onStart }: NowPlayingDeps) {
  const playingByUser = new Map<UserId, NowPlayingReport & { trackId: TrackId; since: Date; validUntilMs: number }>();

  return {
    /**
     * Stores what the user is playing. `trackId` is null when playback has stopped. Throws `not_found` for an unknown
     * track.
     */
    set(userId: UserId, { trackId, positionMs, client }: NowPlayingReport): void {
      const previousReport = playingByUser.get(userId);
      if (trackId === null) {
        playingByUser.delete(userId);
      } else {
        const [track] = library.tracksById(userId, [trackId]);
        if (!track) throw notFound('track', trackId);
        const since = now();
        playingByUser.set(userId, {
          trackId,
          positionMs,
          client,
          since,
          validUntilMs: since.getTime() + (track.durationMs ?? UNKNOWN_LENGTH_MS) - positionMs + GRACE_MS,
        });
        if (previousReport?.trackId !== trackId || positionMs === 0) onStart?.(userId, track);
      }
      events.publish(
        nowPlayingEvent,
        { user_id: userId, track_id: trackId, position_ms: positionMs },
        { audience: { userId } },
      );
    },

    get(userId: UserId): NowPlaying | undefined {
      const currentReport = playingByUser.get(userId);
      const [track] =
        currentReport && currentReport.validUntilMs > now().getTime()
          ? library.tracksById(userId, [currentReport.trackId])
          : [];
      if (currentReport && track)
        return {
          trackId: currentReport.trackId,
          positionMs: currentReport.positionMs,
          client: currentReport.client,
          since: currentReport.since,
          track,
        };
      playingByUser.delete(userId);
      return undefined;
    },
  };
}
