// Writes a new tag in front of an mp3's audio, like a tag editor.
import { readFileSync, writeFileSync } from 'node:fs';

/** Rewrites the file in place with an ID3v2.4 tag with only these text frames (TIT2, TPE1, TALB, …). */
export function retagMp3(file: string, frames: Record<string, string>): void {
  const bytes = readFileSync(file);
  const audio = bytes.subarray(bytes.toString('latin1', 0, 3) === 'ID3' ? 10 + synchsafe(bytes, 6) : 0);
  const body = Buffer.concat(
    Object.entries(frames).map(([id, text]) => {
      const value = Buffer.concat([Buffer.from([3]), Buffer.from(text, 'utf8')]);
      return Buffer.concat([Buffer.from(id, 'latin1'), toSynchsafe(value.length), Buffer.from([0, 0]), value]);
    }),
  );
  writeFileSync(file, Buffer.concat([Buffer.from('ID3\u0004\0\0', 'latin1'), toSynchsafe(body.length), body, audio]));
}

const synchsafe = (bytes: Buffer, at: number): number =>
  [0, 1, 2, 3].reduce((sum, i) => (sum << 7) | (bytes[at + i] as number), 0);
const toSynchsafe = (value: number): Buffer => Buffer.from([21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f));
