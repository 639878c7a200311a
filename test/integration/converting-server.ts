// A server of streams that converts with the real ffmpeg, and files to convert.
import { closeSync, ftruncateSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { get as httpGet, type ClientRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TrackId } from '../../server/db/ids.ts';
import type { tracks } from '../../server/db/schema.ts';
import { createAudioStore } from '../../server/storage/audio-store.ts';
import { createLocalStorage } from '../../server/storage/local.ts';
import { createConversions } from '../../server/streaming/conversions.ts';
import { streamingRoutes } from '../../server/streaming/routes.ts';
import { quiet } from '../support/server.ts';
import { openLibrary, serveRoutes } from './storage-server.ts';

/** Conversions to which nobody listens are given up after this time. */
const IDLE_MS = 300;
export const SAMPLE_RATE = 8_000;

export type ConvertingServer = Awaited<ReturnType<typeof openConvertingServer>>;

export async function openConvertingServer(ffmpeg: string | undefined) {
  const dir = await mkdtemp(join(tmpdir(), 'tonearm-transcoding-'));
  mkdirSync(join(dir, 'music'));
  const library = openLibrary(join(dir, 'tonearm.db'));
  const options = { program: ffmpeg, cacheBytes: 1e9 };
  const conversions = createConversions({
    log: quiet,
    now: () => new Date(),
    cacheDir: join(dir, 'cache'),
    ffmpeg: async () => options.program,
    maxWorking: () => 2,
    cacheBytes: () => options.cacheBytes,
    idleMs: IDLE_MS,
  });
  const audioStore = createAudioStore({
    storage: createLocalStorage({ root: join(dir, 'library') }),
    musicRoots: () => join(dir, 'music'),
  });
  const served = await serveRoutes(
    streamingRoutes({ db: library.db, audioStore, onGone: () => undefined, conversions }),
  );
  const address = (id: number, query: string): string => `${served.url}/stream/${id}?${query}`;

  return {
    dir,
    /** The program and the size of the cache, which may be changed. */
    options,
    conversions,
    address,
    cacheFiles: (): string[] => readdirSync(join(dir, 'cache', 'transcodes')),

    /** Writes a WAV file, 8 kHz mono, of these samples or of silence, whose file is sparse. */
    addFile(
      name: string,
      sound: { samples: Int16Array } | { silentSeconds: number },
      values: Partial<typeof tracks.$inferInsert> = {},
    ): TrackId {
      const data = 'samples' in sound ? sound.samples.byteLength : sound.silentSeconds * SAMPLE_RATE * 2;
      const head = Buffer.alloc(44);
      head.write('RIFF', 0);
      head.writeUInt32LE(36 + data, 4);
      head.write('WAVEfmt ', 8);
      head.writeUInt32LE(16, 16);
      head.writeUInt16LE(1, 20);
      head.writeUInt16LE(1, 22);
      head.writeUInt32LE(SAMPLE_RATE, 24);
      head.writeUInt32LE(SAMPLE_RATE * 2, 28);
      head.writeUInt16LE(2, 32);
      head.writeUInt16LE(16, 34);
      head.write('data', 36);
      head.writeUInt32LE(data, 40);
      const fd = openSync(join(dir, 'music', name), 'w');
      writeSync(fd, head);
      if ('samples' in sound) writeSync(fd, Buffer.from(sound.samples.buffer));
      ftruncateSync(fd, 44 + data);
      closeSync(fd);
      return library.addTrack({
        storageUri: `file:${name}`,
        format: 'wav',
        title: name,
        artistName: 'Band',
        durationMs: Math.round(data / 16),
        bitrateKbps: 128,
        sourceId: name,
        ...values,
      });
    },

    getStream: (id: number, query: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
      fetch(address(id, query), { method, headers: { authorization: 'Bearer good', ...headers } }),

    /** Opens a stream as the same device as `getStream`, reads its headers, and then nothing more. */
    listen: (id: number, query: string, headers: Record<string, string> = {}): Promise<ClientRequest> =>
      new Promise((resolve, reject) => {
        const request = httpGet(
          address(id, query),
          { headers: { authorization: 'Bearer good', 'user-agent': 'node', ...headers }, agent: false },
          (response) => {
            response.pause();
            resolve(request);
          },
        );
        request.on('error', reject);
      }),

    async close(): Promise<void> {
      await conversions.close();
      await served.close();
      library.db.$client.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export const readBytes = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

/** Returns the number of running ffmpeg programs that this process started. */
export const children = (): number => childIds().length;

/** Kills the running ffmpeg programs that this process started. */
export function killChildren(): void {
  for (const pid of childIds()) process.kill(Number(pid), 'SIGKILL');
}

function childIds(): string[] {
  const ownProcesses = readdirSync('/proc/self/task').flatMap((task) =>
    readUnlessEnded(`/proc/self/task/${task}/children`).trim().split(' ').filter(Boolean),
  );
  return ownProcesses.filter(
    (pid) =>
      readUnlessEnded(`/proc/${pid}/comm`).startsWith('ffmpeg') &&
      !/^State:\s+Z/m.test(readUnlessEnded(`/proc/${pid}/status`)),
  );
}

/** Threads and processes may end between listing and reading them. */
function readUnlessEnded(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
