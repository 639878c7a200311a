// Finds the position of a time in an MP3 file. Reads the headers of all frames before it and decodes nothing, because
// the seek table at the front of such files is wrong by seconds in long files.
import { mpegFrameBytes, mpegSamplesOf, mpegStreamAt, mpegStreamOf } from './formats/mpeg-header.ts';
import { readXingFrame } from './formats/xing.ts';

const HEADER_BYTES = 4;
const ID3_HEADER_BYTES = 10;
const ID3_HAS_FOOTER = 0x10;
/** Delay of decoders, and the usual sum of encoder and decoder delay. */
const DECODER_DELAY_SAMPLES = 529;
const USUAL_DELAY_SAMPLES = 1_105;

/**
 * Returns the position in the file of the frame that plays at `ms`, or of the last frame; undefined without frames.
 * Reads the stream no further than that frame.
 */
export async function findMp3Frame(stream: AsyncIterable<Buffer>, ms: number): Promise<number | undefined> {
  const search = new FrameSearch(ms);
  for await (const chunk of stream) {
    const position = search.push(chunk);
    if (position !== undefined) return position;
  }
  return search.lastFrame;
}

class FrameSearch {
  readonly #ms: number;
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

  constructor(ms: number) {
    this.#ms = ms;
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
    const delay = facts && facts.delay > 0 ? facts.delay + DECODER_DELAY_SAMPLES : USUAL_DELAY_SAMPLES;
    this.#kind = mpegStreamOf(this.#bytes, index);
    this.#wantedSamples = Math.floor((this.#ms * stream.sampleRateHz) / 1_000) + delay - stream.samplesPerFrame + 1;
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
