// A server that analyzes its library at once, as a child process that can be killed: node
// test/prove/analyzing-server.ts FOLDER MUSIC FFMPEG. Prints when everything is analyzed.
import { startServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const [dir = '', music = '', ffmpeg = ''] = process.argv.slice(2);
const { app } = await startServer({
  dir,
  setUp: false,
  analysisAfterMs: 0,
  env: { LOCAL_MEDIA_IMPORT_PATH: music, FFMPEG_PATH: ffmpeg, ANALYSIS_ON_BATTERY: 'true' },
});
await until(app.analysis.status, ({ state, secondsLeft }) => state === 'done' && secondsLeft === 0, { everyMs: 100 });
await app.close();
