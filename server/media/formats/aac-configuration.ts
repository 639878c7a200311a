// Reads AAC's AudioSpecificConfig, in MP4 and LOAS. ISO/IEC 14496-3, 1.6.2.1 and 4.4.1
import type { BitReader } from '../bit-reader.ts';

const RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350];
const SBR = 5;
const PS = 29;

export interface AacConfiguration {
  /** Sample rate of the output; twice that of the frames if SBR is declared. 0 if unknown. */
  sampleRateHz: number;
  /** Sample rate of the frames. */
  coreRateHz: number;
  /** Number of channels; 0 if the number is in the stream itself. */
  channels: number;
  samplesPerFrame: number;
}

export function readAacConfiguration(bits: BitReader): AacConfiguration {
  const readType = (): number => {
    const type = bits.read(5);
    return type === 31 ? 32 + bits.read(6) : type;
  };
  const readRate = (): number => {
    const index = bits.read(4);
    return index === 15 ? bits.read(24) : (RATES[index] ?? 0);
  };
  const type = readType();
  const coreRateHz = readRate();
  const channels = bits.read(4);
  const isExtended = type === SBR || type === PS;
  const sampleRateHz = (isExtended && readRate()) || coreRateHz;
  if (isExtended) readType();
  return {
    sampleRateHz,
    coreRateHz,
    channels: channels > 7 ? 0 : type === PS && channels > 0 ? 2 : channels === 7 ? 8 : channels,
    samplesPerFrame: bits.read(1) === 1 ? 960 : 1024,
  };
}
