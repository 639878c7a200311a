// Draws names from words of each language, in tags without a charset, as albums of eight and alone; counts how many are
// decoded correctly, and whether any correct name is changed.
import { USUAL_CHARSET, type Charset } from '../../server/media/charset.ts';
import { bufferSource } from '../../server/media/byte-source.ts';
import { readAudioSync } from '../../server/media/read.ts';
import type { AudioRead } from '../../server/media/types.ts';
import { decodeAlbum } from '../../server/media/unmarked-text.ts';
import { id3, id3FrameV23, silentMp3 } from '../support/audio-bytes.ts';
import { randomNumbers } from '../support/damage.ts';
import { encodeCharset } from '../support/encode-charset.ts';
import * as words from '../support/title-words.ts';

const ALBUM_FILES = 8;
const LEAST_REPAIRED = 0.99;
const AUDIO_BYTES = silentMp3(40);

type Language = Parameters<typeof words.drawName>[0];
const WESTERN_LANGUAGES = Object.values(words.WESTERN_LANGUAGES);

/** The charsets, with the languages that are written in them. */
const ENCODINGS: [Charset, Language[]][] = [
  ['shift_jis', [words.JAPANESE]],
  ['euc-kr', [words.KOREAN]],
  ['gbk', [words.SIMPLIFIED]],
  ['big5', [words.TRADITIONAL]],
  ['windows-1251', [words.RUSSIAN]],
  ['windows-1252', WESTERN_LANGUAGES],
  ['utf-8', [...WESTERN_LANGUAGES, words.JAPANESE, words.KOREAN, words.SIMPLIFIED, words.TRADITIONAL, words.RUSSIAN]],
];

interface Names {
  title: string;
  artist: string;
  album: string;
}

function drawAlbum(language: Language, charset: Charset, randomBelow: (n: number) => number): Names[] {
  const draw = (maxWords: number): string => {
    for (;;) {
      const name = words.drawName(language, randomBelow, maxWords);
      if (encodeCharset(name, charset)) return name;
    }
  };
  const [artist, album] = [draw(2), draw(3)];
  return Array.from({ length: ALBUM_FILES }, () => ({ title: draw(4), artist, album }));
}

function readNames({ title, artist, album }: Names, charset: Charset): AudioRead {
  const frame = (name: string, text: string): Buffer =>
    id3FrameV23(name, Buffer.concat([Buffer.alloc(1), encodeCharset(text, charset) ?? Buffer.alloc(0)]));
  const tag = id3([frame('TIT2', title), frame('TPE1', artist), frame('TALB', album)], 3);
  return readAudioSync(bufferSource(Buffer.concat([tag, AUDIO_BYTES]))) as AudioRead;
}

interface CharsetCounts {
  charset: string;
  titles: number;
  repairedCount: number;
  /** Counts of single titles: decoded correctly, left unchanged, and changed to something wrong. */
  singleTitles: { right: number; left: number; wrong: number };
  examples: string[];
}

function countCharset(charset: Charset, languages: Language[], titles: number, seed: number): CharsetCounts {
  const randomBelow = randomNumbers(seed);
  const counts: CharsetCounts = {
    charset,
    titles: 0,
    repairedCount: 0,
    singleTitles: { right: 0, left: 0, wrong: 0 },
    examples: [],
  };
  for (let n = 0; counts.titles < titles; n++) {
    const names = drawAlbum(languages[n % languages.length] as Language, charset, randomBelow);
    const reads = names.map((tagNames) => readNames(tagNames, charset));
    decodeAlbum(reads, []).forEach(({ tags }, i) => {
      const { title, artist, album } = names[i] as Names;
      const isRight = tags.title === title && tags.album === album && tags.artists[0] === artist;
      counts.titles++;
      if (isRight) counts.repairedCount++;
      else if (counts.examples.length < 8)
        counts.examples.push(`${title} / ${artist} → ${tags.title} / ${tags.artists[0]}`);
    });
    // only the title shows the charset
    names.forEach(({ title }, i) => {
      const { tags, charset: usedCharset } = readNames({ title, artist: 'Artist', album: 'Album' }, charset);
      if (tags.title === names[i]?.title) counts.singleTitles.right++;
      else if (usedCharset === USUAL_CHARSET) counts.singleTitles.left++;
      else {
        counts.singleTitles.wrong++;
        if (counts.examples.length < 8)
          counts.examples.push(`alone: ${names[i]?.title} → ${tags.title} (${usedCharset})`);
      }
    });
  }
  return counts;
}

export const countEncodings = (titles: number, seed: number): CharsetCounts[] =>
  ENCODINGS.map(([charset, languages], i) => countCharset(charset, languages, titles, seed + i));

/** Counts correct text of each language in Windows-1252. */
export const countRight = (titles: number, seed: number): CharsetCounts[] =>
  Object.entries(words.WESTERN_LANGUAGES).map(([name, language], i) => ({
    ...countCharset('windows-1252', [language], titles / WESTERN_LANGUAGES.length, seed + i),
    charset: name,
  }));

export const isRepaired = ({ titles, repairedCount, singleTitles }: CharsetCounts): boolean =>
  repairedCount / titles >= LEAST_REPAIRED && singleTitles.wrong === 0;
export const isUnharmed = ({ titles, repairedCount, singleTitles }: CharsetCounts): boolean =>
  repairedCount === titles && singleTitles.right === titles;

export async function proveCharsets({ seed, runs = 5_000 }: { seed: number; runs: number | undefined }) {
  const print = ({ charset, titles, repairedCount, singleTitles, examples }: CharsetCounts): void => {
    console.log(
      `${charset}: ${repairedCount} of ${titles} right (${((repairedCount * 100) / titles).toFixed(2)} %); ` +
        `alone: ${singleTitles.right} right, ${singleTitles.left} left as they were, ${singleTitles.wrong} wrong`,
    );
    for (const example of examples) console.log(`    ${example}`);
  };
  console.log(`seed ${seed}`);
  const encodings = countEncodings(runs, seed);
  encodings.forEach(print);
  const untouchedCounts = countRight(runs * 4, seed + 100);
  untouchedCounts.forEach(print);
  return await Promise.resolve(encodings.every(isRepaired) && untouchedCounts.every(isUnharmed));
}
