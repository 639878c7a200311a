// The hash that identifies audio ignores tags that grow, shrink, are added or removed, but no byte of audio.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bufferSource } from '../../../server/media/byte-source.ts';
import { hashPayload } from '../../../server/media/payload-hash.ts';
import { readAudio, readAudioSync } from '../../../server/media/read.ts';
import type { AudioFacts, ByteSource } from '../../../server/media/types.ts';
import {
  ascii,
  atom,
  chunkBe,
  chunkLe,
  id3,
  id3Frame,
  u16,
  u16le,
  u32,
  u32le,
  utf8Text,
  vorbisComment,
} from '../../support/audio-bytes.ts';
import { dff, taggedByFfmpeg } from '../../support/rare-formats.ts';
import { toolOrWarn } from '../../support/tools.ts';
import { fromPages, packetsOf, paged, toPages, type OggPage } from '../../support/ogg-pages.ts';

const sample = (name: string): Buffer => readFileSync(join(import.meta.dirname, '../../support/library/audio', name));
const readFacts = (file: Buffer): AudioFacts => readAudioSync(bufferSource(file))?.facts as AudioFacts;
const readTitle = (file: Buffer): string | undefined => readAudioSync(bufferSource(file))?.tags.title;
const computeHash = (file: Buffer): string | undefined => hashPayload(bufferSource(file), readFacts(file));

const TAG_SIZES = [0, 1, 2, 3, 4, 127, 128, 254, 255, 256, 1_000, 70_000];
const title = (bytes: number): string => `T${'x'.repeat(bytes)}`.slice(0, 2_000);
/** Returns an ID3 tag of a given size: a title, and a comment that fills the rest. */
const id3Tag = (bytes: number): Buffer =>
  id3([
    id3Frame('TIT2', utf8Text(title(bytes))),
    id3Frame('COMM', Buffer.concat([ascii('\x03eng\0'), Buffer.alloc(bytes, 'c')])),
  ]);
const comments = (bytes: number): Buffer => vorbisComment(`TITLE=${title(bytes)}`, `COMMENT=${'c'.repeat(bytes)}`);

const id3v1 = Buffer.concat([ascii('TAG'), Buffer.alloc(125, ' ')]);
function apeTag(): Buffer {
  const item = Buffer.concat([u32le(4), u32le(0), ascii('Mood\0'), ascii('calm')]);
  const headerOrFooter = (flags: number): Buffer =>
    Buffer.concat([ascii('APETAGEX'), u32le(2_000), u32le(item.length + 32), u32le(1), u32le(flags), Buffer.alloc(8)]);
  return Buffer.concat([headerOrFooter(0xa0000000), item, headerOrFooter(0x80000000)]);
}

function retagFlac(...blocks: [type: number, body: Buffer][]): Buffer {
  const file = sample('cd.flac');
  let offset = 4;
  for (let isLast = false; !isLast; offset += 4 + file.readUIntBE(offset + 1, 3))
    isLast = ((file[offset] ?? 0) & 0x80) !== 0;
  const allBlocks: [number, Buffer][] = [[0, file.subarray(8, 42)], ...blocks];
  return Buffer.concat([
    ascii('fLaC'),
    ...allBlocks.flatMap(([type, body], n) => [
      u32((((n === allBlocks.length - 1 ? 0x80 : 0) | type) << 24) | body.length),
      body,
    ]),
    file.subarray(offset),
  ]);
}

/**
 * Returns a file with other comments, its headers on pages of at most `segments` segments, and all pages renumbered.
 */
function retagOgg(name: string, headers: number, comment: Buffer, segments = 255): Buffer {
  const pages = toPages(sample(name));
  const firstPage = pages[0] as OggPage;
  let count = 1;
  while (packetsOf(pages.slice(0, count)).length < headers) count++;
  const [, , ...setup] = packetsOf(pages.slice(0, count)).slice(0, headers);
  return fromPages([firstPage, ...paged([comment, ...setup], firstPage.serial, segments), ...pages.slice(count)]);
}
const retagVorbis = (bytes: number, segments?: number): Buffer =>
  retagOgg('vorbis.ogg', 3, Buffer.concat([ascii('\x03vorbis'), comments(bytes), ascii('\x01')]), segments);
