// Finds the audio of a DSDIFF file; tags are in chunks around it.
import { MAX_CHUNKS } from '../limits.ts';
import type { AudioFacts, ByteSource } from '../types.ts';
import { viewOf } from './asf-objects.ts';

/** Size of the file's header: `FRM8`, the size and the form type. */
const FORM_BYTES = 16;
const CHUNK_HEAD_BYTES = 12;
const SOUND = ['DSD ', 'DST '];

export function dffPayload(source: ByteSource): AudioFacts['payload'] {
  for (let position = FORM_BYTES, n = 0; n < MAX_CHUNKS; n++) {
    const head = viewOf(source, position, CHUNK_HEAD_BYTES);
    if (head.length < CHUNK_HEAD_BYTES) return undefined;
    const [start, size] = [position + CHUNK_HEAD_BYTES, Number(head.readBigUInt64BE(4))];
    if (SOUND.includes(head.toString('latin1', 0, 4))) return { start, end: Math.min(source.size, start + size) };
    position = start + size + (size % 2);
  }
  return undefined;
}
