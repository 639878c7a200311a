// Last.fm and Libre.fm as a local server: Audioscrobbler 2.0 with signatures, sessions, scrobbles, loves and its error
// codes (https://www.last.fm/api). Tests can make it busy, silent or unreachable.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { hash } from 'node:crypto';
import { serve, stop } from './serve.ts';

export const LASTFM_KEYS = { LASTFM_API_KEY: 'k'.repeat(32), LASTFM_API_SECRET: 's'.repeat(32) };

interface Scrobble {
  artist: string;
  track: string;
  timestamp: number;
  album?: string;
  duration?: string;
  mbid?: string;
}

export type FakeAudioscrobbler = Awaited<ReturnType<typeof startAudioscrobbler>>;

/** Starts the server. Without `secret` any signature of 32 digits is accepted, as Libre.fm does. */
export async function startAudioscrobbler({ secret }: { secret?: string | undefined } = {}) {
  const scrobbles: Scrobble[] = [];
  const nowPlaying: string[] = [];
  const loved = new Map<string, { artist: string; track: string }>();
  const methods: string[] = [];
  const allowedTokens = new Set<string>();
  const sessions = new Map([['session-key', 'ann_fm']]);
  /** The next responses to any request: an error code, a raw body, or no response after the request was executed. */
  const nextAnswers: ({ code: number; status?: number } | { body: string; status?: number } | 'silence')[] = [];
  /** Code of `ignoredMessage` by track title. */
  const ignoredCodes = new Map<string, number>();
  /** Titles of scrobbles that make a request fail. */
  const brokenTitles = new Set<string>();
  let heldAnswers: (() => void)[] | undefined;

  const answer = (res: ServerResponse, body: unknown, status = 200): void =>
    void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const fail = (res: ServerResponse, code: number, status = 403): void =>
    answer(res, { error: code, message: `Error ${code}` }, status);

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    const url = new URL(req.url ?? '/', 'http://fake');
    const params = new URLSearchParams(req.method === 'POST' ? Buffer.concat(chunks).toString('utf8') : url.search);
    const method = params.get('method') ?? '';
    methods.push(method);
    if (url.pathname !== '/2.0/') return void res.writeHead(404).end('<html>not here</html>');
    const forcedAnswer = nextAnswers.shift();
    if (forcedAnswer === 'silence') {
      runMethod(method, params, undefined);
      return void res.destroy();
    }
    if (forcedAnswer && 'body' in forcedAnswer)
      return void res.writeHead(forcedAnswer.status ?? 200, { 'content-type': 'text/html' }).end(forcedAnswer.body);
    if (forcedAnswer) return fail(res, forcedAnswer.code, forcedAnswer.status);
    if (params.get('format') !== 'json') return void res.writeHead(200).end('<lfm status="ok"/>');
    if (secret !== undefined && params.get('api_key') !== LASTFM_KEYS.LASTFM_API_KEY) return fail(res, 10);
    if (req.method === 'POST' && !isSigned(params)) return fail(res, 13);
    if (heldAnswers) await new Promise<void>((resolve) => void heldAnswers?.push(resolve));
    if (
      method === 'track.scrobble' &&
      [...params].some(([name, value]) => /^track\b/.test(name) && brokenTitles.has(value))
    )
      return void res.writeHead(500).end('<html>Internal Server Error</html>');
    runMethod(method, params, res);
  }

  function isSigned(params: URLSearchParams): boolean {
    const { api_sig: signature = '', format: _, ...signedParams } = Object.fromEntries(params);
    if (secret === undefined) return signature.length === 32;
    const text = Object.keys(signedParams)
      .sort()
      .map((name) => name + signedParams[name])
      .join('');
    return signature === hash('md5', text + secret, 'hex');
  }

  function runMethod(method: string, params: URLSearchParams, res: ServerResponse | undefined): void {
    const reply = (body: unknown): void => void (res && answer(res, body));
    const refuse = (code: number): void => void (res && fail(res, code));
    const param = (name: string): string => params.get(name) ?? '';
    if (method === 'auth.getToken') return reply({ token: `token-${methods.length}` });
    if (method === 'auth.getSession')
      return allowedTokens.delete(param('token'))
        ? reply({ session: { subscriber: 0, name: 'ann_fm', key: 'session-key' } })
        : refuse(14);
    if (method === 'user.getRecentTracks')
      return reply(recent(Number(param('from')), Number(param('to')), Number(param('limit')), Number(param('page'))));
    if (method === 'user.getLovedTracks') return reply(lovedTracks(Number(param('limit')), Number(param('page'))));
    if (!sessions.has(param('sk'))) return refuse(9);
    if (method === 'track.scrobble') return reply({ scrobbles: scrobble(params) });
    if (method === 'track.updateNowPlaying') {
      nowPlaying.push(param('track'));
      return reply({ nowplaying: { track: { corrected: '0', '#text': param('track') } } });
    }
    if (method === 'track.love' || method === 'track.unlove') {
      if (method === 'track.love') love(param('artist'), param('track'));
      else unlove(param('artist'), param('track'));
      return reply({});
    }
    refuse(3);
  }

  const keyOf = (artist: string, track: string): string => `${artist}\n${track}`.toLowerCase();
  const love = (artist: string, track: string): void => void loved.set(keyOf(artist, track), { artist, track });
  const unlove = (artist: string, track: string): void => void loved.delete(keyOf(artist, track));

  function scrobble(params: URLSearchParams) {
    const results: unknown[] = [];
    for (let index = 0; params.has(`track[${index}]`); index++) {
      const fields = Object.fromEntries(
        [...params].flatMap(([name, value]) => {
          const [, field, position] = /^(\w+)\[(\d+)\]$/.exec(name) ?? [];
          return Number(position) === index && field !== undefined ? [[field, value]] : [];
        }),
      ) as unknown as Omit<Scrobble, 'timestamp'> & { timestamp: string };
      const code = ignoredCodes.get(fields.track) ?? 0;
      if (code === 0) scrobbles.push({ ...fields, timestamp: Number(fields.timestamp) });
      results.push({
        artist: { corrected: '0', '#text': fields.artist },
        track: { corrected: '0', '#text': fields.track },
        ignoredMessage: { code: `${code}`, '#text': code === 0 ? '' : 'ignored' },
        timestamp: fields.timestamp,
      });
    }
    const acceptedCount = results.length;
    return { scrobble: acceptedCount === 1 ? results[0] : results, '@attr': { accepted: acceptedCount, ignored: 0 } };
  }

  function recent(from: number, to: number, limit: number, page: number) {
    const matchingScrobbles = scrobbles
      .filter(({ timestamp }) => timestamp >= from && timestamp <= to)
      .sort((a, b) => b.timestamp - a.timestamp);
    const track = matchingScrobbles
      .slice((page - 1) * limit, page * limit)
      .map(({ artist, track: name, timestamp }) => ({
        artist: { mbid: '', '#text': artist },
        name,
        date: { uts: `${timestamp}`, '#text': 'then' },
      }));
    const isPlaying = { artist: { mbid: '', '#text': 'Now' }, name: 'Playing', '@attr': { nowplaying: 'true' } };
    return {
      recenttracks: {
        track: [isPlaying, ...track],
        '@attr': {
          page: `${page}`,
          totalPages: `${Math.ceil(matchingScrobbles.length / limit)}`,
          total: `${matchingScrobbles.length}`,
        },
      },
    };
  }

  function lovedTracks(limit: number, page: number) {
    const allLoved = [...loved.values()];
    const track = allLoved
      .slice((page - 1) * limit, page * limit)
      .map(({ artist, track: name }) => ({ name, mbid: '', artist: { name: artist, mbid: '' }, date: { uts: '1' } }));
    const total = { page: `${page}`, totalPages: `${Math.ceil(allLoved.length / limit)}`, total: `${allLoved.length}` };
    return { lovedtracks: { track: track.length === 1 ? track[0] : track, '@attr': total } };
  }

  const server = createServer((req, res) => void handle(req, res));
  const url = await serve(server);

  return {
    url,
    scrobbles,
    playing: nowPlaying,
    loved,
    love,
    unlove,
    methods,
    sessions,
    next: nextAnswers,
    ignored: ignoredCodes,
    brokenTitles,
    /** Allows the token, as the user does on the page of the service. */
    allow: (token: string): void => void allowedTokens.add(token),
    /** Holds all responses back until `release`. */
    hold: (): void => void (heldAnswers = []),
    held: (): number => heldAnswers?.length ?? 0,
    release(): void {
      heldAnswers?.forEach((sendAnswer) => sendAnswer());
      heldAnswers = undefined;
    },
    goAway: () => stop(server),
    comeBack: async (): Promise<void> => void (await serve(server, Number(new URL(url).port))),
    close: () => stop(server),
  };
}
