import { describe, expect, it } from 'vitest';
import { oggChecksum } from '../../../server/media/ogg-end-page.ts';
import type { ProfileName, TranscodeOrder } from '../../../server/media/transcode.ts';
import { padding, promisedBytes, timeOfByte } from '../../../server/streaming/promised-length.ts';

const MP3: TranscodeOrder = { profile: 'mp3', bitrateKbps: 128, startMs: 10_000 };
const OPUS: TranscodeOrder = { profile: 'opus', bitrateKbps: 96, startMs: 0 };

describe('the promised length', () => {
  it('is the duration times a constant bit rate, and what encoders add', () => {
    expect(promisedBytes(MP3, 70_000)).toBe(963_200);
  });

  it('is above what a variable bit rate needs', () => {
    expect(promisedBytes(OPUS, 60_000)).toBeGreaterThan(60 * 12_000 * 1.09);
  });

  it('is close to the bit rate for AAC without a container, from which players compute the duration', () => {
    const bytes = (bitrateKbps: number) =>
      (promisedBytes({ ...OPUS, profile: 'aac', bitrateKbps }, 60_000) as number) / 60;
    expect(bytes(128) / 16_000).toBeLessThan(1.06);
    expect(bytes(256) / 32_000).toBeGreaterThan(1.1);
  });

  it('is not known for lossless formats, unknown durations and unusual sample rates of Vorbis', () => {
    expect(promisedBytes({ ...MP3, profile: 'flac', bitrateKbps: 0 }, 70_000)).toBeUndefined();
    expect(promisedBytes(MP3, null)).toBeUndefined();
    expect(promisedBytes({ ...OPUS, profile: 'ogg', sampleRateHz: 22_050 }, 70_000)).toBeUndefined();
    expect(promisedBytes({ ...OPUS, profile: 'ogg', sampleRateHz: 48_000 }, 70_000)).toBeDefined();
  });

  it('tells the time of a byte, unless only padding is there', () => {
    expect(timeOfByte(MP3, 70_000, 963_200, 160_000)).toBe(10_000);
    expect(timeOfByte(MP3, 70_000, 963_200, 963_000)).toBeUndefined();
    const size = promisedBytes(OPUS, 60_000) as number;
    expect(timeOfByte(OPUS, 60_000, size, size / 2)).toBe(30_000);
  });
});

describe('the padding', () => {
  const bytesOf = (profile: ProfileName, size: number, start: number, end: number, audioEnd?: Buffer): Buffer =>
    Buffer.concat([...padding(profile, size, { start, end, audioEnd })]);
  const PARTS = [
    [0, 3],
    [3, 6],
    [5, 20],
    [8, 9],
    [40_000, 50_000],
    [49_980, 49_990],
  ] as const;

  it('is zeros of the wanted size', () => {
    expect(bytesOf('mp3', 100_000, 0, 100_000)).toEqual(Buffer.alloc(100_000));
    expect(bytesOf('aac', 100, 40, 60)).toEqual(Buffer.alloc(20));
    expect(bytesOf('opus', 100, 40, 60)).toEqual(Buffer.alloc(20));
  });

  it('is a free box in MP4, whole and in parts', () => {
    const whole = bytesOf('m4a', 50_000, 0, 50_000);
    expect([whole.readUInt32BE(0), whole.toString('latin1', 4, 8), whole.length]).toEqual([50_000, 'free', 50_000]);
    for (const [start, end] of PARTS) expect(bytesOf('m4a', 50_000, start, end)).toEqual(whole.subarray(start, end));
    expect(bytesOf('m4a', 4, 0, 4)).toEqual(Buffer.alloc(4));
  });

  it('ends with a page in Ogg that says where the audio ends, whole and in parts', () => {
    const lastPage = Buffer.concat([Buffer.from('OggS\0\0'), Buffer.alloc(21), Buffer.from('sound')]);
    lastPage.writeBigInt64LE(2_880_312n, 6);
    lastPage.writeUInt32LE(7, 14);
    lastPage.writeUInt32LE(61, 18);
    const whole = bytesOf('opus', 50_000, 0, 50_000, lastPage);
    expect(whole.length).toBe(50_000);
    const page = whole.subarray(-27);
    expect([
      page.toString('latin1', 0, 4),
      page.readBigInt64LE(6),
      page.readUInt32LE(14),
      page.readUInt32LE(18),
    ]).toEqual(['OggS', 2_880_312n, 7, 62]);
    const withoutChecksum = Buffer.from(page);
    withoutChecksum.writeUInt32LE(0, 22);
    expect(page.readUInt32LE(22)).toBe(oggChecksum(withoutChecksum));
    for (const [start, end] of PARTS)
      expect(bytesOf('opus', 50_000, start, end, lastPage)).toEqual(whole.subarray(start, end));
    expect(bytesOf('opus', 20, 0, 20, lastPage)).toEqual(Buffer.alloc(20));
  });
});
