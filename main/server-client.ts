// The app as an HTTP client of its own server, for tray and menus. It signs in with a ticket of its own.
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { z } from 'zod';
import {
  Imported,
  Job,
  Jobs,
  MusicFolders,
  Network,
  Problem,
  Session,
  Settings,
  Track,
  Uploaded,
} from './api-schemas.ts';
import { pathOfAudio } from './track-path.ts';

/** An error with the server's own message; `status` is 0 when the server was not reached. */
export class ServerError extends Error {
  readonly status: number;
  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

interface ServerClientDeps {
  /** Address of the running server; undefined while there is none. */
  url(): string | undefined;
  requestTicket(): Promise<string | undefined>;
}

interface Asked {
  method?: 'GET' | 'POST' | 'PUT';
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export type ServerClient = ReturnType<typeof createServerClient>;

export function createServerClient({ url, requestTicket }: ServerClientDeps) {
  let token: Promise<string> | undefined;

  async function signIn(): Promise<string> {
    const ticket = await requestTicket();
    if (ticket === undefined) throw new ServerError(0, 'The server is not running.');
    const answer = await call('/auth/desktop', { method: 'POST', body: { ticket } });
    return Session.parse(await answer.json()).access_token;
  }

  /** `body` is sent as JSON, or as a form. Throws a ServerError for any other than a 2xx status. */
  async function call(path: string, { method = 'GET', body, headers = {}, signal }: Asked): Promise<Response> {
    const base = url();
    if (base === undefined) throw new ServerError(0, 'The server is not running.');
    const isForm = body instanceof FormData;
    const answer = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: { ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }), ...headers },
      redirect: 'error',
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    }).catch((cause: unknown) => {
      throw new ServerError(0, 'The server cannot be reached.', { cause });
    });
    if (!answer.ok)
      throw new ServerError(answer.status, wordsOf(await answer.json().catch(() => undefined), answer.statusText));
    return answer;
  }

  /** Sends a request as the owner. An expired session is renewed once. */
  async function ask(path: string, asked: Asked = {}, isAgain = false): Promise<Response> {
    const current = (token ??= signIn());
    const bearer = await current.catch((error: unknown) => {
      if (token === current) token = undefined;
      throw error;
    });
    try {
      return await call(path, { ...asked, headers: { ...asked.headers, Authorization: `Bearer ${bearer}` } });
    } catch (error) {
      if (isAgain || !(error instanceof ServerError) || error.status !== 401) throw error;
      if (token === current) token = undefined;
      return ask(path, asked, true);
    }
  }

  const read = async <T extends z.ZodType>(shape: T, path: string, asked?: Asked): Promise<z.output<T>> =>
    shape.parse(await (await ask(path, asked)).json());

  const send = async <T extends z.ZodType>(
    shape: T,
    path: string,
    field: string,
    file: string,
  ): Promise<z.output<T>> => {
    const form = new FormData();
    form.append(field, await openAsBlob(file), basename(file)); // streamed from disk
    return read(shape, path, { method: 'POST', body: form });
  };

  return {
    rescan: (): Promise<Job> => read(Job, '/sources/local_folder/scan', { method: 'POST' }),
    identify: (): Promise<Job> => read(Job, '/jobs/enrich', { method: 'POST', body: { scope: 'pending' } }),
    openJobs: async (): Promise<Job[]> => (await read(Jobs, '/jobs?status=running&limit=50')).items,
    network: (): Promise<Network> => read(Network, '/network'),
    share: (enabled: boolean): Promise<Network> =>
      read(Network, '/network/sharing', { method: 'PUT', body: { enabled } }),

    /** Undefined for a deleted track, or one whose audio is no local file. */
    async fileOf(trackId: number): Promise<string | undefined> {
      const [track, settings, folders] = await Promise.all([
        read(Track, `/tracks/${trackId}`),
        read(Settings, '/settings'),
        read(MusicFolders, '/music-folders'),
      ]).catch(() => []);
      const text = (name: string): string | undefined => {
        const value = settings?.items.find(({ key }) => key === name)?.value;
        return typeof value === 'string' && value !== '' ? value : undefined;
      };
      return pathOfAudio(track?.storage_uri ?? null, {
        data: text('data_dir') ?? '',
        storageRoot: text('storage_root'),
        music: (folders?.items ?? []).map((folder) => ({
          key: folder.source_id_prefix.replace(/:\/$/, ''),
          path: folder.path ?? '',
        })),
      });
    },

    /** Ids of the created tracks. Throws with the reason when the file is no audio. */
    async upload(file: string): Promise<number[]> {
      return (await send(Uploaded, '/tracks/upload', 'files', file)).items.map(({ id }) => id);
    },

    /** Id of the created playlist. */
    async importPlaylist(file: string): Promise<number> {
      return (await send(Imported, '/playlists/import', 'file', file)).playlist.id;
    },

    /** The event stream, from after the event of that id. */
    openEvents: (signal: AbortSignal, lastId?: string): Promise<Response> =>
      ask('/events', {
        signal,
        headers: { Accept: 'text/event-stream', ...(lastId !== undefined && { 'Last-Event-ID': lastId }) },
      }),
  };
}

function wordsOf(answer: unknown, otherwise: string): string {
  const problem = Problem.safeParse(answer).data;
  return problem?.errors?.[0]?.message ?? problem?.detail ?? problem?.title ?? otherwise;
}
