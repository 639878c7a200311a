// Client of the Audioscrobbler 2.0 API of Last.fm (https://www.last.fm/api) and Libre.fm, which differ in address and
// keys only.
import { hash } from 'node:crypto';
import { z } from 'zod';
import {
  MAX_WAIT_MS,
  MAX_PAGES,
  withoutNulls,
  readAll,
  reasonOf,
  resetMs,
  type AskService,
  type KnownListen,
  type LovedSong,
  type Outcome,
  type ScrobbleAccount,
  type Scrobbler,
  type ServiceAnswer,
  type SongOut,
} from './scrobblers.ts';

/** Maximum number of listens per request, set by the API. */
const MAX_LISTENS_PER_REQUEST = 50;
const MIN_TRACK_MS = 30_000;
const LISTENS_PER_PAGE = 200;
const LOVES_PER_PAGE = 500;
const API_PATH = '2.0/';

/**
 * Codes of https://www.last.fm/api/errorcodes: errors that signing in again solves, and errors that nobody can solve.
 * All other errors pass.
 */
const SIGN_IN_CODES = new Set([4, 9, 14, 15, 17]);
const REFUSED_CODES = new Set([6, 7]);
const RATE_LIMIT_CODE = 29;
/**
 * The code in `ignoredMessage` for a reached daily limit; the lower codes concern the artist, the track or the time.
 */
const DAILY_LIMIT_CODE = 5;

/** Returns the schema of a list: the API sends a list of one as the item itself. */
const list = <T extends z.ZodType>(item: T) =>
  z
    .union([z.array(item), item])
    .optional()
    .transform((value) => (value === undefined ? [] : ((Array.isArray(value) ? value : [value]) as z.output<T>[])));
const wholeNumber = z.coerce.number().int().min(0);
const Fault = z.object({ error: z.coerce.number(), message: z.string().catch('') });
const Token = z.object({ token: z.string().min(1).max(200) });
const Session = z.object({ session: z.object({ key: z.string().min(1).max(200), name: z.string().max(500) }) });
const Scrobbled = z.object({
  scrobbles: z.object({
    scrobble: list(
      z.object({
        ignoredMessage: z
          .object({ code: wholeNumber, '#text': z.string().catch('') })
          .optional()
          .catch(undefined),
      }),
    ),
  }),
});
const pages = z.object({ totalPages: wholeNumber, total: wholeNumber.optional() });
const Recent = z.object({
  recenttracks: z.object({
    track: list(z.object({ name: z.string(), date: z.object({ uts: wholeNumber }).optional() })),
    '@attr': pages,
  }),
});
const Loved = z.object({
  lovedtracks: z.object({
    track: list(
      z.object({
        name: z.string(),
        mbid: z.string().optional(),
        artist: z.object({ name: z.string().optional(), '#text': z.string().optional() }),
      }),
    ),
    '@attr': pages,
  }),
});

interface AudioscrobblerDeps {
  title: string;
  ask: AskService;
  isEnabled: () => boolean;
  baseUrl: () => string;
  /** Returns the address of the page on which users allow access. */
  pageUrl: () => string;
  key: () => string | undefined;
  secret: () => string | undefined;
}

