// Detects the charset of text that does not declare it (ID3v1, Latin-1 frames of ID3v2, LIST INFO, invalid UTF-8), with
// all text of an album as evidence. Each charset has a model of text in its languages. The charset under which the
// bytes are most probable wins, if it beats Windows-1252, the usual charset, by a margin. See docs/decisions/0077
import { TextDecoder } from 'node:util';
import { CYRILLIC, HANGUL, HANZI, HANZI_TRADITIONAL, KANJI, WESTERN } from './charset-letters.ts';
import { trimEnd } from '../runtime/trim-text.ts';

/** The charsets that are detected; a person can choose further ones. Labels of the Encoding Standard. */
const DETECTED_CHARSETS = ['windows-1252', 'utf-8', 'windows-1251', 'shift_jis', 'euc-kr', 'gbk', 'big5'] as const;
export const CHARSETS = [
  ...DETECTED_CHARSETS,
  'windows-1250',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'koi8-r',
  'euc-jp',
] as const;
export type Charset = (typeof CHARSETS)[number];
type DetectedCharset = (typeof DETECTED_CHARSETS)[number];

export const isCharset = (name: string | undefined): name is Charset =>
  name !== undefined && (CHARSETS as readonly string[]).includes(name);

/** The charset of most text that does not declare one. */
export const USUAL_CHARSET = 'windows-1252';

/** All costs are natural logarithms of probabilities. */
const ASCII_COST = -3;
/** Cost of text that is invalid in a charset, relative to Windows-1252: invalid text may also be damaged. */
const INVALID_COST = -30;
/** Shorter texts are complete; tags of fixed length cut longer texts, perhaps within a character. */
const MIN_CUT_TEXT_BYTES = 28;
const CUT_COST = -6;
const PRIOR_COSTS: Record<DetectedCharset, number> = {
  'windows-1252': 0,
  'utf-8': -1,
  'windows-1251': -3,
  shift_jis: -3,
  'euc-kr': -3,
  gbk: -3,
  big5: -4,
};
/** Minimum lead over Windows-1252: with several texts, and with those of a single file. */
const MIN_MARGIN = 8;
const MIN_MARGIN_OF_ONE_FILE = 14;
/** Minimum lead over the other charsets for a single file. */
const MIN_MARGIN_OVER_OTHERS = 12;
/** Bonus for the charset that other files of the album have. */
const ALBUM_BONUS = 10;

const decoders = new Map<string, TextDecoder>();

function decoderOf(charset: string, fatal: boolean): TextDecoder {
  const key = `${charset}${fatal ? '!' : ''}`;
  const decoder = decoders.get(key) ?? new TextDecoder(charset, { fatal, ignoreBOM: false });
  decoders.set(key, decoder);
  return decoder;
}

/** Decodes text, leaving out a character that is cut off at the end (ID3v1 has 30 bytes). */
export function decodeCharset(bytes: Uint8Array, charset: Charset): string {
  return trimEnd(decoderOf(charset, false).decode(bytes), /\ufffd/);
}

/**
 * Decodes text; returns undefined if the bytes are invalid in the charset. `cutBytes` is the number of bytes of an
 * incomplete character at the end, which are left out.
 */
function decodeStrictly(bytes: Uint8Array, charset: DetectedCharset): { text: string; cutBytes: number } | undefined {
  for (let cutBytes = 0; cutBytes <= (bytes.length < MIN_CUT_TEXT_BYTES ? 0 : 2); cutBytes++) {
    try {
      return { text: decoderOf(charset, true).decode(bytes.subarray(0, bytes.length - cutBytes)), cutBytes };
    } catch {
      // tries the next length
    }
  }
  return undefined;
}

type LetterKind = 'space' | 'ascii' | 'letter';

const kindOfAscii = (code: number): LetterKind =>
  (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) ? 'ascii' : 'space';

/** Costs of a letter beyond ASCII by the kind of letter before it, and of the kind of letter after it. */
interface StepCosts {
  afterSpace: number;
  afterAscii: number;
  afterLetter: number;
  toSpace: number;
  toAscii: number;
  /** Cost added to a word that consists of one letter. */
  loneLetter: number;
}
const WESTERN_STEPS: StepCosts = {
  afterSpace: -3.2,
  afterAscii: -2.8,
  afterLetter: -3.5,
  toSpace: -1.6,
  toAscii: -0.3,
  loneLetter: 2.5,
};
const CYRILLIC_STEPS: StepCosts = {
  afterSpace: -0.3,
  afterAscii: -6,
  afterLetter: -0.2,
  toSpace: -1.7,
  toAscii: -6,
  loneLetter: -1.5,
};
const ASIAN_STEPS: StepCosts = {
  afterSpace: -0.5,
  afterAscii: -3.9,
  afterLetter: -0.2,
  toSpace: -2,
  toAscii: -3.9,
  loneLetter: 0,
};

/**
 * Returns the cost of a text from its letters and the steps between them; `costOf` gets a letter and the previous
 * letter.
 */
