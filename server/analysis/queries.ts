// Which tracks a step has not been through. Prepared text: it runs for every track.
import type { Sqlite } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { NO_HASH } from '../files/read-file.ts';
import type { StepOutcome } from './steps.ts';

interface Version {
  step: string;
  version: number;
}
export interface DueTrack {
  id: TrackId;
  audioHash: string;
}

export function createAnalysisQueries(client: Sqlite) {
  const isDue = `t.availability = 'available' AND t.audio_hash IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM track_analyses a WHERE a.track_id = t.id AND a.step = @step
      AND a.version = @version AND a.audio_hash = t.audio_hash)`;
  const listDue = client.prepare<Version & { above: number; upTo: number }, DueTrack>(
    `SELECT t.id, t.audio_hash AS audioHash FROM tracks t WHERE t.id > @above AND t.id <= @upTo AND ${isDue}`,
  );
  const findTwin = client.prepare<Version & DueTrack, { id: TrackId; outcome: 'done' | 'none'; reason: string | null }>(
    `SELECT t.id, a.outcome, a.reason FROM tracks t JOIN track_analyses a ON a.track_id = t.id AND a.step = @step
      WHERE t.audio_hash = @audioHash AND t.id <> @id AND a.version = @version AND a.audio_hash = t.audio_hash LIMIT 1`,
  );
  const store = client.prepare(
    `INSERT INTO track_analyses (track_id, step, version, audio_hash, outcome, reason)
      SELECT id, @step, @version, audio_hash, @outcome, @reason FROM tracks WHERE id = @id AND audio_hash = @audioHash
      ON CONFLICT (track_id, step) DO UPDATE SET version = excluded.version, audio_hash = excluded.audio_hash,
        outcome = excluded.outcome, reason = excluded.reason`,
  );
  const count = client.prepare<Version, { done: number; total: number }>(
    `SELECT (SELECT count(*) FROM track_analyses WHERE step = @step AND version = @version) AS done,
      (SELECT count(*) FROM tracks WHERE availability = 'available') AS total`,
  );
  const newest = client.prepare<[], number>('SELECT coalesce(max(id), 0) FROM tracks').pluck();
  const changes = client.prepare<[], number>("SELECT changes FROM change_counts WHERE topic = 'library'").pluck();

  return {
    listDue: (step: Version, above: number, upTo: number): DueTrack[] => listDue.all({ ...bare(step), above, upTo }),
    /** Another track with the same audio, which the step has been through. */
    findTwin: (step: Version, track: DueTrack) =>
      track.audioHash === NO_HASH ? undefined : findTwin.get({ ...bare(step), ...track }),
    store(step: Version, track: DueTrack, result: Exclude<StepOutcome, { outcome: 'away' }>): void {
      const reason = result.outcome === 'none' ? result.reason : null;
      store.run({ ...bare(step), ...track, outcome: result.outcome, reason });
    },
    count: (step: Version) => count.get(bare(step)) ?? { done: 0, total: 0 },
    newest: (): number => newest.get() ?? 0,
    /** Rises with every change of the library. */
    changes: (): number => changes.get() ?? 0,
  };
}

const bare = ({ step, version }: Version): Version => ({ step, version });
