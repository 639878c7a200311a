// LRCLIB as a local server (https://lrclib.net/docs): exact look-ups within two seconds, and searches.
import { createServer } from 'node:http';
import { serve, stop } from './serve.ts';

export interface LrclibEntry {
  id: number;
  trackName: string;
  artistName: string;
  albumName: string;
  duration: number;
  instrumental: boolean;
  plainLyrics: string | null;
  syncedLyrics: string | null;
}

export async function startLrclib() {
  const entries: LrclibEntry[] = [];
  const requests: string[] = [];
  const state = { isAway: false, busy: 0, oddFor: '' };
  const isSameText = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();
  const hasWordsOf = (text: string, words: string | null): boolean =>
    words === null ||
    words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.toLowerCase().includes(word));

  const server = createServer((req, res) => {
    const { pathname, searchParams: params } = new URL(req.url ?? '/', 'http://fake');
    requests.push(req.url ?? '');
    const answer = (status: number, body: unknown): void =>
      void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (state.isAway || (state.oddFor !== '' && params.get('track_name') === state.oddFor))
      return void res.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
    if (state.busy > 0) {
      state.busy--;
      return answer(503, { message: 'busy' });
    }
    const notFoundBody = { message: 'Failed to find specified track', name: 'TrackNotFound', statusCode: 404 };
    const id = /^\/api\/get\/(\d+)$/.exec(pathname)?.[1];
    if (id !== undefined) {
      const entryById = entries.find((entry) => entry.id === Number(id));
      return answer(entryById ? 200 : 404, entryById ?? notFoundBody);
    }
    if (Number(params.get('duration')) > 3_600) return answer(400, { message: 'duration', statusCode: 400 });
    if (pathname === '/api/get') {
      const matchingEntry = entries.find(
        (entry) =>
          isSameText(entry.trackName, params.get('track_name') ?? '') &&
          isSameText(entry.artistName, params.get('artist_name') ?? '') &&
          (!params.has('album_name') || isSameText(entry.albumName, params.get('album_name') ?? '')) &&
          Math.abs(entry.duration - Number(params.get('duration'))) <= 2,
      );
      return answer(matchingEntry ? 200 : 404, matchingEntry ?? notFoundBody);
    }
    if (pathname !== '/api/search') return answer(404, { message: 'Not found' });
    const matchingEntries = entries.filter(
      (entry) =>
        hasWordsOf(`${entry.trackName} ${entry.artistName} ${entry.albumName}`, params.get('q')) &&
        hasWordsOf(entry.trackName, params.get('track_name')) &&
        hasWordsOf(entry.artistName, params.get('artist_name')),
    );
    answer(200, matchingEntries.slice(0, 20));
  });
  const url = await serve(server);
  return { url, entries, requests, state, close: () => stop(server) };
}
