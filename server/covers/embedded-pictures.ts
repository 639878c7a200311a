// Runs cover-worker.ts: started when a picture is needed, stopped when idle, and restarted when a file makes it hang or
// run out of memory.
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { stopWorker } from '../runtime/stop-worker.ts';
import type { ByteRange } from '../storage/storage.ts';
import type { PictureRequest, PictureResponse } from './cover-worker.ts';
import { PictureNotRead, UnusablePicture } from './picture.ts';
import { shareFile, supplyRange } from './remote-bytes.ts';

const READ_LIMIT_MS = 10_000;
const REMOTE_READ_LIMIT_MS = 60_000;
const IDLE_MS = 10_000;
const HEAP_LIMIT_MB = 256;

/** A file on this machine, or one whose ranges can be fetched. */
type AudioBytes =
  | { path: string | Buffer }
  | { size: number; open: (range: ByteRange) => Promise<{ stream: Readable }> };

export type EmbeddedPictures = ReturnType<typeof createEmbeddedPictures>;

export function createEmbeddedPictures({ workerUrl }: { workerUrl: URL }) {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  function ask(audio: AudioBytes, skip: number): Promise<Buffer | undefined> {
    const request: PictureRequest =
      'path' in audio ? { path: audio.path, skip } : { remote: shareFile(audio.size), skip };
    const limitMs = 'path' in audio ? READ_LIMIT_MS : REMOTE_READ_LIMIT_MS;
    let fetchError: Error | undefined; // of supplyRange
    const thread = (worker ??= new Worker(workerUrl, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB, maxYoungGenerationSizeMb: 8 },
    }));
    thread.ref();
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => fail(`reading it took longer than ${limitMs / 1000} s`), limitMs);
      const settle = (): void => {
        clearTimeout(limit);
        thread.off('message', onMessage).off('error', onError).off('exit', onExit).unref();
      };
      const fail = (reason: string): void => {
        settle();
        if (worker === thread) worker = undefined;
        void stopWorker(thread, 0); // it hangs, or has ended
        reject(new PictureNotRead(reason));
      };
      const supply = (range: ByteRange): void => {
        if ('path' in request || 'path' in audio) return;
        supplyRange(request.remote, range, audio.open).catch((error: Error) => {
          fetchError = error;
        });
      };
      const onMessage = (response: PictureResponse): void => {
        if ('wanted' in response) return supply(response.wanted);
        settle();
        if (fetchError !== undefined) reject(fetchError);
        else if (response.ok) resolve(response.bytes ? Buffer.from(response.bytes.buffer) : undefined);
        else reject(new UnusablePicture(response.reason));
      };
      const onError = (error: Error): void => fail(`reading it failed: ${error.message}`);
      const onExit = (): void => fail('reading it was stopped');
      thread.on('message', onMessage).on('error', onError).on('exit', onExit);
      thread.postMessage(request);
    });
  }

  async function stop(): Promise<void> {
    clearTimeout(idle);
    const thread = worker;
    worker = undefined;
    if (thread) await stopWorker(thread);
  }

  return {
    /**
     * The cover picture in an audio file, or with `skip` a further one; files are read one after another. Throws
     * UnusablePicture when the file cannot be read, PictureNotRead when that was cut off, and errors of `open`.
     */
    read(audio: AudioBytes, skip = 0): Promise<Buffer | undefined> {
      clearTimeout(idle);
      waiting++;
      const result = last.then(() => ask(audio, skip));
      last = result
        .catch(() => undefined)
        .then(() => {
          if (--waiting === 0) idle = setTimeout(() => void stop(), IDLE_MS).unref();
        });
      return result;
    },
    close: stop,
  };
}
