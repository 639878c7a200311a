// A track decoded while it downloads, in growing pieces from the beginning, so that playback starts long before the
// download ends. Each piece contains the previous piece, sample for sample: decoders start at the first byte every
// time and trim encoder delay and padding (measured in docs/gapless.md).
import { nextPiece } from './timeline.ts';

interface SoundListener {
  /** Called with a longer piece from the beginning; `whole` is true if the piece is the whole track. */
  onPiece: (buffer: AudioBuffer, isWhole: boolean) => void;
  /** Called with the HTTP status, 0 if the server was not reached. */
  onFailed: (status: number | 'undecodable') => void;
  onProgress: (fraction: number) => void;
}

interface SoundSourceOptions {
  stream: (signal: AbortSignal) => Promise<Response>;
  bitrateKbps: number | null;
  decoder: BaseAudioContext;
  listener: SoundListener;
}

export class SoundSource {
  readonly #decoder: BaseAudioContext;
  readonly #listener: SoundListener;
  readonly #bitrateKbps: number | null;
  readonly #stopping = new AbortController();
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #received = 0;
  #total = 0;
  #fetched = false;
  #isCut = false;
  #decodedBytes = 0;
  #decoding = false;
  #wantsMore = true;

  /** Downloads the whole track and decodes the first piece. */
  constructor({ stream, bitrateKbps, decoder, listener }: SoundSourceOptions) {
    this.#bitrateKbps = bitrateKbps;
    this.#decoder = decoder;
    this.#listener = listener;
    this.#fetch(stream).catch(() => {
      this.#isCut = true;
      this.#decodeWhenDue(); // audio that has arrived can be played
      this.#fail(0);
    });
  }

  /** Requests the next piece. Nothing is decoded before it is needed, since a running decode cannot be cancelled. */
  more(): void {
    this.#wantsMore = true;
    this.#decodeWhenDue();
  }

  stop(): void {
    this.#stopping.abort();
    this.#chunks = [];
  }

  async #fetch(stream: (signal: AbortSignal) => Promise<Response>): Promise<void> {
    const response = await stream(this.#stopping.signal);
    if (!response.ok || !response.body) return this.#fail(response.status);
    this.#total = Number(response.headers.get('Content-Length') ?? 0);
    for await (const chunk of chunksOf(response.body)) {
      this.#chunks.push(chunk);
      this.#received += chunk.length;
      if (this.#total > 0) this.#listener.onProgress(this.#received / this.#total);
      this.#decodeWhenDue();
    }
    if (this.#received < this.#total) throw new Error('the stream ended early');
    this.#fetched = true;
    this.#decodeWhenDue();
    return undefined;
  }

  #decodeWhenDue(): void {
    const isDue =
      this.#fetched ||
      (this.#isCut && this.#received > this.#decodedBytes) ||
      (this.#received >= nextPiece(this.#decodedBytes, this.#bitrateKbps) && this.#received !== this.#total);
    if (this.#wantsMore && !this.#decoding && isDue && !this.#stopping.signal.aborted) void this.#decode(this.#fetched);
  }

  async #decode(isWhole: boolean): Promise<void> {
    this.#decoding = true;
    this.#wantsMore = false;
    this.#decodedBytes = this.#received;
    const bytes = concatenate(this.#chunks, this.#received);
    const buffer = await this.#decoder
      .decodeAudioData((isWhole ? bytes : decodablePart(bytes)).buffer)
      .catch(() => null);
    this.#decoding = false;
    if (this.#stopping.signal.aborted) return;
    if (isWhole) this.#chunks = [];
    if (buffer) this.#listener.onPiece(buffer, isWhole);
    else if (isWhole) this.#fail('undecodable');
    else this.#wantsMore = true; // some formats can only be decoded as a whole, so the end of the file is awaited
    if (!isWhole) this.#decodeWhenDue();
  }

  #fail(status: number | 'undecodable'): void {
    if (!this.#stopping.signal.aborted) this.#listener.onFailed(status);
  }
}

/** Reads the chunks with a reader, because Safari's streams are not async iterable. */
async function* chunksOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

function concatenate(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

const OGG_PAGE = [0x4f, 0x67, 0x67, 0x53]; // “OggS”

/**
 * Returns the part of a file that can be decoded by itself: an Ogg file is cut between two pages, other files
 * anywhere.
 */
export function decodablePart(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const isPage = (offset: number) => OGG_PAGE.every((byte, i) => bytes[offset + i] === byte);
  if (!isPage(0)) return bytes;
  for (let offset = bytes.length - OGG_PAGE.length; offset > 0; offset -= 1)
    if (isPage(offset)) return bytes.slice(0, offset);
  return bytes;
}
