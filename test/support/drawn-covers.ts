// Draws realistic covers in a few styles, with colours and shapes for each album. An album always gets the same cover.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { readManifest } from './library.ts';
import { seededRandom } from './test-random.ts';

interface Art {
  title: string;
  artist: string;
  random: () => number;
}
type Manner = (art: Art, colours: readonly string[]) => string;

/** Palettes: background, three matching colours, text colour. */
const PALETTES = [
  ['#0f1a2b', '#e4572e', '#f3a712', '#a8c686', '#f0e7d8'],
  ['#f2e8dc', '#d1495b', '#edae49', '#00798c', '#30343f'],
  ['#1d1128', '#ff6b6b', '#c44569', '#574b90', '#f8efba'],
  ['#e9ecef', '#264653', '#2a9d8f', '#e76f51', '#1b1b1e'],
  ['#0b132b', '#5bc0be', '#6fffe9', '#3a506b', '#ffffff'],
  ['#fdf0d5', '#780000', '#c1121f', '#669bbc', '#003049'],
  ['#22223b', '#c9ada7', '#9a8c98', '#4a4e69', '#f2e9e4'],
  ['#ffcb69', '#d08c60', '#797d62', '#997b66', '#291f1e'],
  ['#132a13', '#4f772d', '#90a955', '#ecf39e', '#fefae0'],
  ['#f7f7ff', '#fe5f55', '#577399', '#bdd5ea', '#495867'],
  ['#2b061e', '#875053', '#b7c3f3', '#dd7596', '#fcecc9'],
  ['#08090a', '#a7a2a9', '#f4f7f5', '#575a5e', '#e63946'],
] as const;

const SIZE = 800;
const between = (random: () => number, low: number, high: number): number => low + random() * (high - low);
const roundToTenth = (value: number): string => value.toFixed(1);

/** Draws a low sun behind hills. */
const landscape: Manner = ({ random }, [ground, firstColour, secondColour, thirdColour]) => {
  const [x, y, r] = [between(random, 200, 600), between(random, 220, 420), between(random, 70, 190)];
  const hill = (top: number, fill: string) => {
    const points = Array.from({ length: 9 }, (_, i) => `${i * 100},${roundToTenth(top + between(random, -60, 60))}`);
    return `<path d="M0,${SIZE} L${points.join(' L')} L${SIZE},${SIZE} Z" fill="${fill}" stroke="${fill}" stroke-width="40" stroke-linejoin="round"/>`;
  };
  return `<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${ground}"/><stop offset="1" stop-color="${firstColour}"/></linearGradient></defs>
    <rect width="800" height="800" fill="url(#sky)"/><circle cx="${x}" cy="${y}" r="${r}" fill="${secondColour}"/>${hill(480, `${thirdColour}cc`)}${hill(580, thirdColour!)}${hill(690, ground!)}`;
};

/** Draws rings around a point off the middle. */
const rings: Manner = ({ random }, [ground, ...ringColours]) => {
  const [x, y] = [between(random, 250, 550), between(random, 250, 550)];
  const widths = Array.from({ length: 11 }, (_, i) => 620 - i * 56);
  return `<rect width="800" height="800" fill="${ground}"/>${widths.map((r, i) => `<circle cx="${roundToTenth(x + i * 6)}" cy="${roundToTenth(y + i * 4)}" r="${r}" fill="${ringColours[i % ringColours.length]}"/>`).join('')}`;
};

/** Draws quarter circles and squares, like tiles. */
const tiles: Manner = ({ random }, colours) => {
  const side = SIZE / 4;
  const tile = (i: number) => {
    const [x, y] = [(i % 4) * side, Math.floor(i / 4) * side];
    const [backColour, front] = [colours[Math.floor(random() * 3)], colours[2 + Math.floor(random() * 3)]];
    const rotation = Math.floor(random() * 4) * 90;
    const shape =
      random() < 0.7
        ? `<path d="M0,0 H${side} A${side},${side} 0 0 1 0,${side} Z" fill="${front}"/>`
        : `<circle cx="100" cy="100" r="${random() < 0.5 ? 100 : 48}" fill="${front}"/>`;
    return `<g transform="translate(${x} ${y})"><rect width="201" height="201" fill="${backColour}"/><g transform="rotate(${rotation} 100 100)">${shape}</g></g>`;
  };
  return Array.from({ length: 16 }, (_, i) => tile(i)).join('');
};

