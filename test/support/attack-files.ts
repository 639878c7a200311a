// Malicious files that hang a parser, fill its memory, or make it read garbage. The first eight crash a parser without
// guards; the others target Tonearm's own parsers. Large files are sparse, so writing all takes about a second.
import fs from 'node:fs';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import {
  ascii,
  atom,
  flac,
  id3Frame,
  id3Header,
  oggPage,
  opusHead,
  opusTags,
  silentMp3,
  syncsafe,
  u32,
  u32le,
} from './audio-bytes.ts';

interface AttackFile {
  /** File name, with an audio extension. */
  name: string;
  why: string;
  writeTo(file: string): void;
  /** True for an unusual but valid file, which has to be readable. */
  readable?: true;
}

const MB = 1 << 20;

/** Writes `head`, zeros up to `size`, then `tail`. */
function sparse(file: string, head: Buffer, size: number, tail: Buffer = Buffer.alloc(0)): void {
  const fd = fs.openSync(file, 'w');
  fs.writeSync(fd, head, 0, head.length, 0);
  if (tail.length > 0) fs.writeSync(fd, tail, 0, tail.length, size - tail.length);
  fs.ftruncateSync(fd, size);
  fs.closeSync(fd);
}

/** Returns Vorbis comments that repeat one text. */
function comments(count: number, text: string): Buffer {
  const comment = Buffer.concat([u32le(text.length), ascii(text)]);
  return Buffer.concat([u32le(0), u32le(count), Buffer.alloc(comment.length * count, comment)]);
}

/** Returns nested atoms with the same name. */
function nested(name: string, depth: number): Buffer {
  const bytes = Buffer.alloc(depth * 8);
  for (let i = 0; i < depth; i++) {
    bytes.writeUInt32BE((depth - i) * 8, i * 8);
    bytes.write(name, i * 8 + 4, 'latin1');
  }
  return bytes;
}

const FTYP = atom('ftyp', ascii('M4A \0\0\0\0M4A mp42'));
const TXXX = id3Frame('TXXX', ascii('\x03key\0value'));

