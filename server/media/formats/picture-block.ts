// Reads FLAC's PICTURE block, in Ogg as base64. https://xiph.org/flac/format.html#metadata_block_picture
import { u32be } from '../integers.ts';
import { declaredMime, sniffPicture } from '../picture-mime.ts';
import type { TagBuilder } from '../tag-builder.ts';

interface PictureBlockOptions {
  /** True if `b` has only the picture's bytes, without a block (the older `COVERART`). */
  isBare?: boolean;
  /** True if `b` has the whole block, and the picture's bytes are kept. */
  keepBytes?: boolean;
}

/** Reads a block; `b[start, end)` has at least its start. `fileAt` is its position in the file, negative if encoded. */
export function readPictureBlock(
  b: Buffer,
  start: number,
  end: number,
  fileAt: number,
  builder: TagBuilder,
  options: PictureBlockOptions = {},
): void {
  const head = options.isBare ? { kind: 0, mime: '', data: start, length: end - start } : readHead(b, start, end);
  if (!head || head.mime === '-->') return;
  const picture = { mime: sniffPicture(b, head.data) ?? declaredMime(head.mime), kind: head.kind };
  if (options.keepBytes)
    builder.addPicture({
      ...picture,
      bytes: Buffer.from(b.subarray(head.data, Math.min(end, head.data + head.length))),
    });
  else if (fileAt < 0) builder.addPicture(picture);
  else builder.addPicture({ ...picture, position: fileAt + head.data - start, length: head.length });
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
  const sizes = mimeEnd + 4 + u32be(b, mimeEnd); // the description is followed by width, height, depth, colors
  if (sizes + 20 > end) return undefined;
  return {
    kind: kind > 20 ? 0 : kind,
    mime: b.toString('latin1', start + 8, mimeEnd),
    data: sizes + 20,
    length: u32be(b, sizes + 16),
  };
}
