// The thread that extracts the picture from an audio file, because readers are synchronous and files may be malicious.
import { openByteSource } from '../media/byte-source.ts';
import { readCover } from '../media/read.ts';
import { UnreadableAudio, type ByteSource } from '../media/types.ts';
import { answerQuestions } from '../runtime/answer-questions.ts';
import type { ByteRange } from '../storage/storage.ts';

/** A part of a file in an object store. It is shorter than its range if the file has become shorter. */
export interface FilePart {
  range: ByteRange;
  bytes: Uint8Array;
}
/** `skip` is the number of pictures to skip; 0 asks for the cover. */
export type PictureQuestion = { skip: number } & ({ path: string | Uint8Array } | { size: number; parts: FilePart[] });
export type PictureAnswer =
  | { picture: Uint8Array<ArrayBuffer> | null }
  /** A further part of the file is needed: the question has to be repeated with this part added. */
  | { missingRange: ByteRange };

/** Size of the parts that are requested. Most tags with a picture are smaller. */
const PART_BYTES = 512 << 10;

answerQuestions<PictureQuestion, PictureAnswer>(
  (question) =>
    'path' in question
      ? readPictureInFile(question.path, question.skip)
      : readPictureInParts(question.size, question.parts, question.skip),
  { transfer: (answer) => ('picture' in answer && answer.picture ? [answer.picture.buffer] : []) },
);

async function readPictureInFile(path: string | Uint8Array, skip: number): Promise<PictureAnswer> {
  const source = openByteSource(typeof path === 'string' ? path : Buffer.from(path));
  try {
    return { picture: await readPicture(source, skip) };
  } finally {
    source.close();
  }
}

async function readPictureInParts(size: number, parts: FilePart[], skip: number): Promise<PictureAnswer> {
  let missingRange: ByteRange | undefined;
  const source: ByteSource = {
    size,
    read(position, length) {
      const end = Math.min(size, position + length);
      if (position >= end) return Buffer.alloc(0);
      const part = parts.find(({ range }) => position >= range.start && end <= range.end + 1);
      if (part) return part.bytes.subarray(position - part.range.start, end - part.range.start);
      missingRange ??= { start: position, end: Math.min(size, Math.max(end, position + PART_BYTES)) - 1 };
      throw new UnreadableAudio('a part of it is missing');
    },
  };
  try {
    const picture = await readPicture(source, skip);
    return missingRange ? { missingRange } : { picture };
  } catch (error) {
    if (missingRange) return { missingRange };
    throw error;
  }
}

async function readPicture(source: ByteSource, skip: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const picture = await readCover(source, skip);
  // the bytes are copied, because small Buffers share memory that must not be transferred
  return picture ? Uint8Array.from(picture.bytes) : null;
}
