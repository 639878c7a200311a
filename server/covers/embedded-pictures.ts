// Reads the picture in an audio file in a separate thread, which is replaced when a file makes it hang or run out of
// memory. Of a file in an object store only the parts with the tags are fetched.
import { addAbortSignal, type Readable } from 'node:stream';
import { createWorkerThread, ThreadError } from '../runtime/worker-thread.ts';
import type { ByteRange } from '../storage/storage.ts';
import type { FilePart, PictureAnswer, PictureQuestion } from './cover-worker.ts';
import { PictureNotRead, UnusablePicture } from './picture.ts';

const MAX_READ_MS = 10_000;
const MAX_FETCH_MS = 60_000;
/** Maximum number of parts of a file; most files need one or two. */
const MAX_PARTS = 64;

/** A file on this machine, or a file whose ranges can be fetched. */
type AudioBytes =
  | { path: string | Buffer }
  | { size: number; open: (range: ByteRange) => Promise<{ stream: Readable }> };

export type EmbeddedPictures = ReturnType<typeof createEmbeddedPictures>;

export function createEmbeddedPictures({ workerUrl }: { workerUrl: URL }) {
  const thread = createWorkerThread<PictureQuestion, PictureAnswer>({ url: workerUrl });

  async function askThread(question: PictureQuestion): Promise<PictureAnswer> {
    try {
      return await thread.ask(question, { limitMs: MAX_READ_MS });
    } catch (error) {
      if (!(error instanceof ThreadError)) throw error;
      if (error.kind === 'failed') throw new UnusablePicture(error.message);
      throw new PictureNotRead(
        error.kind === 'slow'
          ? `reading it took longer than ${MAX_READ_MS / 1000} s`
          : `reading it failed: ${error.message}`,
      );
    }
  }

  return {
    /**
     * Returns the cover picture in an audio file, or with `skip` a further picture. Files are read one after another.
     * Throws UnusablePicture when the file cannot be read, PictureNotRead when reading was cut off, and errors of
     * `open`.
     */
    async read(audio: AudioBytes, skip = 0): Promise<Buffer | undefined> {
      const signal = AbortSignal.timeout(MAX_FETCH_MS);
      const parts: FilePart[] = [];
      while (parts.length <= MAX_PARTS) {
        const file = 'path' in audio ? { path: audio.path } : { size: audio.size, parts };
        const answer = await askThread({ ...file, skip });
        if ('picture' in answer) return answer.picture ? Buffer.from(answer.picture.buffer) : undefined;
        if ('path' in audio) break;
        const { stream } = await audio.open(answer.missingRange);
        parts.push({ range: answer.missingRange, bytes: await readRange(stream, answer.missingRange, signal) });
      }
      throw new PictureNotRead('it needs too many parts');
    },
    close: thread.close,
  };
}

/** Reads a range of a file, and no more bytes than the range has, whatever the store sends. */
async function readRange(stream: Readable, { start, end }: ByteRange, signal: AbortSignal): Promise<Uint8Array> {
  const bytes = Buffer.alloc(end + 1 - start);
  let length = 0;
  try {
    for await (const chunk of addAbortSignal(signal, stream) as AsyncIterable<Buffer>) {
      length += chunk.copy(bytes, length);
      if (length === bytes.length) break;
    }
  } catch (error) {
    if (signal.aborted) throw new PictureNotRead(`fetching it took longer than ${MAX_FETCH_MS / 1000} s`);
    throw error;
  }
  return bytes.subarray(0, length);
}
