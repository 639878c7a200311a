// Reads a zip by its central directory, as other programs do. Throws if names, sizes or checksums are wrong.
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';

interface Unzipped {
  name: string;
  bytes: Buffer;
  modifiedAt: Date;
}

export async function unzip(zip: Buffer): Promise<Unzipped[]> {
  const file = await fromBufferPromise(zip, { strictFileNames: true });
  const entries: Unzipped[] = [];
  for await (const entry of file.eachEntry()) {
    const bytes = await buffer(await file.openReadStreamPromise(entry));
    if (crc32(bytes) !== entry.crc32) throw new Error(`the checksum of ${entry.fileName} is wrong`);
    entries.push({ name: entry.fileName, bytes, modifiedAt: entry.getLastModDate() });
  }
  return entries;
}
