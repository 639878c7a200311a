import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bufferSource } from '../../../server/media/byte-source.ts';
import { readAudioSync, readPicture } from '../../../server/media/read.ts';
import type { AudioRead, Tags } from '../../../server/media/types.ts';
import {
  ascii,
  id3,
  id3Frame,
  id3FrameV22,
  id3FrameV23,
  id3Header,
  latin1Text,
  silentMp3,
  syncsafe,
  u16,
  u32,
  utf8Text,
} from '../../support/audio-bytes.ts';

function readFile(...parts: Buffer[]): AudioRead {
  const result = readAudioSync(bufferSource(Buffer.concat([...parts, silentMp3(50)])));
  if (!result) throw new Error('not read');
  expect(result.facts.durationMs).toBe(1306); // the audio has 50 frames, whatever the tag declares
  return result;
}
const readTags = (...parts: Buffer[]): Tags => readFile(...parts).tags;
const text = (name: string, value: string): Buffer => id3Frame(name, utf8Text(value));
const textV23 = (name: string, value: string): Buffer => id3FrameV23(name, latin1Text(value));
const utf16 = (value: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(value, 'utf16le')]);
const JPEG_BYTES = Buffer.from([
  0xff, 0xd8, 0xff, 0xe0, 0, 0x10, 0x4a, 0x46, 0x49, 0x46, 0, 1, 0xff, 0xff, 0, 0xff, 0xe1,
]);
const apic = (kind: number, data = JPEG_BYTES): Buffer =>
  Buffer.concat([ascii('\0image/jpg\0'), Buffer.from([kind]), ascii('Cover\0'), data]);

describe('versions', () => {
  it('reads v2.2 with its short names and picture', () => {
    const pic = Buffer.concat([ascii('\0JPG\x03\0'), JPEG_BYTES]);
    const result = readFile(
      id3(
        [
          id3FrameV22('TT2', latin1Text('Title')),
          id3FrameV22('TP1', latin1Text('A/B')),
          id3FrameV22('TAL', latin1Text('Album')),
          id3FrameV22('TRK', latin1Text('3/9')),
          id3FrameV22('TYE', latin1Text('1999')),
          id3FrameV22('TCO', latin1Text('(17)')),
          id3FrameV22('PIC', pic),
        ],
        2,
      ),
    );
    expect(result.tags).toMatchObject({
      title: 'Title',
      artists: ['A', 'B'],
      album: 'Album',
      trackNumber: 3,
      trackTotal: 9,
      year: 1999,
      genres: ['Rock'],
    });
    expect(result.pictures).toMatchObject([{ mime: 'image/jpeg', kind: 3, length: JPEG_BYTES.length }]);
  });

  it('reads v2.3 dates from two frames', () => {
    expect(readTags(id3([textV23('TYER', '1999'), textV23('TDAT', '3112'), textV23('TORY', '1970')], 3))).toMatchObject(
      {
        year: 1999,
        date: '1999-12-31',
        originalYear: 1970,
      },
    );
    expect(readTags(id3([textV23('TYER', '1999'), textV23('TDAT', '9912')], 3))).not.toHaveProperty(
      'date',
      '1999-99-12',
    );
  });

  it('skips extended headers of both kinds', () => {
    expect(readTags(id3([u32(6), Buffer.alloc(6), textV23('TIT2', 'Three')], 3, 0x40)).title).toBe('Three');
    expect(readTags(id3([syncsafe(6), Buffer.from([1, 0]), text('TIT2', 'Four')], 4, 0x40)).title).toBe('Four');
  });

  it('finds the audio after a footer, and a second tag after the first', () => {
    const frame = text('TIT2', 'First');
    const footer = Buffer.concat([ascii('3DI'), Buffer.from([4, 0, 0x10]), syncsafe(frame.length)]);
    expect(
      readTags(id3Header(frame.length, 4, 0x10), frame, footer, id3([text('TIT2', 'Second'), text('TALB', 'Album')])),
    ).toMatchObject({ title: 'First', album: 'Album' });
  });

  it.each(['\0', ' '])('recognizes short names that were padded to four letters', (filler) => {
    const shortFrame = (name: string, value: string): Buffer => textV23(name + filler, value);
    expect(
      readTags(id3([shortFrame('TP1', 'A'), shortFrame('TAL', 'Album'), shortFrame('TT2', 'Title')], 3)),
    ).toMatchObject({
      artists: ['A'],
      album: 'Album',
      title: 'Title',
    });
  });

  it('reads what the tag contains of a last text that declares a larger size', () => {
    const frame = textV23('TIT2', 'Title');
    frame.writeUInt32BE(400, 4);
    expect(readTags(id3([textV23('TALB', 'Album'), frame], 3))).toMatchObject({ title: 'Title', album: 'Album' });
  });

  it('accepts plain lengths where v2.4 should have syncsafe ones', () => {
    const longText = utf8Text('x'.repeat(299));
    const frame = Buffer.concat([ascii('TIT2'), u32(longText.length), Buffer.alloc(2), longText]);
    expect(readTags(id3([frame, text('TALB', 'Album')]))).toMatchObject({ title: 'x'.repeat(299), album: 'Album' });
  });
});

