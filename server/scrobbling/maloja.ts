// Client of the native API of Maloja (https://github.com/krateng/maloja/blob/master/API.md), a server that people run
// themselves. It accepts one play at a time, one per second, and has no loved songs.
import { z } from 'zod';
import {
  parseAnswer,
  withoutNulls,
  reasonOf,
  type AskService,
  type Outcome,
  type ScrobbleAccount,
  type Scrobbler,
  type ServiceAnswer,
} from './scrobblers.ts';

/** How far the time of a play may be shifted, since plays of several people or players may have the same time. */
const MAX_TIME_SHIFT_S = 5;

const Said = z.object({ status: z.string() });
const Fault = z.object({
  error: z.object({ type: z.string().catch(''), desc: z.string().catch('') }),
});
const Scrobbles = z.object({
  list: z.array(z.object({ time: z.number(), track: z.object({ title: z.string() }) })),
});

interface MalojaDeps {
  ask: AskService;
  isEnabled: () => boolean;
}

export function createMaloja({ ask, isEnabled }: MalojaDeps): Scrobbler {
  const call = (
    { url, mayBePrivate }: Pick<ScrobbleAccount, 'url' | 'mayBePrivate'>,
    path: string,
    json?: unknown,
    signal?: AbortSignal,
  ): Promise<ServiceAnswer> =>
    ask(new URL(url ?? ''), `apis/mlj_1/${path}`, { json, publicOnly: !mayBePrivate, signal });

  return {
    title: 'Maloja',
    atOnce: 1,
    longerThanMs: 0,
    signIn: 'own_server',
    isEnabled,

    async finishSignIn(account) {
      const { status, body } = await call(account, `test?key=${encodeURIComponent(account.token)}`);
      const reply = Said.safeParse(body).data?.status;
      if (reply !== undefined && (status === 403 || status === 401)) return undefined;
      if (status !== 200 || reply !== 'ok') throw new Error(`it answered ${status}`);
      return { token: account.token, username: new URL(account.url ?? '').host };
    },

    async submit(account, [listen], signal) {
      if (!listen) return { kind: 'ok', waitMs: 0 };
      const { title, artistName: artist, albumTitle: album, durationMs, playedAt } = listen;
      const length = durationMs !== null && durationMs > 0 ? Math.round(durationMs / 1_000) : null;
      const song = withoutNulls({ key: account.token, artist, title, album, length });
      // Maloja reports success for a play that it already has, also at a shifted time, so a retry adds no duplicate
      for (let shiftSeconds = 0; shiftSeconds <= MAX_TIME_SHIFT_S; shiftSeconds++) {
        const time = Math.floor(playedAt / 1_000) + shiftSeconds;
        const outcome = outcomeOf(await call(account, 'newscrobble', { ...song, time }, signal));
        if (outcome !== 'time_taken') return outcome;
      }
      return { kind: 'refused', reason: 'there are other plays at that time' };
    },

    async listensBetween(account, from, to, signal) {
      // the API takes days in Maloja's time zone
      const range = `from=${dayOf(from - 86_400_000)}&to=${dayOf(to + 86_400_000)}`;
      const answer = await call(account, `scrobbles?${range}`, undefined, signal);
      if (answer.status === 404) return undefined;
      return parseAnswer(Scrobbles, answer).list.map(({ time, track }) => ({
        title: track.title,
        playedAt: time * 1_000,
      }));
    },
  };
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10).replaceAll('-', '/');

function outcomeOf({ status, body }: ServiceAnswer): Outcome | 'time_taken' {
  const fault = Fault.safeParse(body).data?.error;
  const reason = reasonOf(fault?.desc, status);
  if (fault?.type === 'duplicate_timestamp') return 'time_taken';
  if ((status === 401 || status === 403) && Said.safeParse(body).success) return { kind: 'bad_token', reason };
  if (status === 400 && fault) return { kind: 'refused', reason };
  const isOk = status === 200 && Said.safeParse(body).data?.status === 'success';
  return isOk ? { kind: 'ok', waitMs: 0 } : { kind: 'down', reason };
}
