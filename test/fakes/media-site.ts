// A site for yt-dlp: a search as an RSS feed, pages that link their audio, and the audio, whole or in ranges.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { serve, stop } from './serve.ts';

interface SiteTrack {
  title: string;
  artist: string;
  seconds: number;
  bytes: Buffer;
  status?: number;
}
export type MediaSite = Awaited<ReturnType<typeof startMediaSite>>;

export async function startMediaSite() {
  const tracks = new Map<string, SiteTrack>();
  const cookies: (string | undefined)[] = [];
  const searches: string[] = [];
  const ranges: (string | null)[] = [];
  /** Numbers of bytes after which the next downloads stall, one per download. */
  const stalls: number[] = [];
  let url = '';

  const server = createServer((req, res) => {
    const requestUrl = new URL(req.url ?? '/', 'http://fake');
    cookies.push(req.headers.cookie);
    const [, kind = '', name = ''] = requestUrl.pathname.split('/');
    const id = name.replace(/\.\w+$/, '');
    if (kind === 'search') return search(res, requestUrl.searchParams.get('q') ?? '');
    const track = tracks.get(id);
    if (!track) return void res.writeHead(404).end();
    if (track.status !== undefined) return void res.writeHead(track.status).end();
    if (kind === 'page') return page(res, id, track);
    audio(req, res, track);
  });

  function search(res: ServerResponse, query: string): void {
    searches.push(query);
    const items = [...tracks]
      .filter(([, { title }]) => title.toLowerCase().includes(query.toLowerCase()))
      .map(([id, { title }]) => `<item><title>${title}</title><link>${url}/page/${id}</link></item>`);
    res
      .writeHead(200, { 'Content-Type': 'application/rss+xml' })
      .end(`<?xml version="1.0"?><rss version="2.0"><channel><title>found</title>${items.join('')}</channel></rss>`);
  }

  function page(res: ServerResponse, id: string, { title, artist, seconds }: SiteTrack): void {
    const description = {
      '@context': 'https://schema.org',
      '@type': 'AudioObject',
      name: title,
      contentUrl: `${url}/audio/${id}.mp3`,
      duration: `PT${seconds}S`,
      author: { '@type': 'Person', name: artist },
    };
    res
      .writeHead(200, { 'Content-Type': 'text/html' })
      .end(
        `<html><head><title>${title}</title><script type="application/ld+json">${JSON.stringify(description)}</script></head></html>`,
      );
  }

  function audio(req: IncomingMessage, res: ServerResponse, { bytes }: SiteTrack): void {
    const start = Number(/^bytes=(\d+)-$/.exec(req.headers.range ?? '')?.[1] ?? 0);
    if (req.method === 'GET') ranges.push(req.headers.range ?? null);
    const headers = { 'Content-Type': 'audio/mpeg', 'Accept-Ranges': 'bytes', 'Content-Length': bytes.length - start };
    res.writeHead(
      start > 0 ? 206 : 200,
      start > 0 ? { ...headers, 'Content-Range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : headers,
    );
    const stall = req.method === 'GET' ? stalls.shift() : undefined;
    if (stall !== undefined) res.write(bytes.subarray(start, start + stall));
    else res.end(req.method === 'HEAD' ? undefined : bytes.subarray(start));
  }

  url = await serve(server);
  return {
    url,
    tracks,
    cookies,
    searches,
    ranges,
    stalls,
    close: () => stop(server),
  };
}
