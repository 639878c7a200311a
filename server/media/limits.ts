// How much of a file the readers are willing to look at. A file past one of these is refused with a sentence: it was
// made to hurt, or is damaged (reference of the numbers: files that stop a bare parser for seconds or for good).
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
/** Base64 of the largest picture, with its block header. */
export const MAX_ENCODED_PICTURE_BYTES = 28 * MB;
/** Where the first frame of a stream has to be, after the tags. */
export const FIRST_FRAME_WITHIN = MB;
/** Longest single text value that is looked at, in bytes. */
export const MAX_VALUE_BYTES = 2 * MB;
/**
 * Characters kept of all of a file's text, so that a group of such files fits into the reading thread and the server.
 */
export const MAX_TEXT = 512 << 10;
/** Characters kept of one name: lists of tracks stay small whatever a file claims to be called. */
export const MAX_NAME = 2_000;
/** Of a comment: it is in every list of tracks too. */
export const MAX_NOTE = 2_000;
export const MAX_LYRICS = 256 << 10;
/** Values kept of one list field. */
export const MAX_LIST = 200;

/** For a sentence: `17 MB`. */
export const inMb = (bytes: number): string => `${Math.ceil(bytes / MB)} MB`;

export function refuseOver(what: string, bytes: number, limit: number): void {
  if (bytes > limit) throw new UnreadableAudio(`${what} is ${inMb(bytes)}; at most ${inMb(limit)} are read`);
}