const retagOpus = (bytes: number, segments?: number): Buffer =>
  retagOgg('opus.opus', 2, Buffer.concat([ascii('OpusTags'), comments(bytes)]), segments);

const listAtoms = (file: Buffer): Map<string, Buffer> => {
  const atoms = new Map<string, Buffer>();
  for (let offset = 0; offset < file.length; offset += file.readUInt32BE(offset))
    atoms.set(
      file.toString('latin1', offset + 4, offset + 8),
      file.subarray(offset, offset + file.readUInt32BE(offset)),
    );
  return atoms;
};
function retagM4a(bytes: number, order: readonly string[]): Buffer {
  const atoms = listAtoms(sample('aac.m4a'));
  const name = atom('\xa9nam', atom('data', u32(1), u32(0), Buffer.from(title(bytes))));
  const handler = atom('hdlr', Buffer.alloc(8), ascii('mdirappl'), Buffer.alloc(9));
  const tracks = (atoms.get('moov') as Buffer).subarray(8);
  atoms.set(
    'moov',
    atom(
      'moov',
      tracks,
      atom('udta', atom('meta', u32(0), handler, atom('ilst', name), atom('free', Buffer.alloc(bytes)))),
    ),
  );
  atoms.set('free', atom('free', Buffer.alloc(bytes)));
  return Buffer.concat(order.map((type) => atoms.get(type) ?? Buffer.alloc(0)));
}

const pcm = Buffer.from(Array.from({ length: 20_000 }, (_, n) => (n * n) % 251));
function retagWav(chunksBefore: Buffer[], chunksAfter: Buffer[]): Buffer {
  const format = chunkLe(
    'fmt ',
    Buffer.concat([u16le(1), u16le(2), u32le(44_100), u32le(176_400), u16le(4), u16le(16)]),
  );
  const body = Buffer.concat([ascii('WAVE'), format, ...chunksBefore, chunkLe('data', pcm), ...chunksAfter]);
  return Buffer.concat([ascii('RIFF'), u32le(body.length), body]);
}
const info = (bytes: number): Buffer =>
  chunkLe('LIST', Buffer.concat([ascii('INFO'), chunkLe('INAM', Buffer.from(`${title(bytes)}\0`))]));
function retagAiff(chunksBefore: Buffer[], chunksAfter: Buffer[]): Buffer {
  const commonChunk = chunkBe(
    'COMM',
    Buffer.concat([u16(2), u32(pcm.length / 4), u16(16), Buffer.from('400eac44000000000000', 'hex')]),
  );
  const body = Buffer.concat([
    ascii('AIFF'),
    commonChunk,
    ...chunksBefore,
    chunkBe('SSND', Buffer.concat([u32(0), u32(0), pcm])),
    ...chunksAfter,
  ]);
  return Buffer.concat([ascii('FORM'), u32(body.length), body]);
}

const withoutId3 = (file: Buffer): Buffer =>
  file.toString('latin1', 0, 3) === 'ID3'
    ? file.subarray(10 + [6, 7, 8, 9].reduce((size, index) => (size << 7) | (file[index] ?? 0), 0))
    : file;
const mp3 = withoutId3(sample('cbr128.mp3'));
const vbrAudio = withoutId3(sample('vbr.mp3'));