export const attackFiles: AttackFile[] = [
  {
    name: 'id3-padding.mp3',
    why: 'an ID3 tag with 100 MB of padding',
    writeTo: (f) => sparse(f, id3Header(100 * MB), 100 * MB + 10 + 41_700, silentMp3(100)),
  },
  {
    name: 'comments.flac',
    why: '300,000 comments in 6.8 MB',
    writeTo: (f) => fs.writeFileSync(f, flac([4, comments(300_000, 'ARTIST=Somebody 12')])),
  },
  {
    name: 'sync.mp3',
    why: '50 MB of FF E0',
    writeTo: (f) => fs.writeFileSync(f, Buffer.alloc(50 * MB, Buffer.from([0xff, 0xe0]))),
  },
  {
    name: 'empty-atoms.m4a',
    why: 'a million empty atoms',
    writeTo: (f) => fs.writeFileSync(f, Buffer.concat([FTYP, Buffer.alloc(8 * MB, atom('free'))])),
  },
  { name: 'zeros.mp3', why: '300 MB of zeros', writeTo: (f) => sparse(f, Buffer.alloc(0), 300 * MB) },
  {
    name: 'large-picture.mp3',
    why: 'a picture of 200 MB',
    writeTo: (f) =>
      sparse(
        f,
        Buffer.concat([
          id3Header(200 * MB),
          ascii('APIC'),
          syncsafe(200 * MB - 10),
          Buffer.alloc(2),
          ascii('\0image/jpeg\0\x03\0\xff\xd8\xff'),
        ]),
        200 * MB + 10 + 41_700,
        silentMp3(100),
      ),
  },
  {
    name: 'txxx.mp3',
    why: '200,000 TXXX frames',
    writeTo: (f) =>
      fs.writeFileSync(
        f,
        Buffer.concat([id3Header(TXXX.length * 200_000), Buffer.alloc(TXXX.length * 200_000, TXXX), silentMp3(100)]),
      ),
  },
  {
    name: 'nested-moov.m4a',
    why: '20,000 moov atoms, each in the one before',
    writeTo: (f) => fs.writeFileSync(f, Buffer.concat([FTYP, nested('moov', 20_000)])),
  },

  {
    name: 'nested-mdia.m4a',
    why: '20,000 mdia atoms inside one another',
    writeTo: (f) => fs.writeFileSync(f, Buffer.concat([FTYP, atom('moov', atom('trak', nested('mdia', 20_000)))])),
  },
  {
    name: 'sync-aac.aac',
    why: '50 MB of ADTS syncs without a length',
    writeTo: (f) => fs.writeFileSync(f, Buffer.alloc(50 * MB, Buffer.from([0xff, 0xf1, 0x50, 0x80, 0, 0]))),
  },
  {
    name: 'frames-and-noise.mp3',
    why: '40 MB in which every second frame is noise full of syncs',
    writeTo: (f) =>
      fs.writeFileSync(
        f,
        Buffer.concat([silentMp3(10), Buffer.alloc(40 * MB, Buffer.concat([silentMp3(2), Buffer.alloc(417, 0xff)]))]),
      ),
    readable: true,
  },
  {
    name: 'blanks.flac',
    why: 'a title of 3.9 MB of blanks with a letter at the end',
    writeTo: (f) => fs.writeFileSync(f, flac([4, comments(1, `TITLE=x${' '.repeat(3_900_000)}y`)])),
    readable: true,
  },
  {
    name: 'artists.flac',
    why: '9,000 different artists',
    writeTo: (f) =>
      fs.writeFileSync(
        f,
        flac([
          4,
          Buffer.concat([
            u32le(0),
            u32le(9000),
            ...Array.from({ length: 9000 }, (_, i) =>
              Buffer.concat([u32le(16), ascii(`ARTIST=${String(i).padStart(9, 'a')}`)]),
            ),
          ]),
        ]),
      ),
    readable: true,
  },
  {
    name: 'padding-blocks.flac',
    why: 'a million metadata blocks',
    writeTo: (f) =>
      fs.writeFileSync(
        f,
        Buffer.concat([flac().subarray(0, 4), u32(34), flac().subarray(8, 42), Buffer.alloc(4 * MB, u32(1 << 24))]),
      ),
  },
  {
    name: 'zlib-bomb.mp3',
    why: 'a compressed text frame that swells to 1 GB',
    writeTo: (f) => {
      const bomb = deflateSync(Buffer.alloc(64 * MB), { level: 9 });
      const frame = id3Frame('TIT2', Buffer.concat([syncsafe(64 * MB), bomb]), 0x09);
      fs.writeFileSync(f, Buffer.concat([id3Header(frame.length), frame, silentMp3(100)]));
    },
    readable: true,
  },
  {
    name: 'unsync.mp3',
    why: '15 MB of unsynchronised FF 00',
    writeTo: (f) =>
      fs.writeFileSync(
        f,
        Buffer.concat([
          id3Header(15 * MB, 3, 0x80),
          ascii('APIC'),
          u32(10 * MB),
          Buffer.alloc(2),
          Buffer.alloc(15 * MB - 10, Buffer.from([0xff, 0])),
          silentMp3(100),
        ]),
      ),
    readable: true,
  },
  {
    name: 'no-nul.mp3',
    why: '9,000 named frames without an end to the name',
    writeTo: (f) => {
      const frame = id3Frame('TXXX', Buffer.alloc(1500, 0x61));
      fs.writeFileSync(
        f,
        Buffer.concat([id3Header(frame.length * 9000), Buffer.alloc(frame.length * 9000, frame), silentMp3(100)]),
      );
    },
    readable: true,
  },
  {
    name: 'streams.ogg',
    why: '200,000 Opus streams one after the other',
    writeTo: (f) => {
      const comment = Buffer.concat([
        oggPage(1, 2, 0n, opusHead),
        oggPage(1, 0, 0n, opusTags),
        oggPage(1, 4, 960n, Buffer.from([0xfc])),
      ]);
      const all = Buffer.alloc(comment.length * 200_000, comment);
      all.writeUInt32LE(2, all.length - comment.length + 14);
      fs.writeFileSync(f, Buffer.concat([all, oggPage(7, 2, 0n, opusHead)]));
    },
    readable: true,
  },
  {
    name: 'granule.opus',
    why: 'a last page at 2^62',
    writeTo: (f) =>
      fs.writeFileSync(
        f,
        Buffer.concat([
          oggPage(1, 2, 0n, opusHead),
          oggPage(1, 0, 0n, opusTags),
          oggPage(1, 4, 1n << 62n, Buffer.alloc(200)),
        ]),
      ),
  },
  {
    name: 'long-granule.opus',
    why: '40 hours in 200 bytes',
    writeTo: (f) =>
      fs.writeFileSync(
        f,
        Buffer.concat([
          oggPage(1, 2, 0n, opusHead),
          oggPage(1, 0, 0n, opusTags),
          oggPage(1, 0, 0n, Buffer.alloc(10)),
          oggPage(1, 4, 48_000n * 3600n * 40n, Buffer.alloc(200)),
        ]),
      ),
  },
  {
    name: 'chunks.wav',
    why: 'a million empty chunks',
    writeTo: (f) =>
      fs.writeFileSync(f, Buffer.concat([ascii('RIFF\0\0\0\0WAVE'), Buffer.alloc(8 * MB, ascii('junk\0\0\0\0'))])),
  },
  {
    name: 'chunks.aiff',
    why: 'a million empty chunks',
    writeTo: (f) =>
      fs.writeFileSync(f, Buffer.concat([ascii('FORM\0\0\0\0AIFF'), Buffer.alloc(8 * MB, ascii('JUNK\0\0\0\0'))])),
  },
  {
    name: 'self-size.m4a',
    why: 'atoms whose 64-bit size is 0 or wraps',
    writeTo: (f) =>
      fs.writeFileSync(
        f,
        Buffer.concat([FTYP, u32(1), ascii('free'), Buffer.alloc(8), u32(1), ascii('moov'), Buffer.alloc(8, 0xff)]),
      ),
  },
  {
    name: 'large-moov.m4a',
    why: 'a movie header of 100 MB',
    writeTo: (f) => sparse(f, Buffer.concat([FTYP, u32(100 * MB), ascii('moov')]), 100 * MB + FTYP.length),
  },
  {
    name: 'lyrics.mp3',
    why: 'timed lyrics with 500,000 stamps on one line',
    writeTo: (f) => {
      const frame = id3Frame('USLT', Buffer.concat([ascii('\x03eng\0'), Buffer.alloc(5 * 400_000, ascii('[0:1]'))]));
      fs.writeFileSync(f, Buffer.concat([id3Header(frame.length), frame, silentMp3(100)]));
    },
    readable: true,
  },
  {
    name: 'genres.mp3',
    why: 'a genre of 1 MB of references',
    writeTo: (f) => {
      const frame = id3Frame('TCON', Buffer.concat([Buffer.from([3]), Buffer.alloc(MB, ascii('(17)'))]));
      fs.writeFileSync(f, Buffer.concat([id3Header(frame.length), frame, silentMp3(100)]));
    },
    readable: true,
  },
];

/** Writes all attack files into a folder. */
export function writeAttackFiles(dir: string): (AttackFile & { path: string })[] {
  fs.mkdirSync(dir, { recursive: true });
  return attackFiles.map((attack) => {
    const file = path.join(dir, attack.name);
    attack.writeTo(file);
    return { ...attack, path: file };
  });
}
