// The player of the page of a share: the engine of the windows, which here stores nothing, reads no stored queue, and
// asks only for addresses of the share.
import {
  fetchTrack,
  guestCover,
  isShareOpen,
  probeTrack,
  reportPlay,
  trackUrl,
  type GuestShare,
  type GuestTrack,
} from '../../api/guest-share.ts';
import { PlayerEngine } from '../../player/engine.ts';
import { NEW_STATE } from '../../player/first-state.ts';
import { reasonOf } from '../../player/failure-reason.ts';
import { connectMediaSession, playSilentElement } from '../../player/media-session.ts';
import { currentEntry, type Player, type QueueTrack } from '../../player/player.ts';

/** The id of a track in the queue. It begins at 1, like the ids of the library. */
export const idOf = ({ position }: Pick<GuestTrack, 'position'>): number => position + 1;
const positionOf = (id: number): number => id - 1;
/** Browsers have no longer timers. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const toQueueTrack = (track: GuestTrack): QueueTrack => ({
  id: idOf(track),
  title: track.title,
  artist_id: null,
  artist_name: track.artist_name,
  album_id: null,
  album_title: track.album_title,
  disc_number: null,
  track_number: null,
  duration_ms: track.duration_ms,
  has_cover: track.cover_position !== null,
  has_lyrics: false,
  has_chapters: false,
  liked: false,
  format: track.format,
  bitrate_kbps: track.bitrate_kbps,
  sample_rate_hz: track.sample_rate_hz,
  replay_gain: null,
  availability: 'available',
});

/**
 * Makes the player of a share, with its tracks as the queue. `onGone` is called when the share can no longer be opened.
 */
export function openGuestPlayer(share: GuestShare, onGone: () => void): Player {
  const playableTracks = share.tracks.filter(({ is_available }) => is_available);
  const coverPositions = new Map(share.tracks.map((track) => [idOf(track), track.cover_position]));
  /** Tracks that the server converts because this browser cannot decode them. */
  const convertedIds = new Set<number>();
  const reportedPlays = new Set<string>();
  const formatOf = (id: number) => (convertedIds.has(id) ? 'mp3' : undefined);
  const checkShare = async (): Promise<void> => {
    if (!(await isShareOpen())) onGone();
  };
  const engine = new PlayerEngine(
    {
      streamUrl: (id) => trackUrl(positionOf(id), formatOf(id)),
      isOriginal: () => false,
      fetchStream: (id, signal) => fetchTrack(positionOf(id), signal, formatOf(id)),
      convert(id) {
        const isNew = !convertedIds.has(id);
        convertedIds.add(id);
        return isNew;
      },
      fetchAnalysis: () => Promise.reject(new Error('guests have no analysis')),
      async findReason(id) {
        await checkShare();
        return reasonOf(await probeTrack(positionOf(id)));
      },
      fetchAudio: () => Promise.resolve(false),
      fetchRows: () => Promise.resolve([]),
      fetchRadio: () => Promise.reject(new Error('guests have no radio')),
      findPlace: () => Promise.resolve(null),
      onPlayed({ id, track }) {
        if (reportedPlays.has(id)) return;
        reportedPlays.add(id);
        reportPlay(positionOf(track.id));
      },
      remember: () => undefined,
    },
    NEW_STATE,
  );
  engine.restore(playableTracks.map(toQueueTrack), 0, 0);
  connectMediaSession(engine, ({ id }, size) => guestCover(coverPositions.get(id) ?? null, size));
  playSilentElement(engine);
  let currentKey = currentEntry(engine.getState())?.key;
  engine.subscribe(() => {
    const key = currentEntry(engine.getState())?.key;
    if (key === currentKey) return;
    currentKey = key;
    void checkShare(); // the next track may already be loaded when the share ends
  });
  const remainingMs = share.expires_at === null ? Infinity : Date.parse(share.expires_at) - Date.now();
  if (remainingMs < MAX_TIMER_MS) setTimeout(() => void checkShare(), Math.max(0, remainingMs) + 1_000);
  return engine;
}
