// Tests FLAC, Ogg, MP4, WAV and AIFF files with unusual structures.
import { describe, expect, it } from 'vitest';
import { bufferSource } from '../../../server/media/byte-source.ts';
import { readAudio, readAudioSync, readPicture } from '../../../server/media/read.ts';
import type { AudioRead } from '../../../server/media/types.ts';
import {
  ascii,
  atom,
  chunkBe,
  chunkLe,
  flac,
  id3,
  id3Frame,
  oggPage,
  opusHead,
  opusTags,
  u16,
  u16le,
  u32,
  u32le,
  u64le,
  utf8Text,
  vorbisComment,
} from '../../support/audio-bytes.ts';

const readFile = (...parts: Buffer[]): AudioRead => {
  const result = readAudioSync(bufferSource(Buffer.concat(parts)));
  if (!result) throw new Error('not read');
  return result;
};
const PNG = Buffer.concat([Buffer.from([0x89]), ascii('PNG\r\n\x1a\n'), Buffer.alloc(60, 7)]);
const pictureBlock = (data: Buffer): Buffer =>
  Buffer.concat([u32(3), u32(9), ascii('image/jpg'), u32(0), Buffer.alloc(16), u32(data.length), data]);
/** Returns a frame of 4096 samples with its header. */
function flacFrame(number: number): Buffer {
  const frame = Buffer.from([0xff, 0xf8, 0xc9, 0x18, number, 0]);
  let crc = 0;
  for (const byte of frame.subarray(0, 5))
    for (let bit = 7; bit >= 0; bit--) crc = ((crc << 1) ^ (((crc >> 7) ^ (byte >> bit)) & 1 ? 0x07 : 0)) & 0xff;
  frame[5] = crc;
  return frame;
}
const title = id3([id3Frame('TIT2', utf8Text('From ID3'))]);

describe('flac', () => {
  it('tolerates an ID3 tag in front, which only fills gaps', () => {
    const { facts, tags } = readFile(title, flac([4, vorbisComment('ARTIST=A')]));
    expect(facts).toMatchObject({ format: 'flac', durationMs: 1000, bitDepth: 16, lossless: true });
    expect(tags).toMatchObject({ title: 'From ID3', artists: ['A'] });
  });

  it('locates a picture, with the type of its bytes instead of the declared one', () => {
    const file = flac([6, pictureBlock(PNG)]);
    const { pictures } = readFile(file);
    expect(pictures).toMatchObject([{ mime: 'image/png', kind: 3, length: PNG.length }]);
    expect(readPicture(bufferSource(file), pictures)?.bytes).toEqual(PNG);
  });

  it('finds the length at the end if the header does not have it', () => {
    const file = flac();
    file.writeUInt32BE(0, 8 + 14);
    expect(readFile(file, flacFrame(10), Buffer.alloc(4000, 1)).facts.durationMs).toBe(
      Math.round((11 * 4096 * 1000) / 44100),
    );
  });

  it('finds the first frame after metadata with a wrong length, and nothing if there is none', () => {
    const comment = vorbisComment('TITLE=T', 'ARTIST=Somebody');
    const file = flac([4, comment]);
    const offset = file.indexOf(comment);
    file.writeUIntBE(comment.length - 8, offset - 3, 3);
    const { facts, tags } = readFile(file.subarray(0, offset + comment.length), flacFrame(0), Buffer.alloc(40_000, 1));
    expect(facts).toMatchObject({ durationMs: 1000, payload: { start: offset + comment.length } });
    expect(tags).toMatchObject({ title: 'T' });
    expect(() => readFile(file.subarray(0, offset + comment.length), Buffer.alloc(40_000, 1))).toThrow(
      'there is no FLAC frame after the tags',
    );
  });

  it('reads what is left of damaged comments', () => {
    const comment = vorbisComment('TITLE=T', 'ALBUM=A');
    comment.writeUInt32LE(0x7fffffff, comment.length - 11);
    expect(readFile(flac([4, comment])).tags).toMatchObject({ title: 'T' });
  });

  it('reads gains, lists, totals and lower-case names', () => {
    expect(
      readFile(
        flac([
          4,
          vorbisComment(
            'artist=A',
            'Artist=B',
            'tracknumber=3/9',
            'DISCNUMBER=1',
            'TOTALDISCS=2',
            'REPLAYGAIN_TRACK_PEAK=0.5',
            'ORIGINALDATE=1970-01-01',
            'no equals',
            '=x',
          ),
        ]),
      ).tags,
    ).toMatchObject({
      artists: ['A', 'B'],
      trackNumber: 3,
      trackTotal: 9,
      discNumber: 1,
      discTotal: 2,
      replayGain: { trackPeak: 0.5 },
      originalYear: 1970,
    });
  });
});

