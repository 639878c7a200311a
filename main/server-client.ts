// The app as an HTTP client of its own server, for tray and menus. The client signs in with its own ticket.
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

/** An error with the server's message; `status` is 0 if the server was not reached. */
export class ServerError extends Error {
  readonly status: number;
  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

interface ServerClientDeps {
  /** Returns the address of the running server; undefined while no server runs. */
  url(): string | undefined;
  requestTicket(): Promise<string | undefined>;
}

interface RequestOptions {
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

  /** Sends a request; `body` is sent as JSON, or as a form. Throws a ServerError unless the status is 2xx. */
  async function call(path: string, { method = 'GET', body, headers = {}, signal }: RequestOptions): Promise<Response> {
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

  /** Sends a request as the owner; signs in again once if the session has expired. */
  async function requestAsOwner(path: string, options: RequestOptions = {}, isAgain = false): Promise<Response> {
    const current = (token ??= signIn());
    const bearer = await current.catch((error: unknown) => {
      if (token === current) token = undefined;
      throw error;
    });
    try {
      return await call(path, { ...options, headers: { ...options.headers, Authorization: `Bearer ${bearer}` } });
    } catch (error) {
      if (isAgain || !(error instanceof ServerError) || error.status !== 401) throw error;
      if (token === current) token = undefined;
      return requestAsOwner(path, options, true);
    }
  }

  const fetchParsed = async <T extends z.ZodType>(
    shape: T,
    path: string,
    options?: RequestOptions,
  ): Promise<z.output<T>> => shape.parse(await (await requestAsOwner(path, options)).json());

  const send = async <T extends z.ZodType>(
    shape: T,
    path: string,
    field: string,
    file: string,
  ): Promise<z.output<T>> => {
    const form = new FormData();
    form.append(field, await openAsBlob(file), basename(file)); // the file is streamed from disk
    return fetchParsed(shape, path, { method: 'POST', body: form });
  };

  return {
    rescan: (): Promise<Job> => fetchParsed(Job, '/sources/local_folder/scan', { method: 'POST' }),
    identify: (): Promise<Job> => fetchParsed(Job, '/jobs/enrich', { method: 'POST', body: { scope: 'pending' } }),
    openJobs: async (): Promise<Job[]> => (await fetchParsed(Jobs, '/jobs?status=running&limit=50')).items,
    network: (): Promise<Network> => fetchParsed(Network, '/network'),
    share: (enabled: boolean): Promise<Network> =>
      fetchParsed(Network, '/network/sharing', { method: 'PUT', body: { enabled } }),

    /** Returns the path of a track's file; undefined for a deleted track, or if the audio is not a local file. */
    async fileOf(trackId: number): Promise<string | undefined> {
      const [track, settings, folders] = await Promise.all([
        fetchParsed(Track, `/tracks/${trackId}`),
        fetchParsed(Settings, '/settings'),
        fetchParsed(MusicFolders, '/music-folders'),
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

    /**
     * Uploads a file; returns the ids of the created tracks. Throws with the server's reason if the file is not audio.
     */
    async upload(file: string): Promise<number[]> {
      return (await send(Uploaded, '/tracks/upload', 'files', file)).items.map(({ id }) => id);
    },

    /** Imports a playlist file; returns the id of the created playlist. */
    async importPlaylist(file: string): Promise<number> {
      return (await send(Imported, '/playlists/import', 'file', file)).playlist.id;
    },

    /** Opens the event stream, which begins after the event `lastId`. */
    openEvents: (signal: AbortSignal, lastId?: string): Promise<Response> =>
      requestAsOwner('/events', {
        signal,
        headers: { Accept: 'text/event-stream', ...(lastId !== undefined && { 'Last-Event-ID': lastId }) },
      }),
  };
}

function wordsOf(answer: unknown, otherwise: string): string {
  const problem = Problem.safeParse(answer).data;
  return problem?.errors?.[0]?.message ?? problem?.detail ?? problem?.title ?? otherwise;
}
