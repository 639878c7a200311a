// Decodes files without external programs, with WebAssembly decoders chosen by the parsed codec. Decoding is
// synchronous work on untrusted bytes, so it runs in a thread that can be terminated.
import { MPEGDecoder } from 'mpg123-decoder';
import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import { OggOpusDecoder } from 'ogg-opus-decoder';
import { skipId3 } from './formats/leading-id3.ts';
import { pcmLayout, toChannels } from './pcm-layout.ts';
import type { AudioFacts, ByteSource } from './types.ts';
import { Window } from './buffered-source.ts';
import { formatFacts } from './audio-formats.ts';

/** Decoded samples of each channel; 1 is full scale. */
export interface Samples {
  sampleRateHz: number;
  channels: readonly Float32Array[];
  frames: number;
}

const CHUNK_BYTES = 128 << 10;
const MAX_CHANNELS = 8;

interface DecodedFrames {
  channelData: Float32Array[];
  samplesDecoded: number;
  sampleRate: number;
}
interface Decoder {
  ready: Promise<void>;
  decode(bytes: Uint8Array): DecodedFrames | Promise<DecodedFrames>;
  flush?(): Promise<DecodedFrames>;
  free(): void;
}

/** Decoders by codec. With the input `container`, the decoder also needs the bytes before the payload. */
const DECODERS: Record<string, { create: () => Decoder; input: 'payload' | 'container' }> = {
  // the Xing frame before the payload has the encoder delay and padding
  mp1: { create: () => new MPEGDecoder(), input: 'container' },
  mp2: { create: () => new MPEGDecoder(), input: 'container' },
  mp3: { create: () => new MPEGDecoder(), input: 'container' },
  flac: { create: () => new FLACDecoder(), input: 'payload' },
  vorbis: { create: () => new OggVorbisDecoder(), input: 'container' },
  opus: { create: () => new OggOpusDecoder({ forceStereo: true }), input: 'container' },
};
export const canDecode = ({ format, codec }: Pick<AudioFacts, 'format' | 'codec'>): boolean =>
  codec === 'pcm'
    ? formatFacts(format)?.samples === 'plain'
    : formatFacts(format)?.samples === 'decoder' && codec in DECODERS;

/** Decodes a file for which `canDecode` is true. Yields non-empty parts, which are valid until the next one. */
export async function* decodeSamples(source: ByteSource, facts: AudioFacts): AsyncGenerator<Samples> {
  if (facts.channels > MAX_CHANNELS) return;
  for await (const part of facts.codec === 'pcm' ? plainSamples(source, facts) : decodedSamples(source, facts)) {
    if (part.frames > 0) yield part;
  }
}

function* plainSamples(source: ByteSource, facts: AudioFacts): Generator<Samples> {
  const layout = pcmLayout(source, facts);
  if (!layout || !facts.payload) return;
  const { sampleRateHz } = facts;
  const frameBytes = layout.bytes * facts.channels;
  const step = Math.floor(CHUNK_BYTES / frameBytes) * frameBytes;
  for (let position = facts.payload.start; position < facts.payload.end; position += step) {
    const bytes = source.read(position, Math.min(step, facts.payload.end - position));
    const channels = toChannels(bytes, layout, facts.channels);
    yield { sampleRateHz, channels, frames: channels[0]?.length ?? 0 };
  }
}

async function* decodedSamples(source: ByteSource, { format, codec, payload }: AudioFacts): AsyncGenerator<Samples> {
  const kind = DECODERS[codec];
  if (!kind) return;
  const isOgg = formatFacts(format)?.demuxer === 'ogg';
  const start = kind.input === 'payload' && !isOgg && payload ? payload.start : skipId3(new Window(source));
  const end = isOgg ? source.size : (payload?.end ?? source.size);
  const decoder = kind.create();
  try {
    await decoder.ready;
    for (let position = start; position < end; position += CHUNK_BYTES) {
      yield samplesOf(
        await decoder.decode(Uint8Array.from(source.read(position, Math.min(CHUNK_BYTES, end - position)))),
      );
    }
    if (decoder.flush) yield samplesOf(await decoder.flush());
  } finally {
    decoder.free();
  }
}

const samplesOf = ({ channelData, samplesDecoded, sampleRate }: DecodedFrames): Samples => ({
  sampleRateHz: sampleRate,
  channels: channelData,
  frames: samplesDecoded,
});

/** Converts samples to interleaved 16-bit integers. */
export function interleave({ channels, frames }: Pick<Samples, 'channels' | 'frames'>): Int16Array<ArrayBuffer> {
  const samples = new Int16Array(frames * channels.length);
  channels.forEach((data, channel) => {
    for (let i = 0; i < frames; i++)
      samples[i * channels.length + channel] = Math.max(
        -32_768,
        Math.min(32_767, Math.round((data[i] as number) * 32_768)),
      );
  });
  return samples;
}
