// The thread that extracts the picture from an audio file, because readers are synchronous and files may be malicious.
import { parentPort } from 'node:worker_threads';
import { END } from '../runtime/stop-worker.ts';
import { messageOf } from '../errors.ts';
import { openByteSource } from '../media/byte-source.ts';
import { readCover } from '../media/read.ts';
import type { ByteSource } from '../media/types.ts';
import type { ByteRange } from '../storage/storage.ts';
import { remoteByteSource, type RemoteFile } from './remote-bytes.ts';

/** With `skip`, not the cover but a further picture. */
export type PictureRequest = { skip: number } & ({ path: string | Uint8Array } | { remote: RemoteFile });
export type PictureResponse =
  | { ok: true; bytes: Uint8Array<ArrayBuffer> | null }
  | { ok: false; reason: string }
  | { wanted: ByteRange };

const port = parentPort;
if (!port) throw new Error('cover-worker runs as a worker thread');

port.on('message', (request: PictureRequest | typeof END) => {
  if (request === END) port.close();
  else void respond(request);
});

async function respond(request: PictureRequest): Promise<void> {
  try {
    const bytes = await ('path' in request
      ? pictureInFile(request.path, request.skip)
      : pictureIn(
          remoteByteSource(request.remote, (wanted) => port?.postMessage({ wanted } satisfies PictureResponse)),
          request.skip,
        ));
    port?.postMessage({ ok: true, bytes } satisfies PictureResponse, bytes ? [bytes.buffer] : []);
  } catch (error) {
    port?.postMessage({ ok: false, reason: messageOf(error) } satisfies PictureResponse);
  }
}

async function pictureInFile(path: string | Uint8Array, skip: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const source = openByteSource(typeof path === 'string' ? path : Buffer.from(path));
  try {
    return await pictureIn(source, skip);
  } finally {
    source.close();
  }
}

async function pictureIn(source: ByteSource, skip: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const picture = await readCover(source, skip);
  // a copy, because small Buffers share memory that must not be transferred
  return picture ? Uint8Array.from(picture.bytes) : null;
}
