// Checks pictures by their content and resizes them. sharp is loaded with the first picture, to save start time and
// memory.
import { hash } from 'node:crypto';
import type sharpModule from 'sharp';
import type { Sharp } from 'sharp';
import { sniffPicture } from '../media/picture-mime.ts';

export const MAX_COVER_BYTES = 20 << 20;
/**
 * Larger pictures are refused: a PNG of 30,000 × 30,000 pixels may be a few kilobytes, and takes gigabytes when
 * decoded. The scan of a record's sleeve at 600 dpi has 5.2e7 pixels.
 */
const MAX_PIXELS = 1e8;
const ENCODING_QUALITY = 82;
/** A picture that a person uploads is stored as it is up to these limits; a larger one is made smaller. */
const MAX_STORED = { pixels: 3_000, bytes: 5 << 20 };
/** Time limit for decoding, because somebody may have made a picture that takes very long. */
const MAX_DECODE_SECONDS = 15;
/** The effort of WebP encoding, 0 to 6. The usual 4 takes half as long again for 3 % fewer bytes. */
const WEBP_EFFORT = 2;
/** mozjpeg's table for quantisation. With mozjpeg's search for the best encoding a picture took twice as long. */
const JPEG_QUANTISATION_TABLE = 3;

/**
 * The format of resized pictures: WebP for browsers, which is smaller; JPEG for Subsonic clients, which all support it.
 */
export type SizedFormat = 'webp' | 'jpeg';

const FORMATS = {
  'image/jpeg': { ext: 'jpg', sharpFormat: 'jpeg' },
  'image/png': { ext: 'png', sharpFormat: 'png' },
  'image/webp': { ext: 'webp', sharpFormat: 'webp' },
  'image/gif': { ext: 'gif', sharpFormat: 'gif' },
  'image/avif': { ext: 'avif', sharpFormat: 'heif' },
} as const;
type CoverMime = keyof typeof FORMATS;

export const COVER_MIMES = Object.keys(FORMATS) as CoverMime[];
export const COVER_EXTENSIONS = Object.values(FORMATS).map((format) => format.ext);

/** A picture that passed the checks. `etag` is the first 32 hex digits of its SHA-256. */
export interface Cover {
  bytes: Buffer;
  ext: string;
  mime: string;
  etag: string;
  /** Width in pixels. */
  width: number;
  height: number;
}

/** Thrown for a picture that cannot be used as a cover; `message` says why. */
export class UnusablePicture extends Error {
  override name = 'UnusablePicture';
}

/**
 * Thrown when reading was cut off, because the machine is busy or the server is closing. It says nothing about the
 * picture.
 */
export class PictureNotRead extends UnusablePicture {
  override name = 'PictureNotRead';
}

/**
 * Checks the header of a picture; a truncated picture passes, because its upper part can be shown. Throws
 * UnusablePicture.
 */
export async function checkPicture(bytes: Buffer): Promise<Cover> {
  if (bytes.length > MAX_COVER_BYTES) throw new UnusablePicture('the picture is larger than 20 MB');
  const mime = (isAvif(bytes) ? 'image/avif' : sniffPicture(bytes)) as CoverMime | undefined;
  if (mime === undefined || !(mime in FORMATS))
    // SVG is refused here, so it is never decoded
    throw new UnusablePicture('it is not a JPEG, PNG, WebP, GIF or AVIF picture');
  const sharp = await loadSharp();
  const metadata = await sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'none' })
    .metadata()
    .catch((cause: unknown) => {
      throw new UnusablePicture('the picture is damaged or has too many pixels', { cause });
    });
  if (metadata.format !== FORMATS[mime].sharpFormat)
    throw new UnusablePicture('the picture is not of the format that it claims');
  const { width, height } = metadata.autoOrient;
  return { bytes, mime, ext: FORMATS[mime].ext, etag: hash('sha256', bytes, 'hex').slice(0, 32), width, height };
}