describe('ogg', () => {
  const head = oggPage(1, 2, 0n, opusHead);
  const audio = Buffer.from([0xfc, ...Buffer.alloc(99)]); // an Opus packet of one frame of 20 ms

  it('subtracts the pre-skip, and the start of a broadcast', () => {
    const stream = Buffer.concat([
      head,
      oggPage(1, 0, 0n, opusTags),
      oggPage(1, 0, 960n, audio),
      oggPage(1, 4, 48_312n, audio),
    ]);
    expect(readFile(stream).facts).toMatchObject({
      format: 'opus',
      codec: 'opus',
      durationMs: 1000,
      sampleRateHz: 48_000,
      channels: 2,
      encoderDelay: 312,
    });
    const laterStream = Buffer.concat([
      head,
      oggPage(1, 0, 0n, opusTags),
      oggPage(1, 0, 9_000_960n, audio),
      oggPage(1, 4, 9_048_312n, audio),
    ]);
    expect(readFile(laterStream).facts.durationMs).toBe(1000);
  });

  it.each([0, 1, 2])('continues after damaged bytes between pages, after page %i', (damagedAfter) => {
    const pages = [
      head,
      oggPage(1, 0, 0n, Buffer.concat([ascii('OpusTags'), vorbisComment('TITLE=T')])),
      oggPage(1, 0, 960n, audio),
      oggPage(1, 4, 48_312n, audio),
    ];
    pages.splice(
      damagedAfter + 1,
      0,
      Buffer.concat([Buffer.alloc(700), ascii('OggS\0 is no page'), Buffer.alloc(40_000, 0xff)]),
    );
    expect(readFile(...pages)).toMatchObject({ facts: { durationMs: 1000 }, tags: { title: 'T' } });
  });

  it('adds up chained streams', () => {
    const stream = (serial: number): Buffer =>
      Buffer.concat([
        oggPage(serial, 2, 0n, opusHead),
        oggPage(serial, 0, 0n, opusTags),
        oggPage(serial, 0, 960n, audio),
        oggPage(serial, 4, 48_312n, audio),
      ]);
    expect(readFile(stream(1), stream(2), stream(3)).facts.durationMs).toBe(3000);
  });

  it('reads R128 gains as ReplayGain', () => {
    const tags = Buffer.concat([ascii('OpusTags'), vorbisComment('R128_TRACK_GAIN=-1536', 'R128_ALBUM_GAIN=256')]);
    expect(readFile(head, oggPage(1, 0, 0n, tags), oggPage(1, 4, 48_312n, audio)).tags.replayGain).toEqual({
      trackGainDb: -1,
      albumGainDb: 6,
    });
  });

  it('lets R128 gains win over ReplayGain in any order', () => {
    const replayGain = ['REPLAYGAIN_TRACK_GAIN=-9 dB', 'REPLAYGAIN_TRACK_PEAK=0.5'];
    const gainsOf = (comments: string[]) =>
      readFile(
        head,
        oggPage(1, 0, 0n, Buffer.concat([ascii('OpusTags'), vorbisComment(...comments)])),
        oggPage(1, 4, 48_312n, audio),
      ).tags.replayGain;
    for (const comments of [
      [...replayGain, 'R128_TRACK_GAIN=-1536'],
      ['R128_TRACK_GAIN=-1536', ...replayGain],
    ])
      expect(gainsOf(comments)).toEqual({ trackGainDb: -1, trackPeak: 0.5 });
  });

  it('decodes a picture in the comments only on request', () => {
    const tags = Buffer.concat([
      ascii('OpusTags'),
      vorbisComment(`METADATA_BLOCK_PICTURE=${pictureBlock(PNG).toString('base64')}`, 'TITLE=behind it'),
    ]);
    const file = Buffer.concat([head, oggPage(1, 0, 0n, tags), oggPage(1, 4, 48_312n, audio)]);
    const result = readFile(file);
    expect(result).toMatchObject({ pictures: [{ mime: 'image/png', kind: 3 }], tags: { title: 'behind it' } });
    expect(result.pictures[0]).not.toHaveProperty('position');
    expect(readPicture(bufferSource(file), result.pictures)).toEqual({ mime: 'image/png', bytes: PNG });
  });

  it('reads FLAC in Ogg', () => {
    const firstPacket = Buffer.concat([Buffer.from([0x7f]), ascii('FLAC\x01\0'), u16(1), flac().subarray(0, 42)]);
    const comment = vorbisComment('TITLE=T');
    const block = Buffer.concat([u32((0x84 << 24) | comment.length), comment]);
    const { facts, tags } = readFile(
      oggPage(5, 2, 0n, firstPacket),
      oggPage(5, 0, 0n, block),
      oggPage(5, 4, 44_100n, Buffer.alloc(5000)),
    );
    expect(facts).toMatchObject({ format: 'ogg', codec: 'flac', durationMs: 1000, bitDepth: 16, lossless: true });
    expect(tags.title).toBe('T');
  });

  it('does not count a truncated last page', () => {
    const file = Buffer.concat([
      head,
      oggPage(1, 0, 0n, opusTags),
      oggPage(1, 0, 960n, audio),
      oggPage(1, 0, 24_312n, audio),
      oggPage(1, 4, 48_312n, audio),
    ]);
    expect(readFile(file.subarray(0, file.length - 20)).facts.durationMs).toBe(500);
  });
});

