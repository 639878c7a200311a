// Reads the header packets of the codecs in Ogg.
// Vorbis https://xiph.org/vorbis/doc/Vorbis_I_spec.html, Opus RFC 7845, FLAC https://xiph.org/flac/ogg_mapping.html,
// Speex manual 7.3
import { u16be, u16le, u32le } from '../integers.ts';
import { matches } from '../picture-mime.ts';
import type { TagBuilder } from '../tag-builder.ts';
import type { Window } from '../buffered-source.ts';
import { streamInfoAt } from './flac-stream-info.ts';
import { OggPackets, type OggPage } from './ogg-pages.ts';
import { opusPageSamples } from './opus-packets.ts';
import { readPictureBlock } from './picture-block.ts';
import { readVorbisComment } from './vorbis-comment.ts';

export interface OggStream {
  codec: 'vorbis' | 'opus' | 'flac' | 'speex';
  serial: number;
  sampleRateHz: number;
  /** Granules per second. */
  granuleRate: number;
  channels: number;
  bitDepth?: number;
  preSkip: number;
  /** Number of samples; 0 if no header has it. */
  totalSamples: number;
  /** Position of the first audio page, 0 if the file ends before. */
  audioAt: number;
  /** Returns the number of samples of the packets that end on a page, as far as the headers tell. */
  pageSamples(window: Window, page: OggPage): number;
}

const FIRST_PACKET_BYTES = 80;
/** Maximum number of FLAC header packets that are read. */
const MAX_HEADER_PACKETS = 200;

/** Reads the stream with this first page; undefined for other codecs. Without `builder`, reads one packet only. */
export function readOggHeaders(
  window: Window,
  firstPage: OggPage,
  builder: TagBuilder | undefined,
  keepPictures: boolean,
): OggStream | undefined {
  const packets = new OggPackets(window, firstPage);
  if (!packets.next()) return undefined;
  const length = Math.min(packets.bytesOnPage, FIRST_PACKET_BYTES);
  const i = packets.take(length);
  if (i < 0 || length < 16) return undefined;
  const b = packets.bytes;
  if (matches(b, i, 'OpusHead') && length >= 19)
    return opus(window, packets, b, i, firstPage.serial, builder, keepPictures);
  if (matches(b, i, '\x01vorbis') && length >= 30)
    return vorbis(packets, b, i, firstPage.serial, builder, keepPictures);
  if (matches(b, i, '\x7fFLAC') && length >= 51) return flac(window, packets, firstPage, builder, keepPictures);
  if (matches(b, i, 'Speex   ') && length >= 80) return speex(packets, b, i, firstPage.serial, builder, keepPictures);
  return undefined;
}

function vorbis(
  packets: OggPackets,
  b: Buffer,
  i: number,
  serial: number,
  builder: TagBuilder | undefined,
  keepPictures: boolean,
): OggStream | undefined {
  const sampleRateHz = u32le(b, i + 12);
  const channels = b[i + 11] as number;
  const longBlock = 1 << ((b[i + 28] as number) >> 4);
  if (sampleRateHz === 0 || channels === 0) return undefined;
  readCommentPacket(packets, '\x03vorbis', builder, keepPictures);
  if (builder) packets.next(); // skips the setup header
  return {
    codec: 'vorbis',
    serial,
    sampleRateHz,
    granuleRate: sampleRateHz,
    channels,
    preSkip: 0,
    totalSamples: 0,
    audioAt: packets.pageEnd(),
    pageSamples: (window, page) => (packetsOn(window, page) * longBlock) / 2,
  };
}

function opus(
  window: Window,
  packets: OggPackets,
  b: Buffer,
  i: number,
  serial: number,
  builder: TagBuilder | undefined,
  keepPictures: boolean,
): OggStream | undefined {
  const channels = b[i + 9] as number;
  const preSkip = u16le(b, i + 10);
  if (channels === 0) return undefined;
  readCommentPacket(packets, 'OpusTags', builder, keepPictures);
  return {
    codec: 'opus',
    serial,
    sampleRateHz: 48_000,
    granuleRate: 48_000,
    channels,
    preSkip,
    totalSamples: 0,
    audioAt: packets.pageEnd(),
    pageSamples: opusPageSamples,
  };
}

