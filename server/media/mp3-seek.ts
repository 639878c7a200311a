// Finds the position of a time in an MP3 file. Decodes nothing. Where all frames have the same size, the position is
// computed and one frame is read there; otherwise the headers of all frames before it are read, because the seek table
// at the front of such files is wrong by seconds in long files.
import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ByteRange } from '../storage/storage.ts';
import {
  exactFrameBytes,
  mpegFrameBytes,
  mpegSamplesOf,
  mpegStreamAt,
  mpegStreamOf,
  type MpegStream,
} from './formats/mpeg-header.ts';
import { readXingFrame, type XingFrame } from './formats/xing.ts';

const HEADER_BYTES = 4;
const ID3_HEADER_BYTES = 10;
const ID3_HAS_FOOTER = 0x10;
/** Delay of decoders, and the usual sum of encoder and decoder delay. */
const DECODER_DELAY_SAMPLES = 529;
const USUAL_DELAY_SAMPLES = 1_105;
/** Bytes that are read of the first frames, and around a computed position; no frame is larger than 2,881. */
const PART_BYTES = 16 << 10;

/** A file of which any part can be read. The end of a range is its last byte. */
interface Mp3File {
  open(range?: ByteRange): Promise<{ size: number; stream: Readable }>;
}

interface SeekOptions {
  /** Samples that the decoder skips in a file that does not name the delay of its encoder. */
  unnamedDelay?: number;
  signal?: AbortSignal | undefined;
}

/** Returns what findMp3Frame() returns, and reads as little of the file as possible. */
export async function seekInMp3(
  file: Mp3File,
  ms: number,
  { unnamedDelay = USUAL_DELAY_SAMPLES, signal }: SeekOptions = {},
): Promise<number | undefined> {
  const abortable: Mp3File = {
    async open(range) {
      const opened = await file.open(range);
      if (signal) addAbortSignal(signal, opened.stream);
      return opened;
    },
  };
  const computedPosition = await findFrameOfConstantSize(abortable, ms, unnamedDelay);
  if (computedPosition !== undefined) return computedPosition;
  const { stream } = await abortable.open();
  try {
    return await findMp3Frame(stream, ms, unnamedDelay);
  } finally {
    stream.destroy();
  }
}

/**
 * Returns the position of the frame that plays at `ms` where the first frame names the number and the bytes of all
 * frames, these agree with one bit rate, and there is a frame at the computed position; otherwise undefined.
 */
async function findFrameOfConstantSize(file: Mp3File, ms: number, unnamedDelay: number): Promise<number | undefined> {
  const front = await readPart(file, 0, PART_BYTES);
  const tagBytes = leadingTagBytes(front);
  const head = tagBytes === 0 ? front : await readPart(file, tagBytes, PART_BYTES);
  const headerFrameBytes = head.length < HEADER_BYTES ? 0 : mpegFrameBytes(head, 0);
  if (headerFrameBytes === 0 || headerFrameBytes + HEADER_BYTES > head.length) return undefined;
  const stream = mpegStreamAt(head, 0);
  const facts = readXingFrame(head, 0, headerFrameBytes, stream);
  const firstFrameBytes = mpegFrameBytes(head, headerFrameBytes);
  if (facts?.frames === undefined || facts.bytes === undefined || firstFrameBytes === 0) return undefined;
  const frameBytes = exactFrameBytes(head, headerFrameBytes);
  const isConstant = Math.abs(facts.frames * frameBytes - (facts.bytes - headerFrameBytes)) < frameBytes / 2;
  const index = Math.max(0, Math.ceil(wantedSamplesAt(ms, stream, facts, unnamedDelay) / stream.samplesPerFrame));
  if (!isConstant || index >= facts.frames) return undefined;
  const computed = tagBytes + headerFrameBytes + index * frameBytes;
  const start = Math.max(0, Math.floor(computed - PART_BYTES / 2));
  const part = await readPart(file, start, PART_BYTES);
  const kind = mpegStreamOf(head, headerFrameBytes);
  const isFrame = (position: number): boolean =>
    mpegFrameBytes(part, position) > 0 && mpegStreamOf(part, position) === kind;
  const last = Math.min(computed - start + frameBytes / 4, part.length - 2 * frameBytes - HEADER_BYTES);
  for (let position = Math.ceil(computed - start - frameBytes / 4); position <= last; position += 1)
    if (position >= 0 && isFrame(position) && isFrame(position + mpegFrameBytes(part, position)))
      return start + position;
  return undefined;
}

async function readPart(file: Mp3File, start: number, length: number): Promise<Buffer> {
  const { stream } = await file.open({ start, end: start + length - 1 });
  return buffer(stream);
}

/** Returns the number of samples before the frame that plays at `ms`, at least. */
function wantedSamplesAt(
  ms: number,
  { sampleRateHz, samplesPerFrame }: MpegStream,
  facts: XingFrame | undefined,
  unnamedDelay: number,
): number {
  const delay = facts && facts.delay > 0 ? facts.delay + DECODER_DELAY_SAMPLES : unnamedDelay;
  return Math.floor((ms * sampleRateHz) / 1_000) + delay - samplesPerFrame + 1;
}