describe('wav', () => {
  const fmt = (tag = 1, extra: Buffer = Buffer.alloc(0)): Buffer =>
    chunkLe('fmt ', Buffer.concat([u16le(tag), u16le(2), u32le(44100), u32le(44100 * 4), u16le(4), u16le(16), extra]));
  const samples = Buffer.alloc(44100 * 4, 3);
  const info = chunkLe(
    'LIST',
    Buffer.concat([ascii('INFO'), chunkLe('INAM', ascii('From INFO\0')), chunkLe('IART', Buffer.from('Ä\0'))]),
  );

  it('completes one INFO list with another', () => {
    const second = chunkLe(
      'LIST',
      Buffer.concat([ascii('INFO'), chunkLe('INAM', ascii('Other\0')), chunkLe('IPRD', ascii('Album\0'))]),
    );
    const { tags } = readFile(ascii('RIFF'), u32le(0), ascii('WAVE'), fmt(), info, chunkLe('data', samples), second);
    expect(tags).toMatchObject({ title: 'From INFO', artists: ['Ä'], album: 'Album' });
  });

  it('lets ID3 win over INFO', () => {
    const { tags, facts } = readFile(
      ascii('RIFF'),
      u32le(0),
      ascii('WAVE'),
      fmt(),
      info,
      chunkLe('data', samples),
      chunkLe('id3 ', title),
    );
    expect(tags).toMatchObject({ title: 'From ID3', artists: ['Ä'] });
    expect(facts).toMatchObject({
      format: 'wav',
      codec: 'pcm',
      durationMs: 1000,
      bitrateKbps: 1411,
      bitDepth: 16,
      lossless: true,
    });
  });

  it('reads WAVE_FORMAT_EXTENSIBLE', () => {
    const extensible = fmt(0xfffe, Buffer.concat([u16le(22), u16le(12), u32le(3), u16le(3), Buffer.alloc(14)]));
    expect(readFile(ascii('RIFF'), u32le(0), ascii('WAVE'), extensible, chunkLe('data', samples)).facts).toMatchObject({
      codec: 'pcm',
      bitDepth: 12,
      durationMs: 1000,
    });
  });

  it.each(['RF64', 'BW64'])('reads the size of %s from ds64', (formType) => {
    const ds64 = chunkLe('ds64', Buffer.concat([u64le(0), u64le(samples.length), u64le(44100), u32le(0)]));
    const data = Buffer.concat([ascii('data'), u32le(0xffffffff), samples]);
    expect(readFile(ascii(formType), u32le(0xffffffff), ascii('WAVE'), ds64, fmt(), data, info)).toMatchObject({
      facts: { durationMs: 1000 },
      tags: { title: 'From INFO' },
    });
  });

  it('takes the rest of the file for audio of the size 0, as programs leave it that write to a pipe', () => {
    const data = Buffer.concat([ascii('data'), u32le(0), samples]);
    expect(readFile(ascii('RIFF'), u32le(0), ascii('WAVE'), fmt(), data).facts.durationMs).toBe(1000);
    expect(() => readFile(ascii('RIFF'), u32le(0), ascii('WAVE'), fmt(), ascii('data'), u32le(0))).toThrow('no audio');
  });

  it('uses the file’s size when it is shorter than declared, and the fact chunk for compressed codecs', () => {
    expect(
      readFile(ascii('RIFF'), u32le(0), ascii('WAVE'), fmt(), chunkLe('data', samples).subarray(0, 8 + 88_200)).facts
        .durationMs,
    ).toBe(500);
    expect(
      readFile(ascii('RIFF'), u32le(0), ascii('WAVE'), fmt(2), chunkLe('fact', u32le(22_050)), chunkLe('data', samples))
        .facts,
    ).toMatchObject({ codec: 'adpcm', durationMs: 500, lossless: false });
  });
});

