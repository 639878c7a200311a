// Reads and writes ICY metadata, which tells what an internet radio station plays, in between its audio. After every
// `icy-metaint` bytes of audio comes one byte, the length of the text in units of 16 bytes, and then the text:
// `StreamTitle='Artist - Title';`, padded with zeros. A length of 0 means that the text has not changed.
import { isUtf8 } from 'node:buffer';
import { Transform } from 'node:stream';
import { decodeCharset, detectCharsets, USUAL_CHARSET } from '../media/charset.ts';

const UNIT_BYTES = 16;
const MAX_UNITS = 255;
const MIN_INTERVAL_BYTES = 256;
const MAX_INTERVAL_BYTES = 1 << 20;
const MAX_TITLE_CHARACTERS = 300;

/** The announced interval is not that of the stream: there is no text where it should be. */
export class IcyIntervalError extends Error {
  override name = 'OutOfStep';
}

/** Parses the header `icy-metaint`; undefined when there is no text in the audio. Throws `IcyIntervalError`. */
export function intervalOf(header: string | null): number | undefined {
  if (header === null || header.trim() === '0') return undefined;
  const bytes = /^\s*\d{1,7}\s*$/.test(header) ? Number(header) : 0;
  if (bytes < MIN_INTERVAL_BYTES || bytes > MAX_INTERVAL_BYTES) throw new IcyIntervalError();
  return bytes;
}

/** Separates the text from the audio. Throws `IcyIntervalError`. */
export function createIcySplitter(interval: number, onTitle: (title: string) => void) {
  let audioLeft = interval;
  let textLeft = 0;
  let text: Buffer[] = [];
  let previousBlock = Buffer.alloc(0);

  return (chunk: Buffer): Buffer[] => {
    const audio: Buffer[] = [];
    for (let position = 0; position < chunk.length;) {
      if (textLeft > 0) {
        const textPart = chunk.subarray(position, position + textLeft);
        position += textPart.length;
        textLeft -= textPart.length;
        text.push(textPart);
        if (textLeft > 0) continue;
        const block = Buffer.concat(text);
        const title = block.equals(previousBlock) ? undefined : titleOf(block);
        if (title !== undefined) onTitle(title);
        [previousBlock, text, audioLeft] = [block, [], interval];
      } else if (audioLeft > 0) {
        const audioPart = chunk.subarray(position, position + audioLeft);
        position += audioPart.length;
        audioLeft -= audioPart.length;
        audio.push(audioPart);
      } else {
        textLeft = (chunk[position++] ?? 0) * UNIT_BYTES;
        if (textLeft === 0) audioLeft = interval;
      }
    }
    return audio;
  };
}

/**
 * Returns the title in a block of text; undefined when the block names no title. Throws `IcyIntervalError` when the
 * block is not text.
 */
export function titleOf(block: Buffer): string | undefined {
  const end = block.indexOf(0);
  const bytes = end < 0 ? block : block.subarray(0, end);
  if (bytes.length === 0) return undefined;
  if (!/^\s*[A-Za-z]\w*='/.test(bytes.toString('latin1'))) throw new IcyIntervalError();
  const [charset = USUAL_CHARSET] = isUtf8(bytes) ? [] : detectCharsets([[titleBytes(bytes)]]);
  const metadataText = isUtf8(bytes) ? bytes.toString('utf8') : decodeCharset(bytes, charset);
  // a title may contain quotes, and the text may be cut off
  const [, title] = /StreamTitle='([\s\S]*?)(?:';|'?$)/i.exec(metadataText) ?? [];
  return title === undefined ? undefined : printable(title);
}

const titleBytes = (bytes: Buffer): Buffer =>
  Buffer.from(/StreamTitle='([\s\S]*?)(?:';|$)/i.exec(bytes.toString('latin1'))?.[1] ?? '', 'latin1');

/** Returns a text on one line, without control and formatting characters. */
const printable = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim()
    .slice(0, MAX_TITLE_CHARACTERS)
    .toWellFormed();

/** Inserts titles into the audio, for players that request them. */
export function createIcyJoiner(interval: number, currentTitle: () => string): Transform {
  let remainingBytes = interval;
  let sentTitle: string | undefined;
  return new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      for (let position = 0; position < chunk.length;) {
        const audioPart = chunk.subarray(position, position + remainingBytes);
        this.push(audioPart);
        position += audioPart.length;
        remainingBytes -= audioPart.length;
        if (remainingBytes > 0) continue;
        const title = currentTitle();
        this.push(title === sentTitle ? Buffer.alloc(1) : blockOf(title));
        [sentTitle, remainingBytes] = [title, interval];
      }
      callback();
    },
  });
}

function blockOf(title: string): Buffer {
  // players take the first `';` for the end of the title
  const text = Buffer.from(`StreamTitle='${title.replaceAll("';", "' ;")}';`);
  const units = Math.min(Math.ceil(text.length / UNIT_BYTES), MAX_UNITS);
  const block = Buffer.alloc(1 + units * UNIT_BYTES);
  block[0] = units;
  text.copy(block, 1);
  return block;
}