/**
 * Returns the picture as it is up to MAX_STORED, or makes it smaller, since covers could otherwise fill the disk.
 * Throws UnusablePicture.
 */
export async function limitPicture(bytes: Buffer): Promise<Cover> {
  const original = await checkPicture(bytes);
  const isLarge = Math.max(original.width, original.height) > MAX_STORED.pixels || bytes.length > MAX_STORED.bytes;
  return isLarge ? checkPicture(await resizePicture(bytes, MAX_STORED.pixels, 'webp')) : original;
}

/**
 * Fits a picture into a square of `size` pixels, without enlarging it. Throws UnusablePicture when no part of it can be
 * decoded.
 */
export async function resizePicture(bytes: Buffer, size: number, format: SizedFormat = 'webp'): Promise<Buffer> {
  const sharp = await loadSharp();
  const resizeWith = (failOn: 'warning' | 'none'): Promise<Buffer> =>
    encode(
      sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn })
        .timeout({ seconds: MAX_DECODE_SECONDS })
        .autoOrient()
        .resize({ width: size, height: size, fit: 'inside', withoutEnlargement: true }),
      format,
    ).toBuffer();
  try {
    // the second attempt ignores errors, and shows the upper part of a truncated picture
    return await resizeWith('warning').catch(() => resizeWith('none'));
  } catch (cause) {
    throw new UnusablePicture('the picture cannot be decoded', { cause });
  }
}

export interface Tile {
  bytes: Buffer;
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Draws a square of pictures, each cropped to fill its tile. If some cannot be decoded, returns these instead. */
export async function composePictures(
  tiles: readonly Tile[],
  size: number,
  format: SizedFormat,
): Promise<{ picture?: Buffer; unusable: Buffer[] }> {
  const sharp = await loadSharp();
  const cropTile = ({ bytes, width, height }: Tile): Promise<Buffer | undefined> =>
    sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'none' })
      .autoOrient()
      .resize({ width, height, fit: 'cover' })
      .toColourspace('srgb')
      .png({ compressionLevel: 0 })
      .toBuffer()
      .catch(() => undefined);
  const inputs = await Promise.all(tiles.map(cropTile));
  const unusable = tiles.filter((_, i) => !inputs[i]).map(({ bytes }) => bytes);
  if (unusable.length > 0) return { unusable };
  const canvas = sharp({ create: { width: size, height: size, channels: 3, background: '#fff' } }).composite(
    tiles.map(({ left, top }, i) => ({ input: inputs[i] as Buffer, left, top })),
  );
  return { picture: await encode(canvas, format).toBuffer(), unusable };
}

const encode = (picture: Sharp, format: SizedFormat): Sharp =>
  format === 'webp'
    ? picture.webp({ quality: ENCODING_QUALITY, effort: WEBP_EFFORT })
    : picture
        .flatten({ background: '#fff' })
        .jpeg({ quality: ENCODING_QUALITY, quantisationTable: JPEG_QUANTISATION_TABLE });

export const mimeOfExtension = (ext: string): string =>
  COVER_MIMES.find((mime) => FORMATS[mime].ext === ext) ?? 'application/octet-stream';

/** Returns whether the bytes are an ISO media file with an AVIF brand. */
function isAvif(bytes: Buffer): boolean {
  return (
    bytes.toString('latin1', 4, 8) === 'ftyp' &&
    /avi[fs]/.test(bytes.toString('latin1', 8, Math.min(bytes.readUInt32BE(0), 64)))
  );
}

let sharpPromise: Promise<typeof sharpModule> | undefined;

export function loadSharp(): Promise<typeof sharpModule> {
  sharpPromise ??= import('sharp').then(({ default: sharp }) => {
    sharp.concurrency(1);
    sharp.cache(false); // no cache is needed: each picture is decoded once, and the result is cached on disk
    return sharp;
  });
  return sharpPromise;
}