/** Draws colours that blend into each other, like a blurred photograph. */
const haze: Manner = ({ random }, [ground, ...hazeColours]) => {
  const cloud = () =>
    `<circle cx="${roundToTenth(between(random, 0, 800))}" cy="${roundToTenth(between(random, 0, 800))}" r="${roundToTenth(between(random, 120, 330))}" fill="${hazeColours[Math.floor(random() * hazeColours.length)]}"/>`;
  return `<defs><filter id="soft" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="90"/></filter></defs>
    <rect width="800" height="800" fill="${ground}"/><g filter="url(#soft)">${Array.from({ length: 9 }, cloud).join('')}</g>`;
};

/** Draws waves of lines, above each other. */
const waves: Manner = ({ random }, [ground, waveColour, , , ink]) => {
  const [height, length, position] = [between(random, 20, 90), between(random, 1.5, 4), between(random, 0.2, 0.8)];
  const line = (row: number) => {
    const points = Array.from({ length: 81 }, (_, i) => {
      const x = i / 80;
      const swell = Math.exp(-(((x - position) * 4) ** 2));
      return `${i * 10},${roundToTenth(140 + row * 21 - swell * height * (1 + Math.sin(x * length * 6 + row * 0.7) + random() * 0.6))}`;
    });
    return `<polyline points="${points.join(' ')}" fill="${ground}" stroke="${row % 6 === 0 ? waveColour : ink}" stroke-width="4"/>`;
  };
  return `<rect width="800" height="800" fill="${ground}"/>${Array.from({ length: 26 }, (_, i) => line(i)).join('')}`;
};

/** Draws diagonal stripes, and the name in large letters. */
const poster: Manner = ({ title, artist, random }, [ground, firstColour, secondColour, thirdColour, ink]) => {
  const angle = between(random, -40, 40);
  const stripes = [firstColour, secondColour, thirdColour].map(
    (fill, i) =>
      `<rect x="-300" y="${440 + i * 96}" width="1400" height="72" fill="${fill}" transform="rotate(${roundToTenth(angle)} 400 600)"/>`,
  );
  const words = title.slice(0, 40).split(' ').slice(0, 4);
  const size = Math.min(112, 1_150 / Math.max(4, ...words.map(({ length }) => length)));
  return `<rect width="800" height="800" fill="${ground}"/>${stripes.join('')}
    ${words.map((word, i) => `<text x="48" y="${roundToTenth(72 + size * (i + 0.6))}" font-family="DejaVu Sans, Arial, sans-serif" font-weight="800" font-size="${roundToTenth(size)}" letter-spacing="-3" fill="${ink}">${escape(word)}</text>`).join('')}
    <text x="48" y="748" font-family="DejaVu Sans, Arial, sans-serif" font-size="30" fill="${ink}">${escape(artist.slice(0, 36))}</text>`;
};

const MANNERS = [landscape, rings, tiles, haze, waves, poster];
/** Returns whether a text can be drawn: not every machine has fonts for other scripts. */
const isLatin = (text: string): boolean => /^[\p{Script=Latin}\p{Script=Common}]*$/u.test(text);

const escape = (text: string): string => text.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

export function drawCover(title: string, artist: string): Promise<Buffer> {
  const random = seededRandom(createHash('sha256').update(`${title}\n${artist}`).digest().readInt32LE());
  const colours = PALETTES[Math.floor(random() * PALETTES.length)]!;
  const manners = isLatin(title + artist) ? MANNERS : MANNERS.filter((manner) => manner !== poster);
  const drawing = manners[Math.floor(random() * manners.length)]!({ title, artist, random }, colours);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}" viewBox="0 0 ${SIZE} ${SIZE}">${drawing}</svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 86 }).toBuffer();
}

/** Writes a cover into every folder of a collection. */
export async function drawCovers(dir: string): Promise<void> {
  const albums = new Map<string, { title: string; artist: string }>();
  for (const { path, pathHex, tags } of readManifest(dir).files) {
    if (pathHex === undefined && tags?.album)
      albums.set(join(dir, dirname(path)), { title: tags.album, artist: tags.albumArtist ?? tags.artists?.[0] ?? '' });
  }
  for (const [folder, { title, artist }] of albums)
    writeFileSync(join(folder, 'cover.jpg'), await drawCover(title, artist));
}
