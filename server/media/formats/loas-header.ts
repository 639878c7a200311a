// Reads AAC in LOAS, where each frame may contain the configuration of its audio. ISO/IEC 14496-3, 1.7
import { BitReader } from '../bit-reader.ts';
import { readAacConfiguration, type AacConfiguration } from './aac-configuration.ts';
import type { FrameKind } from './frame-walk.ts';

const HEADER_BYTES = 40;
const SYNC_BYTES = 3;

const isSync = (b: Uint8Array, i: number): boolean => b[i] === 0x56 && ((b[i + 1] as number) & 0xe0) === 0xe0;

function frameBytes(b: Uint8Array, i: number): number {
  if (!isSync(b, i)) return 0;
  const length = (((b[i + 1] as number) & 0x1f) << 8) | (b[i + 2] as number);
  return length === 0 ? 0 : length + SYNC_BYTES;
}

/** Reads the configuration at the start of the frame at `i`; undefined if the previous one stays valid. */
function configurationAt(b: Uint8Array, i: number): (AacConfiguration & { parts: number }) | undefined {
  const bits = new BitReader(b, i + SYNC_BYTES, Math.min(b.length, i + HEADER_BYTES));
  const readValue = (): number => bits.read((bits.read(2) + 1) * 8);
  if (bits.read(1) === 1) return undefined;
  const version = bits.read(1);
  if (version === 1 && bits.read(1) === 1) return undefined; // a reserved version
  if (version === 1) readValue();
  bits.read(1);
  const parts = bits.read(6) + 1;
  if (bits.read(7) !== 0) return undefined; // in practice, streams have one program with one layer
  if (version === 1) readValue();
  const configuration = readAacConfiguration(bits);
  return configuration.sampleRateHz > 0 ? { ...configuration, parts } : undefined;
}

/** Returns whether a frame with its configuration is at `i`. Needs 40 bytes. */
export const isLoas = (b: Uint8Array, i: number): boolean =>
  frameBytes(b, i) > 0 && configurationAt(b, i) !== undefined;

export function loasConfiguration(b: Uint8Array, i: number): AacConfiguration {
  return configurationAt(b, i) ?? { sampleRateHz: 0, coreRateHz: 0, channels: 0, samplesPerFrame: 0 };
}

export const LOAS_FRAMES: FrameKind = {
  headerBytes: HEADER_BYTES,
  sync: 0x56,
  frameBytes,
  // all frames count as one stream, because most have no configuration
  streamOf: () => 0,
  samplesOf(b, i) {
    const { samplesPerFrame = 1024, parts = 1 } = configurationAt(b, i) ?? {};
    return samplesPerFrame * parts;
  },
};
