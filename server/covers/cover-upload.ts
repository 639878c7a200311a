// Reads the one picture of a multipart form (field `file`). A cover is small enough to be held in memory.
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { AppError, badRequest, invalid } from '../errors.ts';
import { MAX_COVER_BYTES } from './picture.ts';

/** Throws `unsupported_type` (not a form), `bad_request` (malformed), `invalid` (no file), `too_large`. */
export async function readCoverUpload(req: IncomingMessage): Promise<Buffer> {
  if (!/^multipart\/form-data\s*;/i.test(req.headers['content-type'] ?? '')) {
    throw new AppError('unsupported_type', 'Send the picture as a form (multipart/form-data) in the field file.');
  }
  const form = openForm(req.headers as BusboyHeaders);
  const file = new Promise<Buffer | undefined>((resolve, reject) => {
    let picture: Buffer | undefined;
    form.on('file', (field, stream) => {
      const chunks: Buffer[] = [];
      if (field !== 'file' || picture) return void stream.resume();
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('limit', () => reject(new AppError('too_large', 'A cover may have 20 MB at most.')));
      stream.on('end', () => { picture = Buffer.concat(chunks); });
    });
    form.on('finish', () => resolve(picture));
    form.on('error', () => reject(badRequest('The form is malformed.')));
    req.on('close', () => { if (!req.complete) reject(badRequest('The form ended too early.')); });
  });
  req.pipe(form);
  try {
    const picture = await file;
    if (!picture) throw invalid([{ field: 'file', message: 'a picture is needed' }]);
    return picture;
  } finally {
    req.unpipe(form);
    req.resume(); // the rest has to be taken before the answer can be read
  }
}

function openForm(headers: BusboyHeaders): InstanceType<typeof Busboy> {
  try {
    return new Busboy({ headers, limits: { fileSize: MAX_COVER_BYTES, files: 1, fields: 10, fieldSize: 10_000 } });
  } catch {
    throw badRequest('The form is malformed.'); // no boundary
  }
}
