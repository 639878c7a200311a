import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { findMp3Frame, seekInMp3 } from '../../../server/media/mp3-seek.ts';
import { id3, id3Frame, utf8Text } from '../../support/audio-bytes.ts';
import { seededRandom } from '../../support/test-random.ts';

const FRAME_SAMPLES = 1_152;
const RATE_HZ = 44_100;
/** Number of samples that encoder and decoder together add before the sound. */
const DELAY_SAMPLES = 1_105;
const BITRATES_KBPS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];

/** Returns a silent MPEG 1 layer III frame of 44.1 kHz and two channels. */
function frame(bitrate: number): Buffer {
  const bytes = Buffer.alloc(Math.floor((144_000 * BITRATES_KBPS[bitrate]!) / RATE_HZ));
  Buffer.from([0xff, 0xfb, bitrate << 4, 0x04]).copy(bytes);
  return bytes;
}

/** Returns the Xing frame, which precedes the audio frames and describes them. */
function infoFrame(): Buffer {
  const bytes = frame(9);
  bytes.write('Xing', 4 + 32, 'latin1');
  return bytes;
}

async function* splitIntoChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size);
}

const random = seededRandom(11);
const frames = Array.from({ length: 2_000 }, () => frame(1 + Math.floor(random() * 14)));
const tag = id3([id3Frame('TIT2', utf8Text('Tide')), id3Frame('APIC', Buffer.alloc(90_000, 0xff))]);

/** Returns the position of the frame that is heard at a time, by adding up the lengths of frames. */
function positionAt(ms: number, front: Buffer[]): number {
  const index = Math.floor(((ms * RATE_HZ) / 1_000 + DELAY_SAMPLES) / FRAME_SAMPLES);
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
      expect(await findMp3Frame(splitIntoChunks(file, size), ms), `${ms} ms by ${size}`).toBe(positionAt(ms, front));
});

test('bytes that are no frame are passed over, and do not count', async () => {
  const damagedFile = Buffer.concat([...frames.slice(0, 500), Buffer.alloc(3_000, 0x55), ...frames.slice(500)]);
  expect(await findMp3Frame(splitIntoChunks(damagedFile, 4_096), 20_000)).toBe(positionAt(20_000, []) + 3_000);
});

test('what looks like a frame of another kind in front of the first one does not count', async () => {
  const otherFrame = Buffer.alloc(208);
  Buffer.from([0xff, 0xf3, 0x80, 0x04]).copy(otherFrame); // a header of MPEG 2, 64 kbps, 22.05 kHz
  const file = Buffer.concat([otherFrame, ...frames]);
  expect(await findMp3Frame(splitIntoChunks(file, 4_096), 12_345)).toBe(positionAt(12_345, [otherFrame]));
});

test('a time after the end is the last frame that has a successor; what is no MP3 has none', async () => {
  const file = Buffer.concat(frames);
  expect(await findMp3Frame(splitIntoChunks(file, 4_096), 3_600_000)).toBe(Buffer.concat(frames.slice(0, -2)).length);
  expect(await findMp3Frame(splitIntoChunks(Buffer.alloc(100_000, 0x55), 4_096), 1_000)).toBeUndefined();
  expect(await findMp3Frame(splitIntoChunks(Buffer.alloc(3), 4_096), 1_000)).toBeUndefined();
});

test('the file is read no further than the requested time', async () => {
  let readBytes = 0;
  async function* generateCounted(): AsyncGenerator<Buffer> {
    for await (const chunk of splitIntoChunks(Buffer.concat(frames), 4_096)) {
      readBytes += chunk.length;
      yield chunk;
    }
  }
  const position = await findMp3Frame(generateCounted(), 10_000);
  expect(readBytes).toBeLessThan(position! + 3 * 4_096);
});

/** Returns frames of one bit rate, with the padding that keeps their average size. */
function constantFrames(count: number): Buffer[] {
  const exactBytes = (144_000 * 128) / RATE_HZ;
  return Array.from({ length: count }, (_, n) => {
    const bytes = Buffer.alloc(Math.floor((n + 1) * exactBytes) - Math.floor(n * exactBytes));
    Buffer.from([0xff, 0xfb, (9 << 4) | (bytes.length > Math.floor(exactBytes) ? 2 : 0), 0x04]).copy(bytes);
    return bytes;
  });
}

/** Returns the first frame, which names the number of frames after it and the bytes of all. */
function factsOf(count: number, audioBytes: number): Buffer {
  const bytes = infoFrame();
  bytes.writeUInt32BE(3, 4 + 32 + 4);
  bytes.writeUInt32BE(count, 4 + 32 + 8);
  bytes.writeUInt32BE(audioBytes + bytes.length, 4 + 32 + 12);
  return bytes;
}

function openable(file: Buffer) {
  let readBytes = 0;
  return {
    readBytes: () => readBytes,
    async open({ start, end }: { start: number; end: number } = { start: 0, end: file.length - 1 }) {
      const part = file.subarray(start, end + 1);
      readBytes += part.length;
      return { size: file.length, stream: Readable.from([part]) };
    },
  };
}

test('in a file of one bit rate the same frame is found, and little of the file is read', async () => {
  const audio = constantFrames(40_000);
  const audioBytes = Buffer.concat(audio).length;
  const file = Buffer.concat([tag, factsOf(audio.length, audioBytes), ...audio]);
  for (const ms of [0, 1, 26, 1_000, 12_345, 600_000, 1_000_007]) {
    const source = openable(file);
    expect(await seekInMp3(source, ms), `${ms} ms`).toBe(await findMp3Frame(splitIntoChunks(file, 65_536), ms));
    expect(source.readBytes()).toBeLessThan(100_000);
  }
});

test.each([
  ['whose frames have other sizes than its facts say', frames, frames.length, 1_000_000],
  [
    'with bytes in between that are no frame',
    [...constantFrames(900), Buffer.alloc(250), ...constantFrames(900)],
    1_800,
    0,
  ],
  ['that ends before its facts say', constantFrames(2_000), 90_000, 90_000 * 417],
])('a file %s is read frame by frame', async (_, parts, count, claimedBytes) => {
  const audio = Buffer.concat(parts);
  const file = Buffer.concat([factsOf(count, claimedBytes || audio.length), audio]);
  for (const ms of [0, 5_000, 30_000, 45_000, 2_000_000])
    expect(await seekInMp3(openable(file), ms), `${ms} ms`).toBe(await findMp3Frame(splitIntoChunks(file, 65_536), ms));
});
