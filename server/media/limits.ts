// Limits of what the readers accept. A file over a limit is damaged or malicious, and is refused with a message;
// without limits such files would block a parser for seconds or forever.
import { TEXT_LIMITS } from '../runtime/text-limits.ts';
import { UnreadableAudio } from './types.ts';

const MB = 1 << 20;
export const MAX_ID3_BYTES = 16 * MB;
export const MAX_ID3_FRAMES = 10_000;
export const MAX_COMMENT_BYTES = 4 * MB;
export const MAX_COMMENTS = 10_000;
export const MAX_MOOV_BYTES = 64 * MB;
export const MAX_ATOMS = 20_000;
export const MAX_ATOM_DEPTH = 16;
export const MAX_CHUNKS = 10_000;
export const MAX_PICTURE_BYTES = 20 * MB;
export const MAX_PICTURES = 8;
/** Maximum size of a picture with its block header, as base64. */
export const MAX_ENCODED_PICTURE_BYTES = 28 * MB;
/** Maximum distance of the first frame from the tags. */
export const MAX_FIRST_FRAME_OFFSET = MB;
/** Longest text value that is read, in bytes. */
export const MAX_VALUE_BYTES = 2 * MB;
/** Number of characters that are kept of all text in a file, so that a batch of files fits into memory. */
export const MAX_TEXT_CHARACTERS = 512 << 10;
/** Number of characters that are kept of a name, so that lists of tracks stay small. */
export const MAX_NAME_CHARACTERS = 2_000;
/** Number of characters that are kept of a comment, which is in lists of tracks too. */
export const MAX_COMMENT_CHARACTERS = 2_000;
export const { chars: MAX_LYRICS } = TEXT_LIMITS.lyrics;
export const MAX_CHAPTERS = 2_000;
/** Number of values that are kept of a list field. */
export const MAX_LIST_VALUES = 200;

/** Formats a size for messages: `17 MB`. */
const inMb = (bytes: number): string => `${Math.ceil(bytes / MB)} MB`;

export function refuseOver(subject: string, bytes: number, limit: number): void {
  if (bytes > limit) throw new UnreadableAudio(`${subject} is ${inMb(bytes)}; at most ${inMb(limit)} are read`);
}