describe('aiff', () => {
  const rate = Buffer.from([0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0]); // 44100 as an 80-bit float
  const comm = (extra: Buffer = Buffer.alloc(0)): Buffer =>
    chunkBe('COMM', Buffer.concat([u16(2), u32(44100), u16(16), rate, extra]));
  const sound = chunkBe('SSND', Buffer.concat([u32(0), u32(0), Buffer.alloc(44100 * 4, 3)]));

  it('reads its own text chunks and an ID3 tag', () => {
    const { facts, tags } = readFile(
      ascii('FORM'),
      u32(0),
      ascii('AIFF'),
      comm(),
      chunkBe('NAME', ascii('Plain')),
      chunkBe('AUTH', ascii('Somebody')),
      sound,
      chunkBe('ID3 ', title),
    );
    expect(facts).toMatchObject({
      format: 'aiff',
      codec: 'pcm',
      durationMs: 1000,
      sampleRateHz: 44100,
      bitDepth: 16,
      channels: 2,
      lossless: true,
    });
    expect(tags).toMatchObject({ title: 'From ID3', artists: ['Somebody'] });
  });

  it('distinguishes compressed AIFC from plain', () => {
    const readType = (type: string): AudioRead =>
      readFile(ascii('FORM'), u32(0), ascii('AIFC'), comm(Buffer.concat([ascii(type), Buffer.alloc(2)])), sound);
    expect(readType('sowt').facts).toMatchObject({ codec: 'pcm', durationMs: 1000 });
    expect(readType('alaw').facts).toMatchObject({ codec: 'alaw', lossless: false, durationMs: 1000 });
  });
});

