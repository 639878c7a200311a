// Reads the picture in an audio file in a thread of its own, which is replaced when a file makes it hang or run out of
// memory. Of a file in an object store only the parts are fetched that the tags are in.
import { addAbortSignal, type Readable } from 'node:stream';
import { createWorkerThread, ThreadError } from '../runtime/worker-thread.ts';
import type { ByteRange } from '../storage/storage.ts';
import type { FilePart, PictureAnswer, PictureQuestion } from './cover-worker.ts';
import { PictureNotRead, UnusablePicture } from './picture.ts';

const READ_LIMIT_MS = 10_000;
const FETCH_LIMIT_MS = 60_000;
/** Most files need one or two. */
const MAX_PARTS = 64;

/** A file on this machine, or one whose ranges can be fetched. */
type AudioBytes =
  | { path: string | Buffer }
  | { size: number; open: (range: ByteRange) => Promise<{ stream: Readable }> };

export type EmbeddedPictures = ReturnType<typeof createEmbeddedPictures>;

export function createEmbeddedPictures({ workerUrl }: { workerUrl: URL }) {
  const thread = createWorkerThread<PictureQuestion, PictureAnswer>({ url: workerUrl });

  async function ask(question: PictureQuestion): Promise<PictureAnswer> {
    try {
      return await thread.ask(question, { limitMs: READ_LIMIT_MS });
    } catch (error) {
      if (!(error instanceof ThreadError)) throw error;
      if (error.kind === 'failed') throw new UnusablePicture(error.message);
      throw new PictureNotRead(
        error.kind === 'slow'
          ? `reading it took longer than ${READ_LIMIT_MS / 1000} s`
          : `reading it failed: ${error.message}`,
      );
    }
  }

  return {
    /**
     * The cover picture in an audio file, or with `skip` a further one; files are read one after another. Throws
     * UnusablePicture when the file cannot be read, PictureNotRead when that was cut off, and errors of `open`.
     */
    async read(audio: AudioBytes, skip = 0): Promise<Buffer | undefined> {
      const signal = AbortSignal.timeout(FETCH_LIMIT_MS);
      const parts: FilePart[] = [];
      while (parts.length <= MAX_PARTS) {
        const file = 'path' in audio ? { path: audio.path } : { size: audio.size, parts };
        const answer = await ask({ ...file, skip });
        if ('picture' in answer) return answer.picture ? Buffer.from(answer.picture.buffer) : undefined;
        if ('path' in audio) break;
        const { stream } = await audio.open(answer.missing);
        parts.push({ range: answer.missing, bytes: await bytesOf(stream, answer.missing, signal) });
      }
      throw new PictureNotRead('its parts are too many');
    },
    close: thread.close,
  };
}

/** At most as many as are wanted, whatever the store sends. */
async function bytesOf(stream: Readable, { start, end }: ByteRange, signal: AbortSignal): Promise<Uint8Array> {
  const bytes = Buffer.alloc(end + 1 - start);
  let length = 0;
  try {
    for await (const chunk of addAbortSignal(signal, stream) as AsyncIterable<Buffer>) {
      length += chunk.copy(bytes, length);
      if (length === bytes.length) break;
    }
  } catch (error) {
    if (signal.aborted) throw new PictureNotRead(`fetching it took longer than ${FETCH_LIMIT_MS / 1000} s`);
    throw error;
  }
  return bytes.subarray(0, length);
}
