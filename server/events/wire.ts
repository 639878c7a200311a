// Server-sent events. Each is `event: <name>`, `id: <number>`, `data: <JSON>`; events announce, they never steer.
import type { JobOut } from '../jobs/wire.ts';
import type { ScanProgress } from '../ingest/wire.ts';
import type { TrackOut } from '../library/wire.ts';

/** Name → data. `job` and `scan` of others reach superusers only where they hold paths. */
export interface EventMap {
  job: JobOut;
  scan: ScanProgress;
  /** A track changed by itself (enriched, fetched, gone missing). */
  track: TrackOut;
  /** The library's contents changed: lists are to be read again. `version` grows. */
  library: { version: number; tracks: number; albums: number; artists: number };
  now_playing: { user_id: number; track_id: number | null; position_ms: number };
}
export type EventName = keyof EventMap;
