// Reads the picture in field `file` of a multipart form into memory.
import type { IncomingMessage } from 'node:http';
import { invalid } from '../errors.ts';
import { readForm } from '../http/multipart.ts';
import { MAX_COVER_BYTES } from './picture.ts';

/** Throws `unsupported_type` (not a form), `bad_request` (malformed), `invalid` (no file), `too_large`. */
export async function readCoverUpload(req: IncomingMessage): Promise<Buffer> {
  let picture: Buffer | undefined;
  await readForm(
    req,
    { files: 1, fileBytes: MAX_COVER_BYTES, tooLarge: 'A cover may be 20 MB at most.' },
    async ({ field, chunks }) => {
      if (field !== 'file') return;
      const parts: Buffer[] = [];
      for await (const chunk of chunks) parts.push(chunk);
      picture = Buffer.concat(parts);
    },
  );
  if (!picture) throw invalid([{ field: 'file', message: 'is required' }]);
  return picture;
}
