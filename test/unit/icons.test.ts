import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { drawn, MAC_GRID } from '../../scripts/draw-icons.ts';

const root = join(import.meta.dirname, '..', '..');
const packaging = (...name: string[]): string => join(root, 'resources', 'packaging', ...name);
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Of 255; a palette and another version of the renderer may change this much. */
const CLOSE = 3;

const sizeOf = (png: Buffer): number => png.readUInt32BE(16);

/** Every PNG in a container, up to the start of the next one. */
function pngsIn(file: string): Buffer[] {
  const bytes = readFileSync(file);
  const starts: number[] = [];
  for (let at = bytes.indexOf(SIGNATURE); at >= 0; at = bytes.indexOf(SIGNATURE, at + 1)) starts.push(at);
  return starts.map((start, n) => bytes.subarray(start, starts[n + 1]));
}

async function difference(a: Buffer, b: Buffer): Promise<number> {
  const [left, right] = (await Promise.all(
    [a, b].map((png) => sharp(png).flatten({ background: '#808080' }).raw().toBuffer()),
  )) as [Buffer, Buffer];
  return left.reduce((sum, value, n) => sum + Math.abs(value - (right[n] ?? 0)), 0) / left.length;
}

test.each([
  [
    'the menus of Linux',
    () => readdirSync(packaging('icons')).map((name) => readFileSync(packaging('icons', name))),
    [16, 24, 32, 48, 64, 128, 256, 512],
    1,
  ],
  ['Windows', () => pngsIn(packaging('icon.ico')), [16, 20, 24, 32, 40, 48, 64, 256], 1],
  ['macOS', () => pngsIn(packaging('icon.icns')), [32, 64, 128, 256, 256, 512, 512, 1024], MAC_GRID],
] as const)('the icons for %s are drawn in every size (npm run icons)', async (_system, read, sizes, share) => {
  const pictures = read();
  expect(pictures.map(sizeOf).toSorted((a, b) => a - b)).toEqual(sizes);
  for (const picture of pictures)
    expect(await difference(picture, await drawn(sizeOf(picture), share))).toBeLessThan(CLOSE);
});

test('the menu bar of macOS gets only the shape, in two densities', async () => {
  for (const [name, size] of [
    ['trayTemplate.png', 16],
    ['trayTemplate@2x.png', 32],
  ] as const) {
    const png = readFileSync(join(root, 'resources', 'tray', name));
    const [red, green, blue, solid] = (await sharp(png).stats()).channels;
    expect([sizeOf(png), red?.max, green?.max, blue?.max]).toEqual([size, 0, 0, 0]);
    expect([solid?.min, solid?.max]).toEqual([0, 255]);
  }
});
