// Tokens of the index for short words: every character and every pair of neighbours within a word, as text for FTS5's
// `ascii` tokenizer. That tokenizer treats ASCII punctuation as separators, so punctuation is mapped to the private use
// area.

const PRIVATE_USE_START = 0xe000;
const LAST_BLANK = 0x20;
const ASCII_END = 0x7f;

/** Returns the tokens of a text, separated by spaces. Repeated tokens cost the index nothing. */
export function gramsOf(text: string): string {
  let grams = '';
  let previousLetter = '';
  for (const character of text) {
    const code = character.charCodeAt(0);
    if (code <= LAST_BLANK) {
      previousLetter = '';
      continue;
    }
    const letter = isSign(code) ? toLetter(code) : character;
    grams += previousLetter === '' ? `${letter} ` : `${letter} ${previousLetter}${letter} `;
    previousLetter = letter;
  }
  return grams;
}

/** Returns the token that finds a folded word of one or two characters. */
export const gramOf = (word: string): string =>
  [...word]
    .map((character) => (isSign(character.charCodeAt(0)) ? toLetter(character.charCodeAt(0)) : character))
    .join('');

const isSign = (code: number): boolean =>
  code <= ASCII_END && !(code >= 0x61 && code <= 0x7a) && !(code >= 0x30 && code <= 0x39);
const toLetter = (code: number): string => String.fromCharCode(PRIVATE_USE_START + code);