describe('encodings', () => {
  it.each([
    ['Latin-1', Buffer.concat([Buffer.from([0]), ascii('caf\xe9')])],
    ['Windows-1252 under its name', Buffer.concat([Buffer.from([0]), ascii('caf\xe9')])],
    ['UTF-16 with a mark', Buffer.concat([Buffer.from([1]), utf16('café')])],
    ['UTF-16 with the other mark', Buffer.concat([Buffer.from([1]), utf16('café').swap16()])],
    ['UTF-16 without one', Buffer.concat([Buffer.from([1]), Buffer.from('café', 'utf16le')])],
    ['UTF-16BE', Buffer.concat([Buffer.from([2]), Buffer.from('café', 'utf16le').swap16()])],
    ['UTF-8', utf8Text('café')],
    ['UTF-8 with NULs behind', utf8Text('café\0\0')],
  ])('%s', (_name, body) => {
    expect(readTags(id3([id3Frame('TIT2', body)])).title).toBe('café');
  });

  it('undoes unsynchronisation of a whole v2.3 tag, its picture too', () => {
    const plainFrames = Buffer.concat([
      id3FrameV23('TIT2', Buffer.concat([Buffer.from([1]), utf16('ÿÿ')])),
      id3FrameV23('APIC', apic(3)),
      textV23('TALB', 'Album'),
    ]);
    const bytes = [...plainFrames].flatMap((byte, i) =>
      byte === 0xff && ((plainFrames[i + 1] ?? 0) >= 0xe0 || plainFrames[i + 1] === 0) ? [byte, 0] : [byte],
    );
    const file = Buffer.concat([id3([Buffer.from(bytes)], 3, 0x80), silentMp3(50)]);
    const result = readFile(id3([Buffer.from(bytes)], 3, 0x80));
    expect(result.tags).toMatchObject({ title: 'ÿÿ', album: 'Album' });
    expect(result.pictures).toEqual([{ mime: 'image/jpeg', kind: 3 }]);
    expect(readPicture(bufferSource(file), result.pictures)).toEqual({ mime: 'image/jpeg', bytes: JPEG_BYTES });
  });

  it('undoes it in single v2.4 frames, with a length in front', () => {
    const body = Buffer.from([1, 0xff, 0, 0xfe, 0x61, 0, 0x62, 0]); // FF FE would look like a sync word
    expect(
      readTags(id3([id3Frame('TIT2', Buffer.concat([syncsafe(7), body]), 0x03), text('TALB', 'Album')])),
    ).toMatchObject({ title: 'ab', album: 'Album' });
  });

  it('inflates compressed frames of both versions', () => {
    const body = Buffer.concat([syncsafe(6), deflateSync(utf8Text('Title'))]);
    expect(readTags(id3([id3Frame('TIT2', body, 0x09)])).title).toBe('Title');
    const v23 = Buffer.concat([ascii('TIT2'), u32(body.length), Buffer.from([0, 0x80]), body]);
    expect(readTags(id3([v23], 3)).title).toBe('Title');
  });

  it('skips encrypted frames', () => {
    expect(readTags(id3([id3Frame('TIT2', utf8Text('secret'), 0x04), text('TALB', 'Album')]))).toEqual({
      artists: [],
      albumArtists: [],
      genres: [],
      album: 'Album',
    });
  });
});

