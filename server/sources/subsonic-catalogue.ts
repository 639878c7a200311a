// Another Subsonic server as a catalogue. Subsonic servers send errors with status 200, as a document instead of audio.
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { LiveSettings } from '../config/live-settings.ts';
import { toOneLine } from '../media/text.ts';
import { CatalogueError, type CatalogueHit, type CatalogueProvider } from './catalogue.ts';
import { createProviderHttp, type CataloguePace } from './provider-http.ts';
import { parseLimitedJson } from '../runtime/text-limits.ts';

const PROTOCOL_VERSION = '1.16.1';
const CLIENT_NAME = 'Tonearm';
const ID = /^[^\u0000-\u0020/\\]{1,200}$/;
const MAX_NAME_CHARACTERS = 300;

const Name = z
  .string()
  .transform((text) => toOneLine(text, MAX_NAME_CHARACTERS) || undefined)
  .optional()
  .catch(undefined);
const Whole = z.int().positive().optional().catch(undefined);
const Id = z.union([z.string(), z.int().transform(String)]).pipe(z.string().regex(ID));
const Song = z.object({
  id: Id,
  title: Name,
  artist: Name,
  album: Name,
  albumId: Id.optional().catch(undefined),
  artistId: Id.optional().catch(undefined),
  coverArt: z
    .union([z.string(), z.int().transform(String)])
    .optional()
    .catch(undefined),
  track: Whole,
  year: Whole,
  duration: Whole,
  size: Whole,
  isDir: z.boolean().optional().catch(undefined),
});
type Song = z.output<typeof Song>;

const Envelope = z.object({
  'subsonic-response': z.object({
    status: z.string(),
    serverVersion: z.string().optional().catch(undefined),
    type: z.string().optional().catch(undefined),
    error: z.object({ code: z.int(), message: z.string().optional() }).optional().catch(undefined),
    searchResult3: z
      .object({ song: z.array(z.unknown()).optional() })
      .optional()
      .catch(undefined),
    song: z.unknown().optional(),
  }),
});
type SubsonicResponse = z.output<typeof Envelope>['subsonic-response'];

interface SubsonicCatalogueDeps {
  settings: LiveSettings;
  userAgent: () => string;
  pace: CataloguePace;
}

