// Sends a cover: the original from the storage, or a resized picture from the cache, which is drawn when it is missing.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, notFound } from '../errors.ts';
import { sendBytes, type BytesSource } from '../http/send-bytes.ts';
import { isAbsent } from '../storage/file-errors.ts';
import { isMosaic, type ShownCover } from './mosaic.ts';
import { mimeOfExtension, UnusablePicture, type SizedFormat } from './picture.ts';
import type { StoredPicture } from './queries.ts';
import type { CoverService } from './service.ts';
import { nearestSize } from './cover-sizes.ts';

/** Browsers use their copy for a day; when it is older than five minutes they revalidate it in the background. */
const CACHE_CONTROL = 'private, max-age=300, stale-while-revalidate=86400';

/** Size of a mosaic if the request names no size. */
const MOSAIC_SIZE = 600;

interface CoverOptions {
  format?: SizedFormat;
  cacheControl?: string;
}

/** Sends a cover. Throws `not_found` when the stored picture does not exist or cannot be decoded. */
export async function sendCover(
  covers: CoverService,
  req: IncomingMessage,
  res: ServerResponse,
  cover: ShownCover,
  size: number | undefined,
  { format = 'webp', cacheControl = CACHE_CONTROL }: CoverOptions = {},
): Promise<void> {
  try {
    if (size === undefined && !isMosaic(cover)) await sendOriginal(covers, req, res, cover, cacheControl);
    else await sendSize(covers, req, res, cover, nearestSize(size ?? MOSAIC_SIZE), { format, cacheControl });
  } catch (error) {
    const isGoneError =
      isAbsent(error) || error instanceof UnusablePicture || (error instanceof AppError && error.code === 'not_found');
    throw isGoneError ? notFound('cover') : error;
  }
}

async function sendOriginal(
  covers: CoverService,
  req: IncomingMessage,
  res: ServerResponse,
  cover: StoredPicture,
  cacheControl: string,
): Promise<void> {
  await sendBytes(req, res, covers.original(cover), {
    contentType: mimeOfExtension(cover.key.slice(cover.key.lastIndexOf('.') + 1)),
    cacheControl,
    etag: cover.etag,
  });
}

async function sendSize(
  { thumbnails }: CoverService,
  req: IncomingMessage,
  res: ServerResponse,
  cover: ShownCover,
  size: number,
  { format, cacheControl }: Required<CoverOptions>,
): Promise<void> {
  const send = (source: BytesSource): Promise<void> =>
    sendBytes(req, res, source, {
      contentType: `image/${format}`,
      cacheControl,
      etag: `${cover.etag}-${size}${format === 'webp' ? '' : `-${format}`}`,
    });
  try {
    await send({ path: thumbnails.pathOf(cover, size, format) });
  } catch (error) {
    if (!isAbsent(error)) throw error;
    await send({ bytes: await thumbnails.draw(cover, size, format), modifiedAt: new Date() });
  }
}
