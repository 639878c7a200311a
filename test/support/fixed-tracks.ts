// A few tracks inserted with the track writer, for tests without files.
import type { App } from '../../server/app.ts';
import type { TrackId } from '../../server/db/ids.ts';
import type { TrackAudio, TrackIdentity } from '../../server/library/tracks/track-values.ts';
import { createTrackWriter } from '../../server/library/tracks/track-writer.ts';
import { silence } from './silence.ts';

const AUDIO: TrackAudio = {
  ...silence,
  durationMs: 200_000,
  sizeBytes: 1_000,
  format: 'flac',
  availability: 'remote',
};

export function trackMaker(app: Pick<App, 'db'>, now: () => Date = () => new Date()) {
  const writer = createTrackWriter({ db: app.db, now });
  let trackNumber = 0;
  return {
    writer,
    add: (identity: Partial<TrackIdentity> & { title: string }, audio: Partial<TrackAudio> = {}): TrackId =>
      app.db.$client.transaction(() =>
        writer.insert({
          source: 'upload',
          sourceId: `made-${++trackNumber}`,
          identity: { artists: ['The Quays'], album: 'Harbour', genres: ['Rock'], year: 1999, ...identity },
          audio: { ...AUDIO, ...audio },
        }),
      )(),
  };
}