export function createSubsonicCatalogue({ settings, userAgent, pace }: SubsonicCatalogueDeps): CatalogueProvider {
  const base = (): URL => new URL(`${settings.get('STREAMSRC_BASE_URL') ?? 'http://unset.invalid'}/`);
  const http = createProviderHttp({ base, userAgent, pace });

  /** Returns the URL of a request, without credentials. */
  function address(endpoint: string, params: Record<string, string>): URL {
    const url = new URL(`rest/${endpoint}`, base());
    url.search = new URLSearchParams(params).toString();
    return url;
  }

  function withCredentials(url: URL): URL {
    const salt = randomBytes(8).toString('hex');
    const token = createHash('md5')
      .update(`${settings.get('STREAMSRC_PASSWORD') ?? ''}${salt}`)
      .digest('hex');
    const signedUrl = new URL(url);
    for (const [name, value] of Object.entries({
      u: settings.get('STREAMSRC_USERNAME') ?? '',
      t: token,
      s: salt,
      v: PROTOCOL_VERSION,
      c: CLIENT_NAME,
      f: 'json',
    }))
      signedUrl.searchParams.set(name, value);
    return signedUrl;
  }

  async function request(
    endpoint: string,
    params: Record<string, string>,
    signal: AbortSignal,
  ): Promise<SubsonicResponse> {
    const url = address(endpoint, params);
    const parsedAnswer = Envelope.safeParse(await http.json(withCredentials(url), signal));
    if (!parsedAnswer.success) throw notUnderstood(url.host);
    const answer = parsedAnswer.data['subsonic-response'];
    if (answer.status !== 'ok') throw faultOf(url.host, answer.error);
    return answer;
  }

  async function songOf(id: string, signal: AbortSignal): Promise<Song> {
    const { song } = await request('getSong', { id }, signal);
    const parsedSong = Song.safeParse(song);
    if (!parsedSong.success) throw notUnderstood(base().host);
    return parsedSong.data;
  }

  const toHit = (song: Song): CatalogueHit => ({
    id: song.id,
    title: song.title ?? 'Untitled',
    artist: song.artist,
    album: song.album,
    albumId: song.albumId,
    artistId: song.artistId,
    trackNumber: song.track,
    year: song.year,
    durationMs: song.duration === undefined ? undefined : song.duration * 1_000,
    coverUrl: song.coverArt === undefined ? undefined : address('getCoverArt', { id: song.coverArt, size: '600' }).href,
  });

  return {
    name: 'sub',
    whyNot() {
      const missingNames = (['STREAMSRC_BASE_URL', 'STREAMSRC_USERNAME', 'STREAMSRC_PASSWORD'] as const).filter(
        (name) => settings.get(name) === undefined,
      );
      return missingNames.length === 0
        ? undefined
        : `The other Subsonic server is not set up: ${missingNames.join(', ')} ` +
            `${missingNames.length === 1 ? 'is' : 'are'} missing.`;
    },
    isId: (id) => ID.test(id),

    async check(signal) {
      const { type, serverVersion } = await request('ping', {}, signal);
      return [type ?? 'Subsonic', serverVersion, `(${base().host})`].filter(Boolean).join(' ');
    },

    async search(query, { limit, signal }) {
      const { searchResult3 } = await request(
        'search3',
        { query, songCount: String(limit), artistCount: '0', albumCount: '0' },
        signal,
      );
      return (searchResult3?.song ?? [])
        .slice(0, limit)
        .flatMap((song) => Song.safeParse(song).data ?? [])
        .filter((song) => !song.isDir)
        .map(toHit);
    },

    resolve: async ({ id }, signal) => toHit(await songOf(id, signal)),

    async download({ id }, dir, options) {
      const { size } = await songOf(id, options.signal); // fails with a clear error before audio is requested
      const path = join(dir, 'item');
      if (size !== undefined) options.onProgress(0, size);
      await http.save(withCredentials(address('download', { id })), path, {
        ...options,
        faultIn: (document) => faultInDocument(base().host, document),
      });
      return path;
    },

    cover(url, signal) {
      const pictureUrl = new URL(url);
      if (pictureUrl.host !== base().host)
        throw new CatalogueError('not_found', 'That picture is on a server that is not in use.');
      return http.picture(withCredentials(pictureUrl), signal);
    },
  };
}

const notUnderstood = (host: string): CatalogueError =>
  new CatalogueError('unavailable', `The response of ${host} is invalid.`);

function faultOf(host: string, error: { code: number; message?: string | undefined } | undefined): CatalogueError {
  const serverMessage = error?.message ? ` (${toOneLine(error.message, 200)})` : '';
  if (error?.code === 70) return new CatalogueError('not_found', `${host} no longer has it${serverMessage}.`);
  if (error?.code === 50) return new CatalogueError('forbidden', `${host} denies this account access${serverMessage}.`);
  if (error !== undefined && [40, 41, 42, 43, 44].includes(error.code))
    return new CatalogueError(
      'misconfigured',
      `${host} refuses the account; check STREAMSRC_USERNAME and STREAMSRC_PASSWORD${serverMessage}.`,
    );
  if (error !== undefined && [10, 20, 30].includes(error.code))
    return new CatalogueError('misconfigured', `${host} does not support the request${serverMessage}.`);
  return new CatalogueError('unavailable', `The request to ${host} failed${serverMessage}.`);
}

/** Parses an error document in JSON, or in XML, which older servers send regardless of the requested format. */
function faultInDocument(host: string, document: string): CatalogueError {
  try {
    const parsedAnswer = Envelope.safeParse(parseLimitedJson(document));
    if (parsedAnswer.success) return faultOf(host, parsedAnswer.data['subsonic-response'].error);
  } catch {
    /* the document is not JSON */
  }
  const code = /<error\b[^<>]*\bcode="(\d{1,3})"/.exec(document)?.[1];
  return code === undefined
    ? new CatalogueError('invalid_media', `${host} sent a document instead of audio.`)
    : faultOf(host, { code: Number(code) });
}
