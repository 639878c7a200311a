// The file of a form that is read into memory: covers, pictures and playlists. All of them together have one limit; who
// stalls while others need the memory loses it.
import type { IncomingMessage } from 'node:http';
import { AppError, invalid } from '../errors.ts';
import { readForm } from './multipart.ts';

const FIELD = 'file';
const MAX_TOTAL_BYTES = 96 << 20;
/** Who sends less in STALL_MS than STALL_BYTES stalls. */
const STALL_MS = 5_000;
const STALL_BYTES = 64 << 10;

interface Holder {
  parts: Buffer[];
  bytes: number;
  /** The bytes at the last progress, and its time. */
  progress: { bytes: number; at: number };
  isDropped: boolean;
}

const holders = new Set<Holder>();

const busy = (): AppError =>
  new AppError('too_many_requests', 'Too many files are being sent at the same time. Try again in a moment.', {
    retryAfter: 5,
  });

function drop(holder: Holder): void {
  holders.delete(holder);
  holder.parts = [];
  holder.isDropped = true;
}

function add(holder: Holder, chunk: Buffer, now: number): void {
  const total = (): number => [...holders].reduce((sum, { bytes }) => sum + bytes, 0) + chunk.length;
  if (!holder.isDropped && total() > MAX_TOTAL_BYTES)
    for (const other of holders) if (other !== holder && now - other.progress.at > STALL_MS) drop(other);
  if (holder.isDropped || total() > MAX_TOTAL_BYTES) throw busy();
  holder.parts.push(chunk);
  holder.bytes += chunk.length;
  if (holder.bytes - holder.progress.bytes >= STALL_BYTES) holder.progress = { bytes: holder.bytes, at: now };
}

/** Throws `invalid` without a file in the field `file`, `too_large`, and `too_many_requests` where memory is short. */
export async function readFormFile(
  req: IncomingMessage,
  { bytes, tooLarge, missing }: { bytes: number; tooLarge: string; missing: string },
): Promise<{ bytes: Buffer; filename: string }> {
  const holder: Holder = { parts: [], bytes: 0, progress: { bytes: 0, at: performance.now() }, isDropped: false };
  let name: string | undefined;
  holders.add(holder);
  try {
    await readForm(req, { files: 1, fileBytes: bytes, tooLarge }, async ({ field, filename, chunks }) => {
      if (field !== FIELD) return;
      for await (const chunk of chunks) add(holder, chunk, performance.now());
      name = filename;
    });
    if (name === undefined) throw invalid([{ field: FIELD, message: missing }]);
    return { bytes: Buffer.concat(holder.parts), filename: name };
  } finally {
    drop(holder);
  }
}