describe('mp4', () => {
  const data = (type: number, body: Buffer): Buffer => atom('data', u32(type), u32(0), body);
  const freeAtom = (name: string, value: string): Buffer =>
    atom(
      '----',
      atom('mean', u32(0), ascii('com.apple.iTunes')),
      atom('name', u32(0), ascii(name)),
      data(1, Buffer.from(value)),
    );
  const mdhd = atom('mdhd', u32(0), u32(0), u32(0), u32(44100), u32(90_112), u32(0));
  const entry = atom('mp4a', Buffer.alloc(8), u32(0), u32(0), u16(2), u16(16), u32(0), u32(44100 << 16));
  const trak = (edts: Buffer = Buffer.alloc(0)): Buffer =>
    atom(
      'trak',
      edts,
      atom(
        'mdia',
        mdhd,
        atom('hdlr', u32(0), u32(0), ascii('soun'), Buffer.alloc(13)),
        atom('minf', atom('stbl', atom('stsd', u32(0), u32(1), entry))),
      ),
    );
  const mvhd = atom('mvhd', u32(0), u32(0), u32(0), u32(1000), u32(2043), Buffer.alloc(80));
  const ilst = (...items: Buffer[]): Buffer =>
    atom(
      'udta',
      atom('meta', u32(0), atom('hdlr', u32(0), u32(0), ascii('mdirappl'), Buffer.alloc(9)), atom('ilst', ...items)),
    );
  const file = (...moov: Buffer[]): Buffer =>
    Buffer.concat([
      atom('ftyp', ascii('M4A \0\0\0\0')),
      atom('mdat', Buffer.alloc(32_000, 1)),
      atom('moov', mvhd, ...moov),
    ]);

  it('refuses audio that only the player of its shop can play', () => {
    const bytes = file(trak());
    bytes.write('drms', bytes.indexOf('mp4a'), 'latin1');
    expect(() => readFile(bytes)).toThrow('copy-protected');
  });

  it("takes the play time from the media, the edit list, or iTunes' own count", () => {
    const edit = atom('edts', atom('elst', u32(0), u32(1), u32(1995), u32(2112), u16(1), u16(0)));
    expect(readFile(file(trak())).facts).toMatchObject({
      format: 'm4a',
      codec: 'aac',
      durationMs: 2043,
      channels: 2,
      sampleRateHz: 44100,
    });
    expect(readFile(file(trak(edit))).facts).toMatchObject({ durationMs: 1995, encoderDelay: 2112 });
    const smoothnessInfo = freeAtom(
      'iTunSMPB',
      ` 00000000 00000840 000001C0 ${(90_112 - 0x840 - 0x1c0).toString(16).padStart(16, '0')} 0`,
    );
    expect(readFile(file(trak(), ilst(smoothnessInfo))).facts).toMatchObject({
      durationMs: Math.round((87_552 * 1000) / 44100),
      encoderDelay: 2112,
      encoderPadding: 448,
    });
  });

  it('reads numbers, free names and covers', () => {
    const completeFile = file(
      trak(),
      ilst(
        atom('gnre', data(0, u16(18))),
        atom('trkn', data(0, Buffer.from([0, 0, 0, 3, 0, 9, 0, 0]))),
        atom('disk', data(0, Buffer.from([0, 0, 0, 1, 0, 0]))),
        atom('cpil', data(21, Buffer.from([1]))),
        atom('tmpo', data(21, u16(128))),
        freeAtom('DISCSUBTITLE', 'Half'),
        freeAtom('replaygain_track_gain', '-6.3 dB'),
        freeAtom('ISRC', 'X'),
        atom('covr', data(13, PNG)),
      ),
    );
    const { tags, pictures } = readFile(completeFile);
    expect(tags).toMatchObject({
      genres: ['Rock'],
      trackNumber: 3,
      trackTotal: 9,
      discNumber: 1,
      compilation: true,
      bpm: 128,
      discSubtitle: 'Half',
      isrc: ['X'],
      replayGain: { trackGainDb: -6.3 },
    });
    expect(tags).not.toHaveProperty('discTotal');
    expect(readPicture(bufferSource(completeFile), pictures)).toEqual({ mime: 'image/png', bytes: PNG });
  });

  it('leaves fragmented files to music-metadata', async () => {
    const source = bufferSource(file(atom('mvex'), trak()));
    expect(readAudioSync(source)).toBeUndefined();
    await readAudio(source).then(
      (result) => expect(result.reader).toBe('music-metadata'),
      (error: Error) => expect(error.name).toBe('UnreadableAudio'),
    );
  });

  it('rejects a file without audio', () => {
    expect(() => readFile(file())).toThrow('no audio track');
    expect(() => readFile(atom('ftyp', ascii('heic')))).toThrow('no movie header');
  });
});
