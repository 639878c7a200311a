// Draws an avatar with the initials of a name. The letters are drawn as strokes, since a server may have no fonts.
import { hash } from 'node:crypto';
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';
import { loadSharp } from './picture.ts';

/** SVG paths of letters and digits, in a box of 4 by 6. */
const STROKES: Record<string, string> = {
  a: 'M0 6L2 0L4 6M.7 4H3.3',
  b: 'M0 3H2.4A1.5 1.5 0 0 0 2.4 0H0V6H2.4A1.5 1.5 0 0 0 2.4 3',
  c: 'M3.8 1.2A2 2 0 0 0 0 2V4A2 2 0 0 0 3.8 4.8',
  d: 'M0 0V6H1.5A2.5 2.5 0 0 0 4 3.5V2.5A2.5 2.5 0 0 0 1.5 0Z',
  e: 'M4 0H0V6H4M0 3H3.2',
  f: 'M4 0H0V6M0 3H3.2',
  g: 'M3.8 1.2A2 2 0 0 0 0 2V4A2 2 0 0 0 4 4V3.2H2.4',
  h: 'M0 0V6M4 0V6M0 3H4',
  i: 'M2 0V6',
  j: 'M3.5 0V4.2A1.75 1.75 0 0 1 0 4.2',
  k: 'M0 0V6M4 0L0 3.7M1.4 2.4L4 6',
  l: 'M.2 0V6H3.8',
  m: 'M0 6V0L2 3.4L4 0V6',
  n: 'M0 6V0L4 6V0',
  o: 'M0 2A2 2 0 0 1 4 2V4A2 2 0 0 1 0 4Z',
  p: 'M0 6V0H2.4A1.6 1.6 0 0 1 2.4 3.2H0',
  q: 'M0 2A2 2 0 0 1 4 2V4A2 2 0 0 1 0 4ZM2.4 4.4L4 6',
  r: 'M0 6V0H2.4A1.6 1.6 0 0 1 2.4 3.2H0M2 3.2L4 6',
  s: 'M3.7 1A1.8 1.6 0 0 0 2 0A1.6 1.5 0 0 0 2 3A1.6 1.5 0 0 1 2 6A1.8 1.6 0 0 1 .3 5',
  t: 'M0 0H4M2 0V6',
  u: 'M0 0V4A2 2 0 0 0 4 4V0',
  v: 'M0 0L2 6L4 0',
  w: 'M0 0L1 6L2 2.6L3 6L4 0',
  x: 'M0 0L4 6M4 0L0 6',
  y: 'M0 0L2 3L4 0M2 3V6',
  z: 'M0 0H4L0 6H4',
  0: 'M0 2A2 2 0 0 1 4 2V4A2 2 0 0 1 0 4Z',
  1: 'M.8 1.2L2 0V6',
  2: 'M.2 1.6A1.8 1.6 0 0 1 3.8 1.6Q3.8 2.8 0 6H4',
  3: 'M.3 .9A1.7 1.5 0 1 1 2 3A1.7 1.5 0 1 1 .3 5.1',
  4: 'M3 6V0L0 4.2H4',
  5: 'M3.7 0H.6L.3 2.7A1.9 1.8 0 1 1 .3 5.2',
  6: 'M3.5 .3Q0 1.5 0 4.2A2 1.8 0 1 0 .2 3.4',
  7: 'M0 0H4L1.4 6',
  8: 'M2 3A1.6 1.5 0 1 1 2.01 3A1.8 1.5 0 1 1 1.99 3',
  9: 'M.5 5.7Q4 4.5 4 1.8A2 1.8 0 1 0 3.8 2.6',
};
/** SVG path of a person, drawn for names in other scripts. */
const PERSON = 'M2 .6A1.2 1.2 0 1 1 1.99 .6M-.4 6Q-.2 3.6 2 3.6T4.4 6';

/** Returns the first letters of the first and the last word. */
function initialsOf(name: string): string[] {
  const words = sortKey(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  return [words.at(0), words.length > 1 ? words.at(-1) : undefined].flatMap((word) => [...(word ?? '')].slice(0, 1));
}

function toSvg(name: string, size: number): string {
  const initials = initialsOf(name);
  const paths = initials.length > 0 && initials.every((initial) => initial in STROKES) ? initials : [undefined];
  const hue = Number.parseInt(hash('sha256', name.normalize('NFC').toLowerCase(), 'hex').slice(0, 4), 16) % 360;
  const leftEdge = paths.length === 1 ? 8 : 5.2;
  const letters = paths
    .map(
      (initial, index) =>
        `<path transform="translate(${leftEdge + index * 5.6} 7)" d="${initial ? STROKES[initial] : PERSON}"/>`,
    )
    .join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 20 20">
    <rect width="20" height="20" fill="hsl(${hue},42%,36%)"/>
    <g fill="none" stroke="#fff" stroke-width=".95" stroke-linecap="round" stroke-linejoin="round">${letters}</g>
    </svg>`;
}

/** Returns the avatar as a PNG. */
export async function drawAvatar(name: string, size: number): Promise<Buffer> {
  const sharp = await loadSharp();
  return sharp(Buffer.from(toSvg(name, size)))
    .png()
    .toBuffer();
}