function costOfText(text: string, steps: StepCosts, costOf: (letter: string, previous: string) => number): number {
  let cost = 0;
  let kind: LetterKind = 'space';
  let previousLetter = '';
  const letters = Array.from(text);
  for (const [i, letter] of letters.entries()) {
    const code = letter.codePointAt(0) as number;
    if (code < 0x80) {
      const nextKind = kindOfAscii(code);
      cost += ASCII_COST + (kind === 'letter' ? (nextKind === 'ascii' ? steps.toAscii : steps.toSpace) : 0);
      kind = nextKind;
    } else {
      cost += kind === 'letter' ? steps.afterLetter : kind === 'ascii' ? steps.afterAscii : steps.afterSpace;
      cost += costOf(letter, previousLetter);
      if (kind === 'space' && (letters[i + 1] ?? ' ') === ' ') cost += steps.loneLetter;
      kind = 'letter';
    }
    previousLetter = letter;
  }
  return cost + (kind === 'letter' ? steps.toSpace : 0);
}

const isUpper = (letter: string): boolean => letter !== letter.toLowerCase();
const isLower = (letter: string): boolean => letter !== letter.toUpperCase();

function westernLetter(letter: string, previous: string): number {
  const code = letter.charCodeAt(0);
  if (code < 0xa0) return -20; // a control character
  return (WESTERN.get(letter) ?? -8) + (isUpper(letter) && isLower(previous) ? -4 : 0);
}

function cyrillicLetter(letter: string, previous: string): number {
  const frequency = CYRILLIC.get(letter.toLowerCase());
  if (frequency === undefined) return letter.charCodeAt(0) < 0xa0 ? -20 : '«»–—…“”„’№'.includes(letter) ? -5 : -9;
  if (letter.toLowerCase() === previous.toLowerCase()) return frequency - 4;
  if (!isUpper(letter)) return frequency;
  return frequency + (isLower(previous) ? -6 : isUpper(previous) ? -0.7 : -0.3);
}

/** Returns the cost of a two-byte character by its rows in the charset and by its frequency. */
type PairCost = (letter: string, leadByte: number, trailByte: number) => number;

const PAIR_CHARSETS: Record<
  'shift_jis' | 'euc-kr' | 'gbk' | 'big5',
  { isSingle: (byte: number) => boolean; costOf: PairCost }
> = {
  shift_jis: {
    isSingle: (byte) => byte >= 0xa0 && byte <= 0xdf,
    costOf(letter, leadByte, trailByte) {
      const code = letter.codePointAt(0) as number;
      if (code >= 0xff61 && code <= 0xff9f) return -9.5; // half-width kana
      if (code >= 0x3041 && code <= 0x3093) return -5.3;
      if (code >= 0x30a1 && code <= 0x30f4) return -5.4;
      if (code === 0x30fc) return -4;
      if (leadByte === 0x81) return '、。・「」〜～！？♪（）　…―’'.includes(letter) ? -7 : -10;
      if (leadByte === 0x82) return -8;
      if (KANJI.has(letter)) return -7.6;
      if (leadByte >= 0x88 && (leadByte < 0x98 || (leadByte === 0x98 && trailByte <= 0x72))) return -10;
      return leadByte >= 0x98 && leadByte <= 0xea ? -13.6 : -15;
    },
  },
  'euc-kr': {
    isSingle: () => false,
    costOf(letter, leadByte, trailByte) {
      if (leadByte < 0xa1 || trailByte < 0xa1) return -15.3; // a syllable that is not in KS X 1001
      if (leadByte >= 0xb0 && leadByte <= 0xc8) return HANGUL.has(letter) ? -5.9 : -8.4;
      if (leadByte >= 0xca && leadByte <= 0xfd) return -13.5;
      return leadByte === 0xa1 || leadByte === 0xa3 ? -9 : -12;
    },
  },
  gbk: {
    isSingle: () => false,
    costOf(letter, leadByte, trailByte) {
      if (leadByte < 0xa1 || trailByte < 0xa1 || leadByte > 0xf7) return -15.4; // a character that is not in GB 2312
      if (leadByte >= 0xb0 && leadByte <= 0xd7) return HANZI.has(letter) ? -6.7 : -9.5;
      if (leadByte >= 0xd8) return -11.8;
      return leadByte === 0xa1 || leadByte === 0xa3 ? -8.5 : -12;
    },
  },
  big5: {
    isSingle: () => false,
    costOf(letter, leadByte, trailByte) {
      if (leadByte < 0xa1 || leadByte > 0xf9) return -16;
      if (leadByte >= 0xa4 && (leadByte < 0xc6 || (leadByte === 0xc6 && trailByte <= 0x7e)))
        return HANZI_TRADITIONAL.has(letter) ? -6.7 : -9.7;
      if (leadByte >= 0xc9) return -13;
      return leadByte === 0xa1 ? -8.5 : -12;
    },
  },
};

function costOfPairs(
  bytes: Uint8Array,
  text: string,
  { isSingle, costOf }: (typeof PAIR_CHARSETS)[keyof typeof PAIR_CHARSETS],
): number {
  let offset = 0;
  return costOfText(text, ASIAN_STEPS, (letter) => {
    while ((bytes[offset] ?? 0x80) < 0x80) offset++;
    const leadByte = bytes[offset] as number;
    const trailByte = isSingle(leadByte) ? 0 : (bytes[offset + 1] ?? 0);
    offset += isSingle(leadByte) ? 1 : 2;
    return costOf(letter, leadByte, trailByte);
  });
}

