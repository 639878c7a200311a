// Small valid audio files built byte by byte, for cases that the generator of test libraries does not cover.

export const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
export const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value & 0xffff);
  return bytes;
};
export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};
export const u16le = (n: number): Buffer => u16(n).swap16();
export const u32le = (n: number): Buffer => u32(n).swap32();
export const u64le = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
export const syncsafe = (value: number): Buffer =>
  Buffer.from([(value >>> 21) & 127, (value >>> 14) & 127, (value >>> 7) & 127, value & 127]);

export const id3Header = (size: number, version = 4, flags = 0): Buffer =>
  Buffer.concat([ascii('ID3'), Buffer.from([version, 0, flags]), syncsafe(size)]);

/** Makes an ID3v2.4 frame; `flags` are the flags of its format byte. */
export const id3Frame = (name: string, body: Buffer, flags = 0): Buffer =>
  Buffer.concat([ascii(name), syncsafe(body.length), Buffer.from([0, flags]), body]);
export const id3FrameV23 = (name: string, body: Buffer): Buffer =>
  Buffer.concat([ascii(name), u32(body.length), Buffer.alloc(2), body]);
export const id3FrameV22 = (name: string, body: Buffer): Buffer =>
  Buffer.concat([ascii(name), u32(body.length).subarray(1), body]);
/** Encodes a text in UTF-8, with the encoding byte of ID3 in front. */
export const utf8Text = (text: string): Buffer => Buffer.from(`\x03${text}`);
export const latin1Text = (text: string): Buffer => ascii(`\0${text}`);

export function id3(frames: Buffer[], version = 4, flags = 0): Buffer {
  const body = Buffer.concat(frames);
  return Buffer.concat([id3Header(body.length, version, flags), body]);
}

export const SILENT_FRAME_BYTES = 417;
/** Makes `count` silent frames: MPEG 1 layer III, 128 kbit/s, 44.1 kHz, stereo; 1152 samples each. */
export function silentMp3(count: number): Buffer {
  const frames = Buffer.alloc(SILENT_FRAME_BYTES * count);
  for (let i = 0; i < count; i++) frames.set([0xff, 0xfb, 0x90, 0x04], i * SILENT_FRAME_BYTES);
  return frames;
}

/**
 * Makes a FLAC file of one second at 44.1 kHz, 16 bit, stereo, with additional metadata blocks. The audio cannot be
 * decoded.
 */
export function flac(...blocks: [type: number, body: Buffer][]): Buffer {
  const info = Buffer.alloc(34);
  info.set([0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x0a, 0xc4, 0x42, 0xf0, 0, 0, 0xac, 0x44]);
  const allBlocks: [number, Buffer][] = [[0, info], ...blocks];
  const parts = allBlocks.flatMap(([type, body], i) => [
    u32(((i === allBlocks.length - 1 ? 0x80 | type : type) << 24) | body.length),
    body,
  ]);
  return Buffer.concat([ascii('fLaC'), ...parts, Buffer.from([0xff, 0xf8, 0xc9, 0x18]), Buffer.alloc(60_000)]);
}

export function vorbisComment(...comments: (string | Buffer)[]): Buffer {
  const parts = comments
    .map((comment) => Buffer.from(comment as string))
    .flatMap((bytes) => [u32le(bytes.length), bytes]);
  return Buffer.concat([u32le(0), u32le(comments.length), ...parts]);
}

/** Makes an Ogg page with one packet of up to 64 KB. `flags`: 1 continued, 2 first, 4 last. */
export function oggPage(serial: number, flags: number, granule: bigint, body: Buffer): Buffer {
  const lacing: number[] = [];
  for (let remainingBytes = body.length; remainingBytes >= 0; remainingBytes -= 255)
    lacing.push(Math.min(255, remainingBytes));
  const head = Buffer.alloc(27 + lacing.length);
  head.write('OggS', 0, 'latin1');
  head[5] = flags;
  head.writeBigInt64LE(granule, 6);
  head.writeUInt32LE(serial, 14);
  head[26] = lacing.length;
  head.set(lacing, 27);
  return Buffer.concat([head, body]);
}

/** The Opus header: stereo with a pre-skip of 312 samples. */
export const opusHead = Buffer.concat([ascii('OpusHead'), Buffer.from([1, 2, 0x38, 1, 0x80, 0xbb, 0, 0, 0, 0, 0])]);
export const opusTags = Buffer.concat([ascii('OpusTags'), vorbisComment()]);

export const atom = (name: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length + 8), ascii(name), body]);
};

/** A RIFF chunk, padded to an even length. */
export const chunkLe = (name: string, body: Buffer): Buffer =>
  Buffer.concat([ascii(name), u32le(body.length), body, Buffer.alloc(body.length & 1)]);
/** An AIFF chunk. */
export const chunkBe = (name: string, body: Buffer): Buffer =>
  Buffer.concat([ascii(name), u32(body.length), body, Buffer.alloc(body.length & 1)]);

/** An APEv2 tag with header and footer. */
export function apeTag(items: Record<string, string>): Buffer {
  const bodies = Object.entries(items).map(([name, value]) =>
    Buffer.concat([u32le(Buffer.byteLength(value)), u32le(0), ascii(`${name}\0`), Buffer.from(value)]),
  );
  const body = Buffer.concat(bodies);
  const end = (flags: number): Buffer =>
    Buffer.concat([
      ascii('APETAGEX'),
      u32le(2000),
      u32le(body.length + 32),
      u32le(bodies.length),
      u32le(flags),
      Buffer.alloc(8),
    ]);
  return Buffer.concat([end(0xa0000000), body, end(0x80000000)]);
}

export const wavChunk = (name: string, body: Buffer): Buffer =>
  Buffer.concat([ascii(name), u32le(body.length), body, Buffer.alloc(body.length & 1)]);

/** Makes a WAV file with these chunks before one second of silence at 8 kHz, 16 bit, mono. */
export function wav(...chunks: Buffer[]): Buffer {
  const format = Buffer.concat([u16le(1), u16le(1), u32le(8000), u32le(16_000), u16le(2), u16le(16)]);
  const body = Buffer.concat([
    ascii('WAVE'),
    wavChunk('fmt ', format),
    ...chunks,
    wavChunk('data', Buffer.alloc(16_000)),
  ]);
  return Buffer.concat([ascii('RIFF'), u32le(body.length), body]);
}

export const listInfo = (items: Record<string, string | Buffer>): Buffer =>
  wavChunk(
    'LIST',
    Buffer.concat([
      ascii('INFO'),
      ...Object.entries(items).map(([name, value]) =>
        wavChunk(name, Buffer.concat([Buffer.from(value), Buffer.alloc(1)])),
      ),
    ]),
  );
