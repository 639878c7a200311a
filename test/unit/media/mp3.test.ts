import { describe, expect, it } from 'vitest';
import { bufferSource } from '../../../server/media/byte-source.ts';
import { readAudio, readAudioSync } from '../../../server/media/read.ts';
import type { AudioRead } from '../../../server/media/types.ts';
import {
  ascii,
  id3,
  id3Frame,
  SILENT_FRAME_BYTES,
  silentMp3,
  u16,
  u32,
  u32le,
  utf8Text,
} from '../../support/audio-bytes.ts';

const readFile = (...parts: Buffer[]): AudioRead => {
  const result = readAudioSync(bufferSource(Buffer.concat(parts)));
  if (!result) throw new Error('not read');
  return result;
};
const ms = (frames: number, samples = 0): number => Math.round(((frames * 1152 - samples) * 1000) / 44100);

/** Returns a Xing frame that declares this number of frames after itself. */
function xing(frames: number, bytes: number, delay = 0, padding = 0): Buffer {
  const frame = silentMp3(1);
  frame.write('Xing', 36, 'latin1');
  frame.set(Buffer.concat([u32(3), u32(frames), u32(bytes)]), 40);
  frame.write('LAME3.100', 36 + 120, 'latin1');
  frame.writeUIntBE((delay << 12) | padding, 36 + 141, 3);
  return frame;
}
/** Returns frames of 32 kbit/s, which encode silence in a file of variable bit rate. */
const makeQuietFrames = (count: number): Buffer => {
  const frames = Buffer.alloc(104 * count);
  for (let i = 0; i < count; i++) frames.set([0xff, 0xfb, 0x10, 0x04], i * 104);
  return frames;
};
const id3v1 = (title: string): Buffer => {
  const tag = Buffer.alloc(128);
  tag.write(`TAG${title}`, 'latin1');
  tag[126] = 7;
  tag[127] = 17;
  return tag;
};
function ape(...items: [string, string][]): Buffer {
  const body = Buffer.concat(
    items.map(([key, value]) =>
      Buffer.concat([u32le(Buffer.byteLength(value)), u32le(0), ascii(`${key}\0`), Buffer.from(value)]),
    ),
  );
  const end = (flags: number): Buffer =>
    Buffer.concat([
      ascii('APETAGEX'),
      u32le(2000),
      u32le(body.length + 32),
      u32le(items.length),
      u32le(flags),
      Buffer.alloc(8),
    ]);
  return Buffer.concat([end(0xa0000000), body, end(0x80000000)]);
}

describe('the duration', () => {
  it('counts frames if their number is not declared', () => {
    expect(readFile(silentMp3(100)).facts).toMatchObject({
      durationMs: ms(100),
      bitrateKbps: 128,
      sampleRateHz: 44100,
      channels: 2,
      codec: 'mp3',
      payload: { start: 0, end: 41_700 },
    });
  });

  it('is right despite a quiet start', () => {
    expect(readFile(makeQuietFrames(50), silentMp3(400)).facts).toMatchObject({
      durationMs: ms(450),
      bitrateKbps: 117,
    });
  });

  it("believes a Xing frame that fits the file, and leaves it and the encoder's samples out", () => {
    const audio = silentMp3(100);
    const { facts } = readFile(xing(100, audio.length + SILENT_FRAME_BYTES, 576, 1206), audio);
    expect(facts).toMatchObject({
      durationMs: ms(100, 1782),
      encoderDelay: 576,
      encoderPadding: 1206,
      payload: { start: SILENT_FRAME_BYTES, end: 101 * SILENT_FRAME_BYTES },
    });
  });

  it('counts frames when the file was truncated', () => {
    expect(
      readFile(xing(100, 101 * SILENT_FRAME_BYTES), silentMp3(60), silentMp3(1).subarray(0, 200)).facts.durationMs,
    ).toBe(ms(60));
  });

  it('reads VBRI', () => {
    const frame = silentMp3(1);
    frame.write('VBRI', 36, 'latin1');
    frame.set(Buffer.concat([u16(1), u16(0), u16(75), u32(101 * SILENT_FRAME_BYTES), u32(100)]), 40);
    expect(readFile(frame, silentMp3(100)).facts.durationMs).toBe(ms(100));
  });

  it('skips garbage before, between and after frames', () => {
    const noise = Buffer.alloc(3000, 0x55);
    expect(readFile(noise, silentMp3(20), noise, silentMp3(30), noise).facts.durationMs).toBe(ms(50));
  });

  it('reads a file of one frame, and rejects one without', () => {
    expect(readFile(silentMp3(1)).facts.durationMs).toBe(26);
    expect(() => readFile(Buffer.alloc(5000))).toThrow('there is no audio frame in the first megabyte');
    expect(() => readFile(id3([id3Frame('TIT2', utf8Text('x'))]))).toThrow('no audio frame');
  });

  it('counts ADTS frames', async () => {
    const frame = Buffer.alloc(200);
    frame.set([0xff, 0xf1, 0x50, 0x80, 0x19, 0x1f, 0xfc]);
    const result = await readAudio(
      bufferSource(Buffer.concat([id3([id3Frame('TIT2', utf8Text('T'))]), Buffer.alloc(200 * 43, frame)])),
    );
    expect(result).toMatchObject({
      facts: { format: 'aac', codec: 'aac', durationMs: 998, sampleRateHz: 44100, channels: 2 },
      tags: { title: 'T' },
      reader: 'own',
    });
  });
});

describe('tags after the audio', () => {
  it('fills gaps from APEv2 and ID3v1, in this order, and keeps them out of the audio', () => {
    const tag = id3([id3Frame('TALB', utf8Text('Album'))]);
    const { tags, facts } = readFile(
      tag,
      silentMp3(50),
      ape(['Title', 'From APE'], ['Artist', 'A\0B'], ['Album', 'Other']),
      id3v1('From ID3v1'),
    );
    expect(tags).toMatchObject({
      title: 'From APE',
      artists: ['A', 'B'],
      album: 'Album',
      trackNumber: 7,
      genres: ['Rock'],
    });
    expect(facts.payload).toEqual({ start: tag.length, end: tag.length + silentMp3(50).length });
  });

  it('reads only ID3v1', () => {
    expect(readFile(silentMp3(50), id3v1('Old')).tags).toMatchObject({
      title: 'Old',
      trackNumber: 7,
      genres: ['Rock'],
    });
  });

  it('skips Lyrics3 and reads an appended ID3v2', () => {
    const lyrics = Buffer.concat([ascii('LYRICSBEGIN'), ascii('IND00002'), ascii('00')]);
    const frame = id3Frame('TIT2', utf8Text('Appended'));
    const tag = id3([frame], 4, 0x10);
    const footer = Buffer.from(tag.subarray(0, 10));
    footer.write('3DI', 'latin1');
    const { tags, facts } = readFile(
      silentMp3(50),
      tag,
      footer,
      lyrics,
      ascii(`${String(lyrics.length).padStart(6, '0')}LYRICS200`),
      id3v1('Old'),
    );
    expect(tags.title).toBe('Appended');
    expect(facts.payload?.end).toBe(silentMp3(50).length);
  });
});