/** Functions by format, each of which writes tags of a given size in bytes. */
const TAG_WRITERS: Record<string, ((bytes: number) => Buffer)[]> = {
  mp3: [
    (n) => Buffer.concat([id3Tag(n), mp3]),
    (n) => Buffer.concat([id3Tag(n), mp3, id3v1]),
    (n) => Buffer.concat([id3Tag(n), mp3, apeTag(), id3v1]),
  ],
  'mp3 of variable bitrate': [
    (n) => Buffer.concat([id3Tag(n), vbrAudio]),
    (n) => Buffer.concat([id3Tag(n), vbrAudio, apeTag()]),
  ],
  flac: [
    (n) => retagFlac([4, comments(n)]),
    (n) => retagFlac([4, comments(n)], [1, Buffer.alloc(n)]),
    (n) => retagFlac([1, Buffer.alloc(n)], [4, comments(n)]),
    (n) => Buffer.concat([id3Tag(n), retagFlac([4, comments(n)])]),
    (n) => Buffer.concat([retagFlac([4, comments(n)]), id3v1]),
    (n) => Buffer.concat([retagFlac([4, comments(n)]), apeTag(), id3v1]),
  ],
  ogg: [retagVorbis, (n) => retagVorbis(n, 1), (n) => retagVorbis(n, 7)],
  opus: [retagOpus, (n) => retagOpus(n, 1), (n) => retagOpus(n, 7)],
  m4a: [
    (n) => retagM4a(n, ['ftyp', 'moov', 'mdat']),
    (n) => retagM4a(n, ['ftyp', 'moov', 'free', 'mdat']),
    (n) => retagM4a(n, ['ftyp', 'mdat', 'moov']),
    (n) => retagM4a(n, ['ftyp', 'free', 'mdat', 'free', 'moov']),
  ],
  wav: [
    (n) => retagWav([info(n)], []),
    (n) => retagWav([], [info(n)]),
    (n) => retagWav([], [chunkLe('id3 ', id3Tag(n))]),
    (n) => retagWav([info(n), chunkLe('JUNK', Buffer.alloc(n))], []),
  ],
  aiff: [
    (n) => retagAiff([], [chunkBe('ID3 ', id3Tag(n))]),
    (n) => retagAiff([chunkBe('NAME', Buffer.from(title(n)))], []),
    (n) => retagAiff([chunkBe('ID3 ', id3Tag(n))], [chunkBe('ANNO', Buffer.alloc(n, 'a'))]),
  ],
};

describe.each(Object.entries(TAG_WRITERS))('%s', (_, writers) => {
  test('keeps its hash with other tags', () => {
    const hashes = new Set<string | undefined>();
    for (const writeTags of writers) {
      for (const size of TAG_SIZES) {
        const file = writeTags(size);
        expect(readTitle(file)?.length).toBe(title(size).length); // checks that the file has the tags
        hashes.add(computeHash(file));
      }
    }
    expect(hashes.size).toBe(1);
    expect([...hashes][0]).toMatch(/^p1:[\w-]{22}$/);
  });

  test('has another hash when one byte of its audio changes', () => {
    const file = (writers[0] as (bytes: number) => Buffer)(10);
    const { start, end } = readFacts(file).payload as { start: number; end: number };
    const hashes = [
      computeHash(file),
      ...[start + 100, (start + end) >> 1, end - 1].map((position) => {
        const changedFile = Buffer.from(file);
        changedFile[position] = (changedFile[position] ?? 0) ^ 1;
        return hashPayload(bufferSource(changedFile), readFacts(file));
      }),
    ];
    expect(new Set(hashes).size).toBe(4);
  });
});

test('no two of the samples have the same hash', () => {
  const names = [
    'cbr128.mp3',
    'vbr.mp3',
    'mono48.mp3',
    'cd.flac',
    'hires.flac',
    'vorbis.ogg',
    'opus.opus',
    'aac.m4a',
    'alac.m4a',
  ];
  const hashes = names.map((name) => computeHash(sample(name)));
  expect(hashes).not.toContain(undefined);
  expect(new Set(hashes).size).toBe(names.length);
});

