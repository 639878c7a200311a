// Writes new tags and keeps the audio, like a tag editor.
import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';

const NAMES: Record<string, string> = { TIT2: 'title', TPE1: 'artist', TALB: 'album' };

/** Replaces all tags of a file by these ID3 frames or their equivalents. Needs ffmpeg for formats other than MP3. */
export function retag(file: string, frames: Record<string, string>): void {
  const extension = extname(file).toLowerCase();
  if (extension === '.mp3') return retagMp3(file, frames);
  const retaggedFile = `${file}.new${extension}`;
  const tags = Object.entries(frames).flatMap(([id, text]) => ['-metadata', `${NAMES[id]}=${text}`]);
  const { status, stderr } = spawnSync(
    'ffmpeg',
    [
      '-nostdin',
      '-y',
      '-v',
      'error',
      '-i',
      file,
      '-c',
      'copy',
      '-map_metadata',
      '-1',
      '-write_id3v2',
      '1',
      ...tags,
      retaggedFile,
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`ffmpeg could not tag ${file}: ${stderr}`);
  renameSync(retaggedFile, file);
}

/** Rewrites the file in place with an ID3v2 tag with only these text frames (TIT2, TPE1, TALB, …), in Latin-1 for v2.3. */
export function retagMp3(file: string, frames: Record<string, string>, version: 3 | 4 = 4): void {
  const bytes = readFileSync(file);
  const audio = bytes.subarray(bytes.toString('latin1', 0, 3) === 'ID3' ? 10 + synchsafe(bytes, 6) : 0);
  const body = Buffer.concat(
    Object.entries(frames).map(([id, text]) => {
      const value =
        version === 4
          ? Buffer.concat([Buffer.from([3]), Buffer.from(text, 'utf8')])
          : Buffer.concat([Buffer.from([0]), Buffer.from(text, 'latin1')]);
      return Buffer.concat([
        Buffer.from(id, 'latin1'),
        version === 4 ? toSynchsafe(value.length) : uint32(value.length),
        Buffer.from([0, 0]),
        value,
      ]);
    }),
  );
  writeFileSync(
    file,
    Buffer.concat([Buffer.from([...Buffer.from('ID3'), version, 0, 0]), toSynchsafe(body.length), body, audio]),
  );
}

const synchsafe = (bytes: Buffer, offset: number): number =>
  [0, 1, 2, 3].reduce((sum, i) => (sum << 7) | (bytes[offset + i] as number), 0);
const toSynchsafe = (value: number): Buffer => Buffer.from([21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f));
const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
