// Server-sent events. Each is `event: <name>`, `id: <number>`, `data: <JSON>`; events announce, they never steer.
import type { JobOut } from '../jobs/wire.ts';
import type { JukeboxOut } from '../jukebox/wire.ts';
import type { DownloadJobOut } from '../downloads/wire.ts';
import type { ScanProgress } from '../scan/wire.ts';
import type { TrackOut } from '../library/wire.ts';
import type { LikeState } from '../likes/wire.ts';

/** Name → data. `job` and `scan` of others reach superusers only where they hold paths. */
export interface EventMap {
  job: JobOut;
  scan: ScanProgress;
  /** A track changed by itself (enriched, fetched, gone missing). */
  track: TrackOut;
  /** How the fetching of a track's audio goes on; a few times a second at most. */
  download: DownloadJobOut;
  /** The library's contents changed: lists are to be read again. `version` grows. */
  library: { version: number; tracks: number; albums: number; artists: number };
  /**
   * To the person alone, on all their windows: what they think of an item, how much is in their history, and that their
   * queue was saved.
   */
  like: LikeState;
  history: { plays: number };
  queue: { client: string | null; updated_at: string };
  /** To the person alone. */
  /** A playlist changed, or may not be read any more: it is to be read again. Others hear it of public ones only. */
  playlist: { id: number; version: number; deleted: boolean };
  now_playing: { user_id: number; track_id: number | null; position_ms: number };
  /** Other devices may reach this server now, or not any more; to superusers. */
  network: { shared: boolean };
  /** A phone wants something else played, or another window became the speaker; to that person alone. */
  jukebox: JukeboxOut;
}
export type EventName = keyof EventMap;