export function createAudioscrobbler(deps: AudioscrobblerDeps): Scrobbler {
  const { title, ask, isEnabled, baseUrl, pageUrl } = deps;
  const keys = (): { api_key: string; secret: string } => ({
    api_key: deps.key() ?? '',
    secret: deps.secret() ?? '',
  });

  /** Sends a change, which has to be signed and sent with POST. */
  function post(params: Record<string, string>, signal?: AbortSignal): Promise<ServiceAnswer> {
    const { api_key, secret } = keys();
    const signedParams = { ...params, api_key };
    return ask(new URL(baseUrl()), API_PATH, {
      form: { ...signedParams, api_sig: signatureOf(signedParams, secret), format: 'json' },
      signal,
    });
  }

  function get(params: Record<string, string>, signal?: AbortSignal): Promise<ServiceAnswer> {
    const query = new URLSearchParams({ ...params, api_key: keys().api_key, format: 'json' });
    return ask(new URL(baseUrl()), `${API_PATH}?${query.toString()}`, { signal });
  }

  const songParams = ({ title: track, artistName: artist, albumTitle, recordingMbid, durationMs }: SongOut) =>
    withoutNulls({
      artist,
      track,
      album: albumTitle,
      mbid: recordingMbid,
      duration: durationMs !== null && durationMs > 0 ? `${Math.round(durationMs / 1_000)}` : null,
    });

  return {
    title,
    atOnce: MAX_LISTENS_PER_REQUEST,
    longerThanMs: MIN_TRACK_MS,
    signIn: 'page',
    isEnabled,

    async startSignIn() {
      const { status, body } = await post({ method: 'auth.getToken' });
      const fault = Fault.safeParse(body).data;
      const { data } = Token.safeParse(body);
      if (!data) throw new Error(fault?.message || `it answered ${status}`);
      const page = new URL(pageUrl());
      page.searchParams.set('api_key', keys().api_key);
      page.searchParams.set('token', data.token);
      return { token: data.token, url: page.href };
    },

    async finishSignIn({ token }) {
      const answer = await post({ method: 'auth.getSession', token });
      const { data } = Session.safeParse(answer.body);
      if (data) return { token: data.session.key, username: data.session.name };
      const outcome = outcomeOf(answer, false);
      if (outcome.kind === 'bad_token') return undefined;
      throw new Error(outcome.kind === 'ok' ? 'it sent an invalid answer' : outcome.reason);
    },

    async submit({ token }, listens, signal) {
      const params: Record<string, string> = { method: 'track.scrobble', sk: token };
      for (const [index, listen] of listens.entries())
        for (const [name, value] of Object.entries({
          ...songParams(listen),
          timestamp: `${Math.floor(listen.playedAt / 1_000)}`,
        }))
          params[`${name}[${index}]`] = value;
      const answer = await post(params, signal);
      const results = Scrobbled.safeParse(answer.body).data?.scrobbles.scrobble;
      if (!results) return outcomeOf(answer, false);
      if (results.length !== listens.length)
        return { kind: 'down', reason: `it answered about ${results.length} of ${listens.length} plays` };
      const refusedReasons = new Map<number, string>();
      const laterIndexes = new Set<number>();
      for (const [index, { ignoredMessage }] of results.entries()) {
        if (!ignoredMessage || ignoredMessage.code === 0) continue;
        if (ignoredMessage.code === DAILY_LIMIT_CODE) laterIndexes.add(index);
        else refusedReasons.set(index, ignoredMessage['#text'] || `reason ${ignoredMessage.code}`);
      }
      return { kind: 'ok', waitMs: 0, refusedReasons, laterIndexes };
    },

    playingNow: async ({ token }, song) =>
      outcomeOf(await post({ method: 'track.updateNowPlaying', sk: token, ...songParams(song) }), true),

    async listensBetween({ username }, from, to, signal) {
      const listens: KnownListen[] = [];
      for (let page = 1; page <= MAX_PAGES; page++) {
        const answer = await get(
          {
            method: 'user.getRecentTracks',
            user: username,
            from: `${Math.floor(from / 1_000)}`,
            to: `${Math.floor(to / 1_000) + 1}`, // the API's limit is exclusive
            limit: `${LISTENS_PER_PAGE}`,
            page: `${page}`,
          },
          signal,
        );
        const recent = Recent.safeParse(answer.body).data?.recenttracks;
        if (!recent) {
          const outcome = outcomeOf(answer, false);
          // code 17 means that the user hides what was played
          if (outcome.kind === 'refused' || outcome.kind === 'bad_token') return undefined;
          throw new Error(outcome.kind === 'ok' ? 'it sent an invalid answer' : outcome.reason);
        }
        for (const { name, date } of recent.track)
          // a track without a date is playing now
          if (date) listens.push({ title: name, playedAt: date.uts * 1_000 });
        if (page >= recent['@attr'].totalPages) break;
      }
      return listens;
    },

    setLoved: async ({ token }, { title: track, artistName }, isLoved, signal) =>
      outcomeOf(
        await post({ method: isLoved ? 'track.love' : 'track.unlove', sk: token, artist: artistName, track }, signal),
        true,
      ),

    lovedSongs: ({ username }: ScrobbleAccount, signal) =>
      readAll<LovedSong>(async (page) => {
        const answer = await get(
          { method: 'user.getLovedTracks', user: username, limit: `${LOVES_PER_PAGE}`, page: `${page}` },
          signal,
        );
        const lovedTracks = Loved.safeParse(answer.body).data?.lovedtracks;
        if (!lovedTracks) throw new Error(reasonOf(Fault.safeParse(answer.body).data?.message, answer.status));
        const { total, totalPages } = lovedTracks['@attr'];
        return {
          total: total ?? (page < totalPages ? Infinity : 0),
          items: lovedTracks.track.map(({ name, mbid, artist }) => ({
            title: name,
            artistName: artist.name ?? artist['#text'] ?? null,
            recordingMbid: mbid || null,
          })),
        };
      }),
  };
}

/** Signs all parameters except the format, in alphabetical order, with the secret. */
const signatureOf = (params: Record<string, string>, secret: string): string =>
  hash(
    'md5',
    Object.entries(params)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => name + value)
      .join('') + secret,
    'hex',
  );

/** Returns the outcome of a request. `isSuccess` says whether a JSON body without an error counts as success. */
function outcomeOf({ status, headers, body }: ServiceAnswer, isSuccess: boolean): Outcome {
  const fault = Fault.safeParse(body).data;
  const reason = reasonOf(fault?.message, status);
  if (fault && SIGN_IN_CODES.has(fault.error)) return { kind: 'bad_token', reason };
  if (fault && REFUSED_CODES.has(fault.error)) return { kind: 'refused', reason };
  if (fault?.error === RATE_LIMIT_CODE || status === 429)
    return { kind: 'busy', waitMs: resetMs(headers, MAX_WAIT_MS), reason };
  const isOk = isSuccess && !fault && status === 200 && typeof body === 'object' && body !== null;
  return isOk ? { kind: 'ok', waitMs: 0 } : { kind: 'down', reason };
}
