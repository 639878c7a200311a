// The thread that takes the picture out of an audio file: its readers are synchronous and the file may be hostile.
import { parentPort } from 'node:worker_threads';
import { messageOf } from '../errors.ts';
import { openByteSource } from '../media/byte-source.ts';
import { readAudio, readPicture } from '../media/read.ts';

export interface PictureRequest { path: string | Uint8Array }
export type PictureResponse = { ok: true; bytes: Uint8Array<ArrayBuffer> | null } | { ok: false; reason: string };

const port = parentPort;
if (!port) throw new Error('cover-worker runs as a worker thread');

port.on('message', (request: PictureRequest) => {
  void respond(request);
});

async function respond({ path }: PictureRequest): Promise<void> {
  try {
    const bytes = await pictureIn(typeof path === 'string' ? path : Buffer.from(path));
    port?.postMessage({ ok: true, bytes } satisfies PictureResponse, bytes ? [bytes.buffer] : []);
  } catch (error) {
    port?.postMessage({ ok: false, reason: messageOf(error) } satisfies PictureResponse);
  }
}

async function pictureIn(path: string | Buffer): Promise<Uint8Array<ArrayBuffer> | null> {
  const source = openByteSource(path);
  try {
    const picture = readPicture(source, (await readAudio(source)).pictures);
    return picture ? Uint8Array.from(picture.bytes) : null; // a copy of its own: small Buffers share memory that must not be given away
  } finally {
    source.close();
  }
}
