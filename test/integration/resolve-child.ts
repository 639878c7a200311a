// A concurrent writer for library-resolve.test.ts, which writes the same tracks as the others, in one transaction each.
import { openDatabase } from '../../server/db/client.ts';
import { createTrackWriter } from '../../server/library/tracks/track-writer.ts';
import { createLog } from '../../server/log/log.ts';
import { silence } from '../support/silence.ts';

const [path = '', writer = '', tracks = '0'] = process.argv.slice(2);
const db = openDatabase({ path, migrationsDir: 'migrations', log: createLog('silent') });
db.$client.pragma('synchronous = OFF');
db.$client.pragma('busy_timeout = 60000'); // unlike the server, this second writer waits for locks
const { insert, batch } = createTrackWriter({ db, now: () => new Date() });
for (let n = 0; n < Number(tracks); n++) {
  const identity = {
    title: `Track ${n}`,
    artists: [`Artist ${n}`],
    album: `Album ${n >> 1}`,
    albumArtist: `Band ${n >> 1}`,
    genres: [`Genre ${n}`],
    year: 2000,
  };
  db.transaction(() => batch(() => insert({ source: writer, sourceId: String(n), identity, audio: silence })), {
    behavior: 'immediate',
  });
}
db.$client.close();
