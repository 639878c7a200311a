// Reads the file of a form into memory: covers, pictures and playlists. All requests share one memory limit; a stalled
// upload is dropped when others need the memory.
import type { IncomingMessage } from 'node:http';
import { AppError, invalid } from '../errors.ts';
import { readForm } from './multipart.ts';

const FILE_FIELD = 'file';
const MAX_TOTAL_BYTES = 96 << 20;
/** An upload that has sent less than STALL_BYTES within STALL_MS is stalled. */
const STALL_MS = 5_000;
const STALL_BYTES = 64 << 10;

interface FormBuffer {
  parts: Buffer[];
  bytes: number;
  /** The number of bytes when the last STALL_BYTES had arrived, and the time at which they had. */
  progress: { bytes: number; time: number };
  isDropped: boolean;
}

const formBuffers = new Set<FormBuffer>();

const tooManyFiles = (): AppError =>
  new AppError('too_many_requests', 'Too many files are being sent at the same time. Try again in a moment.', {
    retryAfter: 5,
  });

function dropBuffer(buffer: FormBuffer): void {
  formBuffers.delete(buffer);
  buffer.parts = [];
  buffer.isDropped = true;
}

function addChunk(buffer: FormBuffer, chunk: Buffer, now: number): void {
  const total = (): number => [...formBuffers].reduce((sum, { bytes }) => sum + bytes, 0) + chunk.length;
  if (!buffer.isDropped && total() > MAX_TOTAL_BYTES)
    for (const otherBuffer of formBuffers)
      if (otherBuffer !== buffer && now - otherBuffer.progress.time > STALL_MS) dropBuffer(otherBuffer);
  if (buffer.isDropped || total() > MAX_TOTAL_BYTES) throw tooManyFiles();
  buffer.parts.push(chunk);
  buffer.bytes += chunk.length;
  if (buffer.bytes - buffer.progress.bytes >= STALL_BYTES) buffer.progress = { bytes: buffer.bytes, time: now };
}

/**
 * Reads the file of a form. Throws `invalid` without a file in the field `file`, `too_large`, and `too_many_requests`
 * if memory is short.
 */
export async function readFormFile(
  req: IncomingMessage,
  { bytes, tooLarge, missing }: { bytes: number; tooLarge: string; missing: string },
): Promise<{ bytes: Buffer; filename: string }> {
  const buffer: FormBuffer = { parts: [], bytes: 0, progress: { bytes: 0, time: performance.now() }, isDropped: false };
  let name: string | undefined;
  formBuffers.add(buffer);
  try {
    await readForm(req, { files: 1, fileBytes: bytes, tooLarge }, async ({ field, filename, chunks }) => {
      if (field !== FILE_FIELD) return;
      for await (const chunk of chunks) addChunk(buffer, chunk, performance.now());
      name = filename;
    });
    if (name === undefined) throw invalid([{ field: FILE_FIELD, message: missing }]);
    return { bytes: Buffer.concat(buffer.parts), filename: name };
  } finally {
    dropBuffer(buffer);
  }
}
