// Client of the ListenBrainz API (https://listenbrainz.readthedocs.io/en/latest/users/api/).
import { z } from 'zod';
import {
  MAX_PAGES,
  parseAnswer,
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

/**
 * Maximum number of listens per request. The service accepts up to 1,000; with fewer, less has to be sent again when a
 * listen is refused.
 */
const MAX_LISTENS_PER_REQUEST = 100;
/** The earliest time that the service accepts (the start of Last.fm). */
export const EARLIEST_LISTEN_MS = 1_033_430_400_000;
/** The longest duration that the service accepts: it refuses a listen with a length of zero or more than 24 days. */
const MAX_TRACK_MS = 24 * 86_400_000;
const LISTENS_PER_PAGE = 500;
const LOVES_PER_PAGE = 500;

const Validity = z.object({ valid: z.boolean(), user_name: z.string().max(500).optional() });
const Complaint = z.object({ error: z.string() });
const Success = z.object({ status: z.literal('ok') });
const Metadata = z.object({ track_name: z.string(), artist_name: z.string() });
const Listens = z.object({
  payload: z.object({ listens: z.array(z.object({ listened_at: z.number(), track_metadata: Metadata })) }),
});
const Feedback = z.object({
  feedback: z.array(
    z.object({
      recording_mbid: z.string().nullish(),
      score: z.number(),
      track_metadata: Metadata.nullish().catch(undefined),
    }),
  ),
  total_count: z.number(),
});

interface ListenBrainzDeps {
  ask: AskService;
  baseUrl: () => string;
  isEnabled: () => boolean;
  version: string;
}

export function createListenBrainz({ ask, baseUrl, isEnabled, version }: ListenBrainzDeps): Scrobbler {
  const call = (path: string, token: string, json?: unknown, signal?: AbortSignal): Promise<ServiceAnswer> =>
    ask(new URL(baseUrl()), path, { json, headers: { authorization: `Token ${token}` }, signal });

  const metadata = ({ title, artistName, albumTitle, recordingMbid, durationMs }: SongOut) => ({
    ...withoutNulls({ artist_name: artistName, track_name: title, release_name: albumTitle }),
    additional_info: withoutNulls<string | number>({
      media_player: 'Tonearm',
      submission_client: 'Tonearm',
      submission_client_version: version,
      recording_mbid: recordingMbid,
      duration_ms: durationMs !== null && durationMs > 0 && durationMs <= MAX_TRACK_MS ? durationMs : null,
    }),
  });

  const submitListens = async (
    { token }: ScrobbleAccount,
    listenType: 'single' | 'import' | 'playing_now',
    payload: object[],
    signal?: AbortSignal,
  ): Promise<Outcome> => outcomeOf(await call('1/submit-listens', token, { listen_type: listenType, payload }, signal));

  return {
    title: 'ListenBrainz',
    atOnce: MAX_LISTENS_PER_REQUEST,
    longerThanMs: 0,
    signIn: 'token',
    isEnabled,
    lovesByMbid: true,

    async finishSignIn({ token }) {
      const answer = await call('1/validate-token', token);
      if (answer.status === 401) return undefined;
      const { valid, user_name: username = '' } = parseAnswer(Validity, answer);
      return valid ? { token, username } : undefined;
    },

    submit: (account, listens, signal) =>
      submitListens(
        account,
        listens.length === 1 ? 'single' : 'import',
        listens.map((listen) => ({
          listened_at: Math.floor(listen.playedAt / 1_000),
          track_metadata: metadata(listen),
        })),
        signal,
      ),

    playingNow: (account, song) => submitListens(account, 'playing_now', [{ track_metadata: metadata(song) }]),

    async listensBetween({ token, username }, from, to, signal) {
      const knownListens: KnownListen[] = [];
      const min = Math.floor(from / 1_000) - 1; // both limits are exclusive
      let max = Math.floor(to / 1_000) + 1;
      for (let page = 0; page < MAX_PAGES; page++) {
        const query = `min_ts=${min}&max_ts=${max}&count=${LISTENS_PER_PAGE}`;
        const answer = await call(`1/user/${encodeURIComponent(username)}/listens?${query}`, token, undefined, signal);
        if (answer.status === 404) return undefined;
        const { listens } = parseAnswer(Listens, answer).payload;
        for (const { listened_at: playedAtSeconds, track_metadata: song } of listens)
          knownListens.push({ title: song.track_name, playedAt: playedAtSeconds * 1_000 });
        const earliest = Math.min(...listens.map((listen) => listen.listened_at));
        if (listens.length < LISTENS_PER_PAGE || earliest >= max) break;
        max = earliest;
      }
      return knownListens;
    },

    setLoved: async ({ token }, { recordingMbid }, isLoved, signal) =>
      outcomeOf(
        await call(
          '1/feedback/recording-feedback',
          token,
          { recording_mbid: recordingMbid, score: isLoved ? 1 : 0 },
          signal,
        ),
      ),

    lovedSongs: ({ token, username }, signal) =>
      readAll<LovedSong>(async (_page, offset) => {
        const query = `score=1&count=${LOVES_PER_PAGE}&offset=${offset}&metadata=true`;
        const path = `1/feedback/user/${encodeURIComponent(username)}/get-feedback?${query}`;
        const { feedback, total_count: total } = parseAnswer(Feedback, await call(path, token, undefined, signal));
        return {
          total,
          items: feedback.map(({ recording_mbid: mbid, track_metadata: song }) => ({
            title: song?.track_name ?? null,
            artistName: song?.artist_name ?? null,
            recordingMbid: mbid ?? null,
          })),
        };
      }),
  };
}

function outcomeOf({ status, headers, body }: ServiceAnswer): Outcome {
  const complaint = Complaint.safeParse(body).data?.error;
  const reason = reasonOf(complaint, status);
  if (status === 401 || status === 403) return { kind: complaint === undefined ? 'down' : 'bad_token', reason };
  if (status === 429) return { kind: 'busy', waitMs: resetMs(headers), reason };
  // answers of a proxy or a sign-in page say nothing about the listens
  if (status === 413 || (status === 400 && complaint !== undefined)) return { kind: 'refused', reason };
  if (status !== 200 || !Success.safeParse(body).success) return { kind: 'down', reason };
  return { kind: 'ok', waitMs: headers.get('x-ratelimit-remaining') === '0' ? resetMs(headers) : 0 };
}
