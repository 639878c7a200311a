// MusicBrainz as a local server: recordings and release groups by mbid, and its rate limit.
import { createServer } from 'node:http';
import { serve, stop } from './serve.ts';

export interface FakeMusicBrainz {
  url: string;
  /** Responses by path, such as `/ws/2/recording/<mbid>`. */
  entities: Map<string, unknown>;
  /** Response to every search for releases. */
  releases: unknown[];
  /** The queries of the searches for releases. */
  searches: string[];
  /** Path, time and user agent of each request. */
  requests: { path: string; timeMs: number; userAgent: string }[];
  /** Number of requests that are answered with 503 and `Retry-After: 1`. */
  busyAnswers: number;
  /** Whether a captive portal, the sign-in page of a network, responds instead. */
  isAway: boolean;
  close(): Promise<void>;
}

export async function startFakeMusicBrainz(): Promise<FakeMusicBrainz> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
    const userAgent = request.headers['user-agent'] ?? '';
    const answer = (status: number, body: unknown, headers: Record<string, string> = {}): void =>
      void response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
    fake.requests.push({ path: pathname, timeMs: performance.now(), userAgent });
    if (fake.isAway)
      return void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Sign in to this network</html>');
    if (userAgent.trim() === '') return answer(403, { error: 'A User-Agent is needed.' });
    if (fake.busyAnswers > 0) {
      fake.busyAnswers--;
      return answer(
        503,
        { error: 'Your requests are exceeding the allowable rate limit. Please see the documentation.' },
        { 'Retry-After': '1' },
      );
    }
    if (pathname === '/ws/2/release') {
      fake.searches.push(searchParams.get('query') ?? '');
      return answer(200, { releases: fake.releases });
    }
    const id = pathname.slice(pathname.lastIndexOf('/') + 1);
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
      return answer(400, { error: 'Invalid mbid.', help: 'see the documentation' });
    const entity = fake.entities.get(pathname);
    answer(entity ? 200 : 404, entity ?? { error: 'Not Found', help: 'see the documentation' });
  });
  const fake: FakeMusicBrainz = {
    url: '',
    entities: new Map(),
    releases: [],
    searches: [],
    requests: [],
    busyAnswers: 0,
    isAway: false,
    close: () => stop(server),
  };
  fake.url = await serve(server);
  return fake;
}
