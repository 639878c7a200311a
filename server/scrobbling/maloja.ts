// Client of the native API of Maloja (https://github.com/krateng/maloja/blob/master/API.md), a server that people run
// themselves. It takes one play at a time, one per second, and knows no loves.
import { z } from 'zod';
import type { AskService, Outcome, ScrobbleAccount, Scrobbler, ServiceAnswer } from './scrobblers.ts';

/** Plays of several people or players may have the same time. */
const MOVED_AT_MOST_S = 5;

const Said = z.object({ status: z.string() });
const Fault = z.object({
  error: z.object({ type: z.string().catch(''), desc: z.string().catch('') }),
});
const Scrobbles = z.object({
  list: z.array(z.object({ time: z.number(), track: z.object({ title: z.string() }) })),
});

export interface MalojaDeps {
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
      const said = Said.safeParse(body).data?.status;
      if (said !== undefined && (status === 403 || status === 401)) return undefined;
      if (status !== 200 || said !== 'ok') throw new Error(`it answered ${status}`);
      return { token: account.token, username: new URL(account.url ?? '').host };
    },

    async submit(account, [listen], signal) {
      if (!listen) return { kind: 'ok', waitMs: 0 };
      const { title, artistName, albumTitle, durationMs, playedAt, mayBeThere } = listen;
      for (let moved = 0; ; moved++) {
        const answer = await call(
          account,
          'newscrobble',
          {
            key: account.token,
            artist: artistName,
            title,
            ...(albumTitle !== null && { album: albumTitle }),
            ...(durationMs !== null && durationMs > 0 && { length: Math.round(durationMs / 1_000) }),
            time: Math.floor(playedAt / 1_000) + moved,
          },
          signal,
        );
        const outcome = outcomeOf(answer);
        if (outcome !== 'time_taken') return outcome;
        if (mayBeThere) return { kind: 'ok', waitMs: 0 };
        if (moved === MOVED_AT_MOST_S) return { kind: 'refused', reason: 'there are other plays at that time' };
      }
    },

    async listensBetween(account, from, to, signal) {
      const range = `from=${dayOf(from - 86_400_000)}&to=${dayOf(to + 86_400_000)}`; // days of its time zone
      const { status, body } = await call(account, `scrobbles?${range}`, undefined, signal);
      if (status === 404) return undefined;
      const { data } = Scrobbles.safeParse(body);
      if (status !== 200 || !data) throw new Error(`it answered ${status}`);
      return data.list.map(({ time, track }) => ({ title: track.title, playedAt: time * 1_000 }));
    },
  };
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10).replaceAll('-', '/');

function outcomeOf({ status, body }: ServiceAnswer): Outcome | 'time_taken' {
  const fault = Fault.safeParse(body).data?.error;
  const reason = fault?.desc.slice(0, 300) || `it answered ${status}`;
  if (fault?.type === 'duplicate_timestamp') return 'time_taken';
  if (fault?.type === 'duplicate_scrobble') return { kind: 'ok', waitMs: 0 };
  if ((status === 401 || status === 403) && Said.safeParse(body).success) return { kind: 'bad_token', reason };
  if (status === 400 && fault) return { kind: 'refused', reason };
  const isOk = status === 200 && Said.safeParse(body).data?.status === 'success';
  return isOk ? { kind: 'ok', waitMs: 0 } : { kind: 'down', reason };
}
