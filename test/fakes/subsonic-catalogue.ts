// Another Subsonic server as a catalogue: search, a song, its bytes. Errors have status 200, as the protocol demands.
import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { serve, stop } from './serve.ts';

interface FakeSong {
  id: string;
  title: string;
  artist: string;
  album?: string;
  duration?: number;
  bytes: Buffer;
  coverArt?: string;
}

export type FakeSubsonic = Awaited<ReturnType<typeof startFakeSubsonic>>;

export async function startFakeSubsonic({ username, password }: { username: string; password: string }) {
  const songs = new Map<string, FakeSong>();
  const askedCalls: string[] = [];
  const shapeOf = ({ bytes, ...song }: FakeSong): unknown => ({
    ...song,
    size: bytes.length,
    suffix: 'mp3',
    contentType: 'audio/mpeg',
    isDir: false,
  });

  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://fake');
    const query = url.searchParams;
    const endpoint = url.pathname.replace(/^\/rest\//, '');
    askedCalls.push(endpoint);
    const token = createHash('md5')
      .update(`${password}${query.get('s') ?? ''}`)
      .digest('hex');
    if (query.get('u') !== username || query.get('t') !== token)
      return sendFailure(res, 40, 'Wrong username or password');
    if (endpoint === 'ping') return ok(res, {});
    if (endpoint === 'search3') {
      const words = (query.get('query') ?? '').toLowerCase();
      return ok(res, {
        searchResult3: {
          song: [...songs.values()]
            .filter((song) => `${song.title} ${song.artist}`.toLowerCase().includes(words))
            .slice(0, Number(query.get('songCount')))
            .map(shapeOf),
        },
      });
    }
    const song = songs.get(query.get('id') ?? '');
    if (endpoint === 'getCoverArt') return void res.writeHead(404).end();
    if (!song) return sendFailure(res, 70, 'Song not found');
    if (endpoint === 'getSong') return ok(res, { song: shapeOf(song) });
    if (endpoint === 'download')
      return void res
        .writeHead(200, { 'Content-Type': 'audio/mpeg', 'Content-Length': song.bytes.length })
        .end(song.bytes);
    sendFailure(res, 0, 'Not something this fake can do');
  });
  const url = await serve(server);

  return {
    url,
    songs,
    asked: askedCalls,
    close: () => stop(server),
  };
}

const send = (res: ServerResponse, body: Record<string, unknown>): void =>
  void res
    .writeHead(200, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ 'subsonic-response': { version: '1.16.1', type: 'fake', serverVersion: '1.0', ...body } }));
const ok = (res: ServerResponse, body: Record<string, unknown>): void => send(res, { status: 'ok', ...body });
const sendFailure = (res: ServerResponse, code: number, message: string): void =>
  send(res, { status: 'failed', error: { code, message } });