/**
 * Returns the position in the file of the frame that plays at `ms`, or of the last frame; undefined without frames.
 * Reads the stream no further than that frame. In a file that does not name the delay of its encoder, the decoder is
 * taken to skip `unnamedDelay` samples: browsers skip the usual delay, ffmpeg skips nothing.
 */
export async function findMp3Frame(
  stream: AsyncIterable<Buffer>,
  ms: number,
  unnamedDelay = USUAL_DELAY_SAMPLES,
): Promise<number | undefined> {
  const search = new FrameSearch(ms, unnamedDelay);
  for await (const chunk of stream) {
    const position = search.push(chunk);
    if (position !== undefined) return position;
  }
  return search.lastFrame;
}

class FrameSearch {
  readonly #ms: number;
  readonly #unnamedDelay: number;
  /** The bytes of the file from `#start` on that were not examined yet. */
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  /** Number of bytes to skip, which are the rest of a tag. */
  #skipped = 0;
  #isFirstChunk = true;
  /** Header bits that all frames share; undefined before the first frame. */
  #kind: number | undefined;
  #samples = 0;
  #wantedSamples = Infinity;
  /** Position after the last frame. */
  #end: number | undefined;
  /** Position of the last counted frame. */
  lastFrame: number | undefined;

  constructor(ms: number, unnamedDelay: number) {
    this.#ms = ms;
    this.#unnamedDelay = unnamedDelay;
  }

  /** Returns the byte offset to seek to once it is found; undefined until then. */
  push(chunk: Buffer): number | undefined {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    if (this.#isFirstChunk) {
      if (this.#bytes.length < ID3_HEADER_BYTES) return undefined;
      this.#skipped = leadingTagBytes(this.#bytes);
      this.#isFirstChunk = false;
    }
    const skippedBytes = Math.min(this.#skipped, this.#bytes.length);
    this.#skipped -= skippedBytes;
    let position = skippedBytes;
    // reads the header of each frame, and of the frame that has to follow
    for (let length = 1; position + HEADER_BYTES <= this.#bytes.length; position += length) {
      const frameBytes = this.#frameBytes(position);
      if (position + frameBytes + HEADER_BYTES > this.#bytes.length) break;
      // a frame directly after another needs no successor: the file may be damaged behind it
      const isFrame =
        frameBytes > 0 && (this.#end === this.#start + position || this.#hasSuccessor(position, frameBytes));
      length = isFrame ? frameBytes : 1;
      if (!isFrame) continue;
      this.#end = this.#start + position + frameBytes;
      if (this.#kind === undefined && this.#isHeaderFrame(position, frameBytes)) continue;
      if (this.#samples >= this.#wantedSamples) return this.#start + position;
      this.#samples += mpegSamplesOf(this.#bytes, position);
      this.lastFrame = this.#start + position;
    }
    this.#start += position;
    this.#bytes = this.#bytes.subarray(position);
    return undefined;
  }

  /** Returns the size of the frame at this index; 0 when there is no frame of this file. */
  #frameBytes(index: number): number {
    const isOfFile = this.#kind === undefined || mpegStreamOf(this.#bytes, index) === this.#kind;
    return isOfFile ? mpegFrameBytes(this.#bytes, index) : 0;
  }

  /** Returns whether a frame of the same kind follows: before the first frame, other bytes may look like a frame. */
  #hasSuccessor(index: number, frameBytes: number): boolean {
    const nextHeader = index + frameBytes;
    return (
      mpegFrameBytes(this.#bytes, nextHeader) > 0 &&
      mpegStreamOf(this.#bytes, nextHeader) === mpegStreamOf(this.#bytes, index)
    );
  }

  /** Reads the properties of the first frame; returns true when it has facts about the file instead of sound. */
  #isHeaderFrame(index: number, frameBytes: number): boolean {
    const stream = mpegStreamAt(this.#bytes, index);
    const facts = readXingFrame(this.#bytes, index, frameBytes, stream);
    this.#kind = mpegStreamOf(this.#bytes, index);
    this.#wantedSamples = wantedSamplesAt(this.#ms, stream, facts, this.#unnamedDelay);
    return facts !== undefined;
  }
}

function leadingTagBytes(bytes: Buffer): number {
  if (bytes.toString('latin1', 0, 3) !== 'ID3') return 0;
  // the highest bit of each byte is not part of the size
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, ID3_HEADER_BYTES).map((byte) => byte & 0x7f);
  const footer = ((bytes[5] ?? 0) & ID3_HAS_FOOTER) > 0 ? ID3_HEADER_BYTES : 0;
  return ID3_HEADER_BYTES + ((a << 21) | (b << 14) | (c << 7) | d) + footer;
}
