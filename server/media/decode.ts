// Decodes files without external programs, with WebAssembly decoders chosen by the parsed codec. Synchronous work on
// untrusted bytes, so it runs in a thread that can be terminated.
import { MPEGDecoder } from 'mpg123-decoder';
import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import { OggOpusDecoder } from 'ogg-opus-decoder';
import { skipId3 } from './formats/leading-id3.ts';
import { pcmLayout, toChannels } from './pcm-layout.ts';
import type { AudioFacts, ByteSource } from './types.ts';
import { Window } from './buffered-source.ts';
import { formatFacts } from './audio-formats.ts';

/** Samples of each channel; 1 is full scale. */
export interface Samples {
  sampleRateHz: number;
  channels: readonly Float32Array[];
  frames: number;
}

const CHUNK_BYTES = 128 << 10;
const MAX_CHANNELS = 8;

interface Decoded {
  channelData: Float32Array[];
  samplesDecoded: number;
  sampleRate: number;
}
interface Decoder {
  ready: Promise<void>;
  decode(bytes: Uint8Array): Decoded | Promise<Decoded>;
  flush?(): Promise<Decoded>;
  free(): void;
}

/** `container`: the decoder also needs what precedes the payload. */
const DECODERS: Record<string, { create: () => Decoder; from: 'payload' | 'container' }> = {
  // the Xing frame before the payload has the encoder delay and padding
  mp1: { create: () => new MPEGDecoder(), from: 'container' },
  mp2: { create: () => new MPEGDecoder(), from: 'container' },
  mp3: { create: () => new MPEGDecoder(), from: 'container' },
  flac: { create: () => new FLACDecoder(), from: 'payload' },
  vorbis: { create: () => new OggVorbisDecoder(), from: 'container' },
  opus: { create: () => new OggOpusDecoder({ forceStereo: true }), from: 'container' },
};
export const canDecode = ({ format, codec }: Pick<AudioFacts, 'format' | 'codec'>): boolean =>
  codec === 'pcm'
    ? formatFacts(format)?.samples === 'plain'
    : formatFacts(format)?.samples === 'decoder' && codec in DECODERS;

/** Decodes a file for which `canDecode` is true, in non-empty parts. They are valid until the next is asked for. */
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
  for (let at = facts.payload.start; at < facts.payload.end; at += step) {
    const bytes = source.read(at, Math.min(step, facts.payload.end - at));
    const channels = toChannels(bytes, layout, facts.channels);
    yield { sampleRateHz, channels, frames: channels[0]?.length ?? 0 };
  }
}

async function* decodedSamples(source: ByteSource, { format, codec, payload }: AudioFacts): AsyncGenerator<Samples> {
  const kind = DECODERS[codec];
  if (!kind) return;
  const isOgg = formatFacts(format)?.demuxer === 'ogg';
  const start = kind.from === 'payload' && !isOgg && payload ? payload.start : skipId3(new Window(source));
  const end = isOgg ? source.size : (payload?.end ?? source.size);
  const decoder = kind.create();
  try {
    await decoder.ready;
    for (let at = start; at < end; at += CHUNK_BYTES) {
      yield samplesOf(await decoder.decode(Uint8Array.from(source.read(at, Math.min(CHUNK_BYTES, end - at)))));
    }
    if (decoder.flush) yield samplesOf(await decoder.flush());
  } finally {
    decoder.free();
  }
}

const samplesOf = ({ channelData, samplesDecoded, sampleRate }: Decoded): Samples => ({
  sampleRateHz: sampleRate,
  channels: channelData,
  frames: samplesDecoded,
});

/** As 16 bits, one frame after the other. */
export function interleaved({ channels, frames }: Pick<Samples, 'channels' | 'frames'>): Int16Array<ArrayBuffer> {
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