const UTF8_STEPS: StepCosts = {
  afterSpace: -0.5,
  afterAscii: -0.7,
  afterLetter: -0.5,
  toSpace: -1,
  toAscii: -0.7,
  loneLetter: 0,
};

/** Returns the cost of a letter in UTF-8, where validity is the strongest evidence: the letters count little. */
const utf8Letter = (letter: string): number => {
  const code = letter.codePointAt(0) as number;
  if (code < 0xa0) return -20;
  if (code < 0x250) return WESTERN.has(letter) ? -5.5 : -9;
  return code < 0x800 ? (code >= 0x390 && code < 0x460 ? -5 : -9) : -7.5;
};

function costOf(bytes: Uint8Array, charset: DetectedCharset): number {
  const decodedText = decodeStrictly(bytes, charset);
  if (!decodedText) return costOf(bytes, USUAL_CHARSET) + INVALID_COST;
  const cost = costIn(charset, bytes, decodedText.text);
  return decodedText.cutBytes > 0 ? cost + CUT_COST + decodedText.cutBytes * ASCII_COST : cost;
}

function costIn(charset: DetectedCharset, bytes: Uint8Array, text: string): number {
  if (charset === 'windows-1252') return costOfText(text, WESTERN_STEPS, westernLetter);
  if (charset === 'windows-1251') return costOfText(text, CYRILLIC_STEPS, cyrillicLetter);
  if (charset === 'utf-8') return costOfText(text, UTF8_STEPS, utf8Letter);
  return costOfPairs(bytes, text, PAIR_CHARSETS[charset]);
}

type Costs = Record<DetectedCharset, number>;

const noCosts = (): Costs => Object.fromEntries(DETECTED_CHARSETS.map((charset) => [charset, 0])) as Costs;

function rankCharsets(costs: Costs): DetectedCharset[] {
  return DETECTED_CHARSETS.toSorted((a, b) => costs[b] + PRIOR_COSTS[b] - costs[a] - PRIOR_COSTS[a]);
}

/** Returns by how much `charset` is more probable than `otherCharset`. */
const leadOver = (costs: Costs, charset: DetectedCharset, otherCharset: DetectedCharset): number =>
  costs[charset] + PRIOR_COSTS[charset] - costs[otherCharset] - PRIOR_COSTS[otherCharset];

/** Only this many bytes of longer texts (lyrics, comments) are examined, which is evidence enough. */
const MAX_TEXT_BYTES = 400;

/**
 * Returns the charset of each file of an album. `files` has, per file, its texts that are not ASCII; `known` are
 * charsets that other files of the album have, or that a person chose.
 */
export function detectCharsets(
  files: readonly (readonly Uint8Array[])[],
  knownCharsets: readonly Charset[] = [],
): DetectedCharset[] {
  const costsOfText = new Map<string, Costs>();
  const keysOfFile = files.map((texts) =>
    texts.map((text) => {
      const bytes = text.subarray(0, MAX_TEXT_BYTES);
      const key = Buffer.from(bytes).toString('latin1');
      if (!costsOfText.has(key)) {
        const costs = noCosts();
        for (const charset of DETECTED_CHARSETS) costs[charset] = costOf(bytes, charset);
        costsOfText.set(key, costs);
      }
      return key;
    }),
  );
  const sum = (keys: Iterable<string>): Costs => {
    const total = noCosts();
    for (const key of keys)
      for (const charset of DETECTED_CHARSETS) total[charset] += costsOfText.get(key)?.[charset] ?? 0;
    return total;
  };
  const album = sum(costsOfText.keys()); // an album title that is in every file counts once
  for (const charset of knownCharsets) if (charset in album) album[charset as DetectedCharset] += ALBUM_BONUS;
  const [bestCharset = USUAL_CHARSET, secondCharset = USUAL_CHARSET] = rankCharsets(album);
  const isAlone = files.length + knownCharsets.length < 2;
  const isSure =
    leadOver(album, bestCharset, USUAL_CHARSET) >= (isAlone ? MIN_MARGIN_OF_ONE_FILE : MIN_MARGIN) &&
    (!isAlone || leadOver(album, bestCharset, secondCharset) >= MIN_MARGIN_OVER_OTHERS);
  const ofAlbum = isSure ? bestCharset : USUAL_CHARSET;
  if (isAlone) return files.map(() => ofAlbum);
  return keysOfFile.map((keys) => {
    const fileCosts = sum(new Set(keys));
    fileCosts[ofAlbum] += ALBUM_BONUS;
    const [fileCharset = ofAlbum] = rankCharsets(fileCosts);
    if (fileCharset === ofAlbum) return fileCharset;
    return fileCharset === USUAL_CHARSET || leadOver(fileCosts, fileCharset, USUAL_CHARSET) >= MIN_MARGIN_OF_ONE_FILE
      ? fileCharset
      : ofAlbum;
  });
}