test('truncated audio has another hash', () => {
  const file = Buffer.concat([id3Tag(5), mp3]);
  expect(computeHash(file.subarray(0, -417 * 2))).not.toBe(computeHash(file));
});

describe('a payload above 25 MB', () => {
  const MB_BYTES = 1 << 20;
  const PAYLOAD_BYTES = 30 * MB_BYTES;
  /** Creates a virtual file: each byte depends on its position in the payload, except for the changed ones. */
  function source(start: number, changedBytes = new Map<number, number>()): ByteSource & { reads: [number, number][] } {
    const reads: [number, number][] = [];
    return {
      size: start + PAYLOAD_BYTES + 100,
      reads,
      read(position, length) {
        reads.push([position - start, position - start + length]);
        const bytes = Buffer.alloc(length);
        for (let n = 0; n < length; n++)
          bytes[n] = changedBytes.get(position - start + n) ?? ((position - start + n) * 2_654_435_761) >>> 24;
        return bytes;
      },
    };
  }
  const hash = (from: ByteSource, start: number, length = PAYLOAD_BYTES, format: AudioFacts['format'] = 'flac') =>
    hashPayload(from, { format, payload: { start, end: start + length } });

  test('is read at its start, middle and end only', () => {
    const file = source(1_000);
    expect(hash(file, 1_000)).toMatch(/^s1:[\w-]{22}$/);
    const readBlocks = new Set(
      file.reads.flatMap(([from, to]) => Array.from({ length: (to - from) / 1024 }, (_, n) => from + n * 1024)),
    );
    const expectedRanges = [
      [0, 256],
      [PAYLOAD_BYTES / 2048 - 256, PAYLOAD_BYTES / 2048 + 256],
      [PAYLOAD_BYTES / 1024 - 256, PAYLOAD_BYTES / 1024],
    ] as const;
    expect([...readBlocks].toSorted((a, b) => a - b)).toEqual(
      expectedRanges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, n) => (from + n) * 1024)),
    );
  });

  test('has the same hash after longer tags', () => {
    expect(hash(source(77_777), 77_777)).toBe(hash(source(1_000), 1_000));
  });

  test.each([0, 256 * 1024 - 1, PAYLOAD_BYTES / 2, PAYLOAD_BYTES - 1])(
    'has another hash when byte %i changes',
    (position) => {
      expect(hash(source(0, new Map([[position, 999]])), 0)).not.toBe(hash(source(0), 0));
    },
  );

  test('does not detect a change between the samples', () => {
    expect(hash(source(0, new Map([[5 * MB_BYTES, 999]])), 0)).toBe(hash(source(0), 0));
  });

  test('has another hash with another length or format', () => {
    const hashes = [
      hash(source(0), 0),
      hash(source(0), 0, PAYLOAD_BYTES - 1),
      hash(source(0), 0, PAYLOAD_BYTES, 'wav'),
    ];
    expect(new Set(hashes).size).toBe(3);
    const silentSource: ByteSource = { size: 2 * PAYLOAD_BYTES, read: (_position, length) => Buffer.alloc(length) };
    // all samples of this source are the same
    expect(hash(silentSource, 0)).not.toBe(hash(silentSource, 0, PAYLOAD_BYTES + 2));
  });

  test('differs from a payload of 25 MB, which is read whole', () => {
    const silentSource: ByteSource = { size: PAYLOAD_BYTES, read: (_position, length) => Buffer.alloc(length) };
    expect(hash(silentSource, 0, 25 * MB_BYTES)?.slice(0, 3)).toBe('p1:');
    expect(hash(silentSource, 0, 25 * MB_BYTES + 1)?.slice(0, 3)).toBe('s1:');
  });

  test('in Ogg does not depend on the numbers of its pages', () => {
    const page = (n: number): Buffer =>
      fromPages([
        {
          flags: 0,
          granule: BigInt(n),
          serial: 7,
          lacing: Buffer.alloc(255, 255),
          body: Buffer.alloc(255 * 255, `page ${n} `),
        },
      ]);
    const pages = Array.from({ length: 450 }, (_, n) => page(n));
    /**
     * Hashes the audio after `headers` bytes of tags, with its pages numbered from `firstNumber`; checksums are not
     * checked.
     */
    const hashNumbered = (headers: number, firstNumber: number, changedPage?: number): string | undefined => {
      const numberedPages = pages.map((pageBytes, n) => Buffer.from(n === changedPage ? page(10_000) : pageBytes));
      numberedPages.forEach((pageBytes, n) => pageBytes.writeUInt32LE(firstNumber + n, 18));
      const file = Buffer.concat([Buffer.alloc(headers), ...numberedPages]);
      return hashPayload(bufferSource(file), { format: 'opus', payload: { start: headers, end: file.length } });
    };
    const hashes = [
      hashNumbered(100, 2),
      hashNumbered(5_000, 4),
      hashNumbered(100, 2, 225),
      hashNumbered(100, 2, 0),
      hashNumbered(100, 2, 449),
      hashNumbered(100, 2, 60),
    ];
    expect(hashes[0]).toMatch(/^s1:/);
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[5]).toBe(hashes[0]); // the changed byte is between the hashed samples
    expect(new Set(hashes).size).toBe(4);
  });
});

