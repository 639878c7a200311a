// Maloja as a local server: its native API, with one play per second (https://github.com/krateng/maloja).
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { serve, stop } from './serve.ts';

interface Scrobble {
  artist: string;
  title: string;
  time: number;
}

export async function startMaloja() {
  const scrobbles = new Map<number, Scrobble>();
  const state = {
    /** Number of plays that are accepted without a response. */
    silences: 0,
    requests: 0,
    /** Titles of plays that make a request fail. */
    brokenTitles: new Set<string>(),
  };

  const answer = (res: ServerResponse, body: unknown, status = 200): void =>
    void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const error = (type: string, desc: string) => ({ status: 'error', error: { type, desc } });

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    state.requests++;
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://fake');
    if (pathname === '/apis/mlj_1/test')
      return searchParams.get('key') === 'good-key'
        ? answer(res, { status: 'ok' })
        : answer(res, error('invalid_key', 'Wrong API key'), 403);
    if (pathname === '/apis/mlj_1/scrobbles') {
      const secondsOf = (name: string): number =>
        Date.parse((searchParams.get(name) ?? '').replaceAll('/', '-')) / 1_000;
      const listedScrobbles = [...scrobbles.values()]
        .filter(({ time }) => time >= secondsOf('from') && time < secondsOf('to') + 86_400)
        .map(({ artist, title, time }) => ({
          time,
          track: { artists: [artist], title, length: null },
          duration: null,
        }));
      return answer(res, { status: 'ok', list: listedScrobbles });
    }
    if (pathname !== '/apis/mlj_1/newscrobble' || req.method !== 'POST')
      return void res.writeHead(404).end('<html>not here</html>');
    if (!req.headers['content-type']?.includes('json'))
      return answer(res, error('missing_scrobble_data', 'no JSON'), 400);
    const { key, ...scrobble } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Scrobble & { key: string };
    if (key !== 'good-key') return answer(res, error('authentication_fail', 'Wrong API key'), 403);
    if (!scrobble.artist || !scrobble.title)
      return answer(res, error('missing_scrobble_data', 'The scrobble is missing needed parameters.'), 400);
    if (state.brokenTitles.has(scrobble.title)) return answer(res, error('unknown_error', 'The server failed.'), 500);
    const existingScrobble = scrobbles.get(scrobble.time);
    if (existingScrobble?.title === scrobble.title && existingScrobble.artist === scrobble.artist)
      return answer(res, { status: 'success', track: {}, warnings: [{ type: 'scrobble_exists', value: null }] });
    if (existingScrobble)
      return answer(res, error('duplicate_timestamp', 'A scrobble is already registered with this timestamp.'), 409);
    scrobbles.set(scrobble.time, scrobble);
    if (state.silences > 0) {
      state.silences--;
      return void res.destroy();
    }
    answer(res, { status: 'success', track: { artists: [scrobble.artist], title: scrobble.title } });
  }

  const server = createServer((req, res) => void handle(req, res));
  const url = await serve(server);
  return {
    url,
    scrobbles,
    state,
    goAway: () => stop(server),
    comeBack: async (): Promise<void> => void (await serve(server, Number(new URL(url).port))),
    close: () => stop(server),
  };
}