it.each([
  [
    ['TDRL', 'TDRC'],
    ['2020-02-02', '1999'],
  ],
  [
    ['TDRC', 'TDRL'],
    ['1999', '2020-02-02'],
  ],
])('the year is that of the recording, whatever the order: %j', (names, [first = '', second = '']) => {
  expect(readTags(id3([text(names[0] ?? '', first), text(names[1] ?? '', second)])).year).toBe(1999);
});

describe('artists', () => {
  it.each<[string, Buffer, Partial<Tags>]>([
    ['NUL divides in v2.4, a slash does not', id3([text('TPE1', 'AC/DC\0Friend')]), { artists: ['AC/DC', 'Friend'] }],
    ['a slash divides in v2.3', id3([textV23('TPE1', 'A/B')], 3), { artists: ['A', 'B'] }],
    [
      "not when the album's artist is written so",
      id3([textV23('TPE1', 'AC/DC'), textV23('TPE2', 'AC/DC')], 3),
      { artists: ['AC/DC'], albumArtist: 'AC/DC' },
    ],
    [
      'not when one identifier stands for all',
      id3(
        [
          textV23('TPE1', 'AC/DC'),
          id3FrameV23('TXXX', latin1Text('MusicBrainz Artist Id\x0066c662b6-6e2f-4930-8610-912e24c63ed1')),
        ],
        3,
      ),
      { artists: ['AC/DC'] },
    ],
    [
      'several frames in v2.4 are several artists',
      id3([text('TPE1', 'A'), text('TPE1', 'B')]),
      { artists: ['A', 'B'] },
    ],
    ['in v2.3 the first frame counts', id3([textV23('TPE1', 'A'), textV23('TPE1', 'B')], 3), { artists: ['A'] }],
    [
      'a list beside a display name',
      id3([text('TPE1', 'A feat. B'), text('TXXX', 'ARTISTS\0A\0B')]),
      { artists: ['A', 'B'], artist: 'A feat. B' },
    ],
    [
      'a display name that says no more is left out',
      id3([text('TPE1', 'A'), text('TXXX', 'Artists\0A')]),
      { artists: ['A'] },
    ],
  ])('%s', (_name, tag, expected) => {
    const { artists, artist, albumArtist } = readTags(tag);
    expect({ artists, ...(artist && { artist }), ...(albumArtist && { albumArtist }) }).toEqual(expected);
  });
});

