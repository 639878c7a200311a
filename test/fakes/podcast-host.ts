// A podcast server: one feed with any number of episodes, and their audio with ranges. It can report that nothing
// changed, redirect, and stop in the middle.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { silentMp3 } from '../support/audio-bytes.ts';
import { drawCover } from '../support/drawn-covers.ts';

export interface PodcastHost {
  url: string;
  /** Numbers of the episodes that are in the feed. */
  episodes: number[];
  /** `METHOD path range-or-validator status` of each request. */
  requests: string[];
  /** Number of bytes of the audio after which nothing more is sent. */
  stallAfter: number | undefined;
  /** Whether the connection is closed there instead. */
  breaks: boolean;
  /** Whether the audio is compressed although the request does not accept that. */
  packs: boolean;
  audio: Buffer;
  close(): Promise<void>;
}

export async function startPodcastHost(): Promise<PodcastHost> {
  const audio = silentMp3(400);
  const picture = await drawCover('Harbour Talk', 'Boats');
  const server = createServer((req, res) => answer(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const host: PodcastHost = {
    url,
    episodes: [1, 2, 3],
    requests: [],
    stallAfter: undefined,
    breaks: false,
    packs: false,
    audio,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  const feed = (): string => `<?xml version="1.0"?><rss version="2.0"><channel><title>Harbour Talk</title>
    <description>About boats</description><itunes:image href="/cover"/>${host.episodes
      .map(
        (n) => `<item><title>Episode ${n}</title><guid>g${n}</guid>
        <pubDate>Mon, 0${n} Jan 2024 10:00:00 GMT</pubDate>
        <itunes:duration>0:10</itunes:duration><enclosure url="/audio/${n}.mp3" type="audio/mpeg"/></item>`,
      )
      .join('')}</channel></rss>`;

  function answer(req: IncomingMessage, res: ServerResponse): void {
    const path = req.url ?? '';
    const requestedRange = req.headers.range ?? req.headers['if-none-match'] ?? '-';
    const end = (status: number, headers: Record<string, string> = {}, body: string | Buffer = ''): void => {
      host.requests.push(`${req.method} ${path} ${requestedRange} ${status}`);
      res.writeHead(status, headers).end(body);
    };
    const etag = `"${host.episodes.join('-')}"`;
    if (path === '/feed' && req.headers['if-none-match'] === etag) return end(304);
    if (path === '/feed') return end(200, { ETag: etag, 'Content-Type': 'application/rss+xml' }, feed());
    if (path === '/moved') return end(301, { Location: '/feed' });
    if (path === '/inside') return end(302, { Location: 'http://127.0.0.2:9/feed' });
    if (path === '/endless') return end(302, { Location: '/endless' });
    if (path === '/huge') return end(200, { 'Content-Length': String(1e9) });
    if (path === '/cover') return end(200, { 'Content-Type': 'image/jpeg' }, picture);
    if (path === '/page') return end(200, { 'Content-Type': 'text/html' }, '<html><body>no feed</body></html>');
    if (!path.startsWith('/audio/')) return end(404);
    sendAudio(req, res, end);
  }

  function sendAudio(
    req: IncomingMessage,
    res: ServerResponse,
    end: (status: number, headers: Record<string, string>, body: Buffer) => void,
  ): void {
    const from = Number(/^bytes=(\d+)-/.exec(req.headers.range ?? '')?.[1] ?? 0);
    const headers = { ETag: '"audio"', 'Content-Type': 'audio/mpeg', 'Accept-Ranges': 'bytes' };
    if (host.packs) return end(200, { ...headers, 'Content-Encoding': 'gzip' }, gzipSync(audio));
    const part = audio.subarray(from);
    const rangeHeaders = from > 0 ? { 'Content-Range': `bytes ${from}-${audio.length - 1}/${audio.length}` } : {};
    if (host.stallAfter === undefined) return end(from > 0 ? 206 : 200, { ...headers, ...rangeHeaders }, part);
    host.requests.push(`${req.method} ${req.url} ${req.headers.range ?? '-'} stalled`);
    res.writeHead(from > 0 ? 206 : 200, { ...headers, ...rangeHeaders, 'Content-Length': String(part.length) });
    res.write(part.subarray(0, host.stallAfter), () => {
      if (host.breaks) res.destroy();
    });
  }
  return host;
}
