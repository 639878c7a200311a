// FLAC's PICTURE block, which Ogg carries in base64. https://xiph.org/flac/format.html#metadata_block_picture
import { u32be } from '../integers.ts';
import { declaredMime, sniffPicture } from '../picture-mime.ts';
import type { TagBuilder } from '../tag-builder.ts';

export interface PictureBlockOptions {
  /** Nothing but the picture's bytes (`COVERART`, before there was a block). */
  bare?: boolean;
  /** `b` holds the whole block and its bytes are wanted. */
  keep?: boolean;
}

/**
 * `b[start, end)` holds the block's head at least; it begins at `fileAt` in the file, or nowhere when that is negative.
 */
export function readPictureBlock(
  b: Buffer,
  start: number,
  end: number,
  fileAt: number,
  builder: TagBuilder,
  options: PictureBlockOptions = {},
): void {
  const head = options.bare ? { kind: 0, mime: '', data: start, length: end - start } : readHead(b, start, end);
  if (!head || head.mime === '-->') return;
  const found = { mime: sniffPicture(b, head.data) ?? declaredMime(head.mime), kind: head.kind };
  if (options.keep)
    builder.addPicture({ ...found, bytes: Buffer.from(b.subarray(head.data, Math.min(end, head.data + head.length))) });
  else if (fileAt < 0) builder.addPicture(found);
  else builder.addPicture({ ...found, position: fileAt + head.data - start, length: head.length });
}

function readHead(
  b: Buffer,
  start: number,
  end: number,
): { kind: number; mime: string; data: number; length: number } | undefined {
  if (start + 8 > end) return undefined;
  const kind = u32be(b, start);
  const mimeLength = u32be(b, start + 4);
  const mimeEnd = start + 8 + mimeLength;
  if (mimeLength > 256 || mimeEnd + 4 > end) return undefined;
  const sizes = mimeEnd + 4 + u32be(b, mimeEnd); // behind the description: width, height, depth, colours
  if (sizes + 20 > end) return undefined;
  return {
    kind: kind > 20 ? 0 : kind,
    mime: b.toString('latin1', start + 8, mimeEnd),
    data: sizes + 20,
    length: u32be(b, sizes + 16),
  };
}
