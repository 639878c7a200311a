// Parses headers of MPEG audio frames (layers I to III) and ADTS frames by tables, since a walk reads millions of them.
// http://mpgedit.org/mpgedit/mpeg_format/mpeghdr.htm

const KBPS: Record<string, number[]> = {
  '1.1': [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1.2': [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1.3': [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2.1': [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2.2': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2.3': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const RATES = [44100, 48000, 32000];

/** Frame size by the low four bits of the second byte (version, layer) and the third byte; 0 means no frame. */
const frameBytes = new Uint16Array(4096);
for (let i = 0; i < frameBytes.length; i++) {
  const secondByte = (i >> 8) << 1;
  const thirdByte = i & 0xff;
  const kbps = kbpsOf(secondByte, thirdByte);
  if (kbps > 0) frameBytes[i] = lengthOf(secondByte, thirdByte, kbps);
}

function kbpsOf(secondByte: number, thirdByte: number): number {
  const layer = 4 - ((secondByte >> 1) & 3);
  const version = (secondByte >> 3) & 3; // version bits: 3 is MPEG 1, 2 is MPEG 2, 0 is MPEG 2.5
  if (layer === 4 || version === 1 || ((thirdByte >> 2) & 3) === 3) return 0;
  // the free format (0) has no length in the header
  return KBPS[`${version === 3 ? 1 : 2}.${layer}`]?.[(thirdByte >> 4) - 1] ?? 0;
}

function lengthOf(secondByte: number, thirdByte: number, kbps: number): number {
  const layer = 4 - ((secondByte >> 1) & 3);
  const padding = (thirdByte >> 1) & 1;
  const rate = rateOf(secondByte, thirdByte);
  if (layer === 1) return (Math.floor((12_000 * kbps) / rate) + padding) * 4;
  return Math.floor(((layer === 3 && (secondByte & 0x18) !== 0x18 ? 72_000 : 144_000) * kbps) / rate) + padding;
}

function rateOf(secondByte: number, thirdByte: number): number {
  const version = (secondByte >> 3) & 3;
  return (RATES[(thirdByte >> 2) & 3] ?? 0) / (version === 3 ? 1 : version === 2 ? 2 : 4);
}

/** Returns the size of the frame at `i`, 0 if there is none. Needs three bytes. */
export function mpegFrameBytes(b: Uint8Array, i: number): number {
  const secondByte = b[i + 1] as number;
  if (b[i] !== 0xff || (secondByte & 0xe0) !== 0xe0) return 0;
  return frameBytes[((secondByte & 0x1e) << 7) | (b[i + 2] as number)] as number;
}

/** Returns the size of the frame at `i` with the fraction that padding makes up for over several frames. */
export function exactFrameBytes(b: Uint8Array, i: number): number {
  const [secondByte = 0, thirdByte = 0] = b.subarray(i + 1, i + 3);
  return (mpegSamplesOf(b, i) * 125 * kbpsOf(secondByte, thirdByte)) / rateOf(secondByte, thirdByte);
}

/** Returns version, layer and sample rate, which do not change within a stream, as one number. */
export const mpegStreamOf = (b: Uint8Array, i: number): number =>
  (((b[i + 1] as number) & 0x1e) << 8) | ((b[i + 2] as number) & 0x0c);

export function mpegSamplesOf(b: Uint8Array, i: number): number {
  const secondByte = b[i + 1] as number;
  const layer = 4 - ((secondByte >> 1) & 3);
  return layer === 1 ? 384 : layer === 3 && (secondByte & 0x18) !== 0x18 ? 576 : 1152;
}

export interface MpegStream {
  layer: number;
  isMpeg1: boolean;
  sampleRateHz: number;
  channels: number;
  samplesPerFrame: number;
}

export function mpegStreamAt(b: Uint8Array, i: number): MpegStream {
  const secondByte = b[i + 1] as number;
  const layer = 4 - ((secondByte >> 1) & 3);
  const isMpeg1 = (secondByte & 0x18) === 0x18;
  return {
    layer,
    isMpeg1,
    sampleRateHz: rateOf(secondByte, b[i + 2] as number),
    channels: ((b[i + 3] as number) & 0xc0) === 0xc0 ? 1 : 2,
    samplesPerFrame: mpegSamplesOf(b, i),
  };
}

const ADTS_RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350];

/** Returns the size of the ADTS frame at `i`, 0 if there is none. Needs six bytes. */
export function adtsFrameBytes(b: Uint8Array, i: number): number {
  if (b[i] !== 0xff || ((b[i + 1] as number) & 0xf6) !== 0xf0 || (((b[i + 2] as number) >> 2) & 15) > 12) return 0;
  const length = (((b[i + 3] as number) & 3) << 11) | ((b[i + 4] as number) << 3) | ((b[i + 5] as number) >> 5);
  return length >= 7 ? length : 0;
}

/** Returns profile and sample rate of an ADTS stream as one number. */
export const adtsStreamOf = (b: Uint8Array, i: number): number =>
  (((b[i + 1] as number) & 0x0e) << 8) | ((b[i + 2] as number) & 0xfc);

export const adtsRate = (b: Uint8Array, i: number): number => ADTS_RATES[((b[i + 2] as number) >> 2) & 15] ?? 0;
/** Returns the number of channels. Configuration 7 means eight channels; 0 means that the number is in the stream. */
export function adtsChannels(b: Uint8Array, i: number): number {
  const configuration = (((b[i + 2] as number) & 1) << 2) | ((b[i + 3] as number) >> 6);
  return configuration === 7 ? 8 : configuration === 0 ? 2 : configuration;
}