describe('read by music-metadata', () => {
  const hash = async (file: Buffer): Promise<string | undefined> =>
    hashPayload(bufferSource(file), (await readAudio(bufferSource(file))).facts);
  const chunk = (name: string, body: Buffer): Buffer => Buffer.concat([ascii(name), u32(0), u32(body.length), body]);

  test.runIf(toolOrWarn('ffmpeg', 'hashes of WMA and Matroska are')).each([
    ['a.wma', '-c:a', 'wmav2', '-f', 'asf'],
    ['a.mka', '-c:a', 'libvorbis', '-f', 'matroska'],
    ['a.webm', '-c:a', 'libopus', '-f', 'webm'],
  ])('%s has the same hash with other tags, and another one with other audio', async (name, ...output) => {
    const [file, retaggedFile] = ['T', title(2_000)].map((text) => taggedByFfmpeg(name, { title: text }, ...output));
    const hashOfFile = await hash(file as Buffer);
    expect(hashOfFile).toMatch(/^p1:/);
    expect(await hash(retaggedFile as Buffer)).toBe(hashOfFile);
    const changedFile = Buffer.from(file as Buffer);
    const middle = changedFile.length >> 1;
    changedFile.writeUInt8(changedFile.readUInt8(middle) ^ 1, middle);
    expect(await hash(changedFile)).not.toBe(hashOfFile);
  });

  test('DSDIFF has the same hash with a tag behind it, and another one with other audio', async () => {
    const file = dff();
    const hashOfFile = await hash(file);
    expect(hashOfFile).toMatch(/^p1:/);
    expect(await hash(Buffer.concat([file, chunk('ID3 ', id3Tag(100))]))).toBe(hashOfFile);
    file.writeUInt8(1, file.length >> 1);
    expect(await hash(file)).not.toBe(hashOfFile);
  });
});

describe('there is no hash', () => {
  const file = bufferSource(Buffer.alloc(1_000, 1));
  test.each<[string, Pick<AudioFacts, 'format' | 'payload'>]>([
    ['of a payload that is not known', { format: 'mka' }],
    ['of an empty payload', { format: 'flac', payload: { start: 50, end: 50 } }],
    ['of a payload that ends before it begins', { format: 'flac', payload: { start: 50, end: 40 } }],
    ['of a payload behind the end of the file', { format: 'flac', payload: { start: 2_000, end: 3_000 } }],
    ['of Ogg without a page', { format: 'ogg', payload: { start: 0, end: 1_000 } }],
  ])('%s', (_, facts) => {
    expect(hashPayload(file, facts)).toBeUndefined();
  });
});
