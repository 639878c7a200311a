import { expect, test } from 'vitest';
import { findMp3Frame } from '../../../server/media/mp3-seek.ts';
import { id3, id3Frame, utf8Text } from '../../support/audio-bytes.ts';
import { seededRandom } from '../../support/test-random.ts';

const SAMPLES = 1_152;
const RATE = 44_100;
/** What decoders and encoders together put before the sound. */
const DELAY = 1_105;
const KBPS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];

/** An MPEG 1 layer III frame of 44.1 kHz and two channels, without sound. */
function frame(bitrate: number): Buffer {
  const bytes = Buffer.alloc(Math.floor((144_000 * KBPS[bitrate]!) / RATE));
  Buffer.from([0xff, 0xfb, bitrate << 4, 0x04]).copy(bytes);
  return bytes;
}

/** The frame in front of the others that tells what they are. */
function infoFrame(): Buffer {
  const bytes = frame(9);
  bytes.write('Xing', 4 + 32, 'latin1');
  return bytes;
}

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const random = seededRandom(11);
const frames = Array.from({ length: 2_000 }, () => frame(1 + Math.floor(random() * 14)));
const tag = id3([id3Frame('TIT2', utf8Text('Tide')), id3Frame('APIC', Buffer.alloc(90_000, 0xff))]);

/** The position of the frame that is heard at a time, by adding up. */
function positionAt(ms: number, front: Buffer[]): number {
  const index = Math.floor(((ms * RATE) / 1_000 + DELAY) / SAMPLES);
  return Buffer.concat([...front, ...frames.slice(0, index)]).length;
}

test.each([
  ['without anything in front', []],
  ['behind a tag with a picture full of bytes that look like frames', [tag]],
  ['behind a tag and a frame with facts', [tag, infoFrame()]],
])('the frame of a time, %s, however the file arrives', async (_, front) => {
  const file = Buffer.concat([...front, ...frames]);
  for (const ms of [0, 1, 13, 1_000, 12_345, 51_000])
    for (const size of [7, 4_096, 65_536])
      expect(await findMp3Frame(chunksOf(file, size), ms), `${ms} ms by ${size}`).toBe(positionAt(ms, front));
});

test('bytes that are no frame are passed over, and do not count', async () => {
  const damaged = Buffer.concat([...frames.slice(0, 500), Buffer.alloc(3_000, 0x55), ...frames.slice(500)]);
  expect(await findMp3Frame(chunksOf(damaged, 4_096), 20_000)).toBe(positionAt(20_000, []) + 3_000);
});

test('what looks like a frame of another kind in front of the first one does not count', async () => {
  const stray = Buffer.alloc(208);
  Buffer.from([0xff, 0xf3, 0x80, 0x04]).copy(stray); // MPEG 2, 64 kbps, 22.05 kHz
  const file = Buffer.concat([stray, ...frames]);
  expect(await findMp3Frame(chunksOf(file, 4_096), 12_345)).toBe(positionAt(12_345, [stray]));
});

test('a time after the end is the last frame that has a successor; what is no MP3 has none', async () => {
  const file = Buffer.concat(frames);
  expect(await findMp3Frame(chunksOf(file, 4_096), 3_600_000)).toBe(Buffer.concat(frames.slice(0, -2)).length);
  expect(await findMp3Frame(chunksOf(Buffer.alloc(100_000, 0x55), 4_096), 1_000)).toBeUndefined();
  expect(await findMp3Frame(chunksOf(Buffer.alloc(3), 4_096), 1_000)).toBeUndefined();
});

test('the file is read no further than to that time', async () => {
  let readBytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of chunksOf(Buffer.concat(frames), 4_096)) {
      readBytes += chunk.length;
      yield chunk;
    }
  }
  const position = await findMp3Frame(counted(), 10_000);
  expect(readBytes).toBeLessThan(position! + 3 * 4_096);
});