function speex(
  packets: OggPackets,
  b: Buffer,
  i: number,
  serial: number,
  builder: TagBuilder | undefined,
  keepPictures: boolean,
): OggStream | undefined {
  const sampleRateHz = u32le(b, i + 36);
  const channels = u32le(b, i + 48);
  const extraHeaders = u32le(b, i + 68);
  if (sampleRateHz === 0 || channels === 0 || channels > 2) return undefined;
  readCommentPacket(packets, '', builder, keepPictures);
  for (let n = builder ? Math.min(extraHeaders, MAX_HEADER_PACKETS) : 0; n > 0; n--) packets.next();
  return {
    codec: 'speex',
    serial,
    sampleRateHz,
    granuleRate: sampleRateHz,
    channels,
    preSkip: 0,
    totalSamples: 0,
    audioAt: packets.pageEnd(),
    pageSamples: () => Infinity, // encoders start counting at their look-ahead, so the first page cannot tell an offset
  };
}

/**
 * Reads the headers of FLAC: `\x7fFLAC`, version, number of headers, `fLaC`, STREAMINFO; then one metadata block per
 * packet.
 */
function flac(
  window: Window,
  packets: OggPackets,
  firstPage: OggPage,
  builder: TagBuilder | undefined,
  keepPictures: boolean,
): OggStream | undefined {
  const info = streamInfoAt(window, firstPage.bodyAt + 17);
  if (!info) return undefined;
  const k = window.at(firstPage.bodyAt + 7, 2);
  const headers = Math.min(u16be(window.bytes, k) || MAX_HEADER_PACKETS, MAX_HEADER_PACKETS);
  let isLast = false;
  for (let n = 0; builder && n < headers && !isLast && packets.next(); n++) {
    const i = packets.take(4);
    if (i < 0) break;
    const type = packets.bytes[i] as number;
    isLast = (type & 0x80) !== 0;
    if ((type & 0x7f) === 4) readVorbisComment(packets, builder, keepPictures);
    else if ((type & 0x7f) === 6) readPicturePacket(packets, builder, keepPictures);
  }
  return {
    codec: 'flac',
    serial: firstPage.serial,
    sampleRateHz: info.sampleRateHz,
    granuleRate: info.sampleRateHz,
    channels: info.channels,
    bitDepth: info.bitDepth,
    preSkip: 0,
    totalSamples: info.samples,
    audioAt: packets.pageEnd(),
    pageSamples: (w, page) => packetsOn(w, page) * info.maxBlock,
  };
}

function readCommentPacket(
  packets: OggPackets,
  magic: string,
  builder: TagBuilder | undefined,
  keepPictures: boolean,
): void {
  if (!builder || !packets.next()) return;
  const i = packets.take(magic.length);
  if (i >= 0 && matches(packets.bytes, i, magic)) readVorbisComment(packets, builder, keepPictures);
}

/** Reads a PICTURE block in a packet. Page headers interrupt the block, so it counts as encoded. */
function readPicturePacket(packets: OggPackets, builder: TagBuilder, keepPictures: boolean): void {
  const parts: Buffer[] = [];
  for (let remaining = keepPictures ? 28 << 20 : 1024; remaining > 0 && packets.bytesOnPage > 0;) {
    const length = Math.min(remaining, packets.bytesOnPage);
    const i = packets.take(length);
    if (i < 0) return;
    parts.push(Buffer.from(packets.bytes.subarray(i, i + length)));
    remaining -= length;
    if (packets.bytesOnPage === 0 && !packets.continueOnNextPage()) break;
  }
  const block = Buffer.concat(parts);
  readPictureBlock(block, 0, block.length, -1, builder, { keepBytes: keepPictures });
}

/** Returns the number of packets that end on a page. */
function packetsOn(window: Window, page: OggPage): number {
  const i = window.at(page.position + 27, page.segments);
  let count = 0;
  for (let n = 0; i >= 0 && n < page.segments; n++) if (window.bytes[i + n] !== 255) count++;
  return count;
}
