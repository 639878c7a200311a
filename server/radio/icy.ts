// ICY: what plays now, told between the audio of an internet radio station. After every `icy-metaint` bytes of audio
// comes one byte, the length of the text in units of 16 bytes, and the text: `StreamTitle='Artist - Title';`, filled up
// with zeros. A length of 0: as before.
import { isUtf8 } from 'node:buffer';
import { Transform } from 'node:stream';
import { decodeCharset, detectCharsets, USUAL_CHARSET } from '../media/charset.ts';

const UNIT = 16;
const MOST_UNITS = 255;
const LEAST_INTERVAL = 256;
const MOST_INTERVAL = 1 << 20;
const MOST_CHARACTERS = 300;

/** The interval is not that of the stream: what should be text is not. */
export class OutOfStep extends Error {
  override name = 'OutOfStep';
}

/** Of the header `icy-metaint`; undefined when there is no text in the audio. Throws `OutOfStep`. */
export function intervalOf(header: string | null): number | undefined {
  if (header === null || header.trim() === '0') return undefined;
  const bytes = /^\s*\d{1,7}\s*$/.test(header) ? Number(header) : 0;
  if (bytes < LEAST_INTERVAL || bytes > MOST_INTERVAL) throw new OutOfStep();
  return bytes;
}

/** Takes the text out of the audio. Throws `OutOfStep`. */
export function createIcySplitter(interval: number, onTitle: (title: string) => void) {
  let audioLeft = interval;
  let textLeft = 0;
  let text: Buffer[] = [];
  let last = Buffer.alloc(0);

  return (chunk: Buffer): Buffer[] => {
    const audio: Buffer[] = [];
    for (let at = 0; at < chunk.length;) {
      if (textLeft > 0) {
        const part = chunk.subarray(at, at + textLeft);
        at += part.length;
        textLeft -= part.length;
        text.push(part);
        if (textLeft > 0) continue;
        const block = Buffer.concat(text);
        const title = block.equals(last) ? undefined : titleOf(block);
        if (title !== undefined) onTitle(title);
        [last, text, audioLeft] = [block, [], interval];
      } else if (audioLeft > 0) {
        const part = chunk.subarray(at, at + audioLeft);
        at += part.length;
        audioLeft -= part.length;
        audio.push(part);
      } else {
        textLeft = (chunk[at++] ?? 0) * UNIT;
        if (textLeft === 0) audioLeft = interval;
      }
    }
    return audio;
  };
}

/** Undefined when the text names no title. Throws `OutOfStep` when it is no text. */
export function titleOf(block: Buffer): string | undefined {
  const end = block.indexOf(0);
  const bytes = end < 0 ? block : block.subarray(0, end);
  if (bytes.length === 0) return undefined;
  if (!/^\s*[A-Za-z]\w*='/.test(bytes.toString('latin1'))) throw new OutOfStep();
  const [charset = USUAL_CHARSET] = isUtf8(bytes) ? [] : detectCharsets([[titleBytes(bytes)]]);
  const fields = isUtf8(bytes) ? bytes.toString('utf8') : decodeCharset(bytes, charset);
  // a title may have quotes in it, and the text may be cut off
  const [, title] = /StreamTitle='([\s\S]*?)(?:';|'?$)/i.exec(fields) ?? [];
  return title === undefined ? undefined : printed(title);
}

const titleBytes = (bytes: Buffer): Buffer =>
  Buffer.from(/StreamTitle='([\s\S]*?)(?:';|$)/i.exec(bytes.toString('latin1'))?.[1] ?? '', 'latin1');

/** One line, without control and formatting characters. */
const printed = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim()
    .slice(0, MOST_CHARACTERS)
    .toWellFormed();

/** Puts titles between the audio, for players that ask for them. */
export function createIcyJoiner(interval: number, titleNow: () => string): Transform {
  let left = interval;
  let sent: string | undefined;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length;) {
        const part = chunk.subarray(at, at + left);
        this.push(part);
        at += part.length;
        left -= part.length;
        if (left > 0) continue;
        const title = titleNow();
        this.push(title === sent ? Buffer.alloc(1) : blockOf(title));
        [sent, left] = [title, interval];
      }
      done();
    },
  });
}

function blockOf(title: string): Buffer {
  // players look for the first `';`
  const text = Buffer.from(`StreamTitle='${title.replaceAll("';", "' ;")}';`);
  const units = Math.min(Math.ceil(text.length / UNIT), MOST_UNITS);
  const block = Buffer.alloc(1 + units * UNIT);
  block[0] = units;
  text.copy(block, 1);
  return block;
}