describe('other frames', () => {
  it('reads sort names, identifiers, gains and the rest', () => {
    const id = '66c662b6-6e2f-4930-8610-912e24c63ed1';
    expect(
      readTags(
        id3([
          text('TSOP', 'Artist, An'),
          text('TSOT', 'Title, A'),
          text('TSOA', 'Album, An'),
          text('TSO2', 'Band, A'),
          text('TSST', 'The second half'),
          text('TCOM', 'X\0Y'),
          text('TBPM', '128'),
          text('TSRC', 'DEA123456789'),
          text('TCMP', '1'),
          text('TDRC', '2003-05-12'),
          text('TDOR', '1970-01-01'),
          id3Frame('UFID', Buffer.concat([ascii('http://musicbrainz.org\0'), ascii(id.toUpperCase())])),
          id3Frame('UFID', ascii('http://other.org\0abc')),
          text('TXXX', `Acoustid Id\0${id}`),
          text('TXXX', `MusicBrainz Artist Id\0${id}\0${id}`),
          text('TXXX', 'replaygain_album_gain\0+1.5 dB'),
          text('TXXX', 'REPLAYGAIN_ALBUM_PEAK\x000.9'),
          id3Frame('COMM', utf8Text('engiTunNORM\0 0000')),
          id3Frame('COMM', utf8Text('eng\0Hello')),
        ]),
      ),
    ).toMatchObject({
      artistSort: 'Artist, An',
      titleSort: 'Title, A',
      albumSort: 'Album, An',
      albumArtistSort: 'Band, A',
      discSubtitle: 'The second half',
      composer: ['X', 'Y'],
      bpm: 128,
      isrc: ['DEA123456789'],
      compilation: true,
      year: 2003,
      date: '2003-05-12',
      originalYear: 1970,
      recordingMbid: id,
      acoustidId: id,
      artistMbids: [id, id],
      replayGain: { albumGainDb: 1.5, albumPeak: 0.9 },
      comment: 'Hello',
    });
  });

  it('reads RVA2 without ReplayGain', () => {
    const rva2 = Buffer.concat([ascii('track\0'), Buffer.from([1]), u16(-3 * 512), Buffer.from([16]), u16(1)]);
    expect(readTags(id3([id3Frame('RVA2', rva2)])).replayGain).toEqual({ trackGainDb: -3 });
  });

  it('prefers synced lyrics to plain ones', () => {
    const sylt = Buffer.concat([
      Buffer.from([3]),
      ascii('eng'),
      Buffer.from([2, 1]),
      ascii('\0'),
      ascii('one\0'),
      u32(1000),
      ascii('two\0'),
      u32(2500),
    ]);
    expect(readTags(id3([id3Frame('USLT', utf8Text('eng\0plain')), id3Frame('SYLT', sylt)])).lyrics).toEqual({
      language: 'eng',
      synced: true,
      lines: [
        { startMs: 1000, text: 'one' },
        { startMs: 2500, text: 'two' },
      ],
    });
    expect(readTags(id3([id3Frame('USLT', utf8Text('eng\0[00:01.00]one'))])).lyrics).toEqual({
      language: 'eng',
      synced: true,
      lines: [{ startMs: 1000, text: 'one' }],
    });
  });

  it.each([
    ['at the start of a line', ['one ', 'word', '\ntwo']],
    ['at the end of a line', ['one ', 'word\n', 'two']],
  ])('joins the syllables of karaoke to lines, with breaks %s', (_, syllables) => {
    const sylt = Buffer.concat([
      Buffer.from([3]),
      ascii('eng'),
      Buffer.from([2, 1]),
      ascii('\0'),
      ...syllables.map((syllable, i) => Buffer.concat([ascii(`${syllable}\0`), u32(10 * (i + 1))])),
    ]);
    expect(readTags(id3([id3Frame('SYLT', sylt)])).lyrics?.lines).toEqual([
      { startMs: 10, text: 'one word' },
      { startMs: 30, text: 'two' },
    ]);
  });

  it('puts the front cover first and locates the pictures', () => {
    const file = Buffer.concat([
      id3([id3Frame('APIC', apic(4)), id3Frame('APIC', apic(3)), id3Frame('APIC', ascii('\0-->\0\x03\0http://x'))]),
      silentMp3(50),
    ]);
    const { pictures } = readFile(file.subarray(0, file.length - silentMp3(50).length));
    expect(pictures.map(({ kind, mime }) => [kind, mime])).toEqual([
      [3, 'image/jpeg'],
      [4, 'image/jpeg'],
    ]);
    for (const { position = 0, length = 0 } of pictures)
      expect(file.subarray(position, position + length)).toEqual(JPEG_BYTES);
  });
});
