import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { drawIcon, MAC_GRID } from '../../scripts/draw-icons.ts';

const root = join(import.meta.dirname, '..', '..');
const packaging = (...name: string[]): string => join(root, 'resources', 'packaging', ...name);
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Maximum mean difference, in 255 levels, that a palette and another version of the SVG renderer may cause. */
const MAX_DIFFERENCE = 3;

const readWidth = (png: Buffer): number => png.readUInt32BE(16);

/** Returns every PNG in a container, each up to the start of the next PNG. */
function readPngs(file: string): Buffer[] {
  const bytes = readFileSync(file);
  const starts: number[] = [];
  for (let offset = bytes.indexOf(PNG_SIGNATURE); offset >= 0; offset = bytes.indexOf(PNG_SIGNATURE, offset + 1))
    starts.push(offset);
  return starts.map((start, n) => bytes.subarray(start, starts[n + 1]));
}

async function measureDifference(picture: Buffer, otherPicture: Buffer): Promise<number> {
  const [pixels, otherPixels] = (await Promise.all(
    [picture, otherPicture].map((png) => sharp(png).flatten({ background: '#808080' }).raw().toBuffer()),
  )) as [Buffer, Buffer];
  return pixels.reduce((sum, value, n) => sum + Math.abs(value - (otherPixels[n] ?? 0)), 0) / pixels.length;
}

test.each([
  [
    'the menus of Linux',
    () => readdirSync(packaging('icons')).map((name) => readFileSync(packaging('icons', name))),
    [16, 24, 32, 48, 64, 128, 256, 512],
    1,
  ],
  ['Windows', () => readPngs(packaging('icon.ico')), [16, 20, 24, 32, 40, 48, 64, 256], 1],
  ['macOS', () => readPngs(packaging('icon.icns')), [32, 64, 128, 256, 256, 512, 512, 1024], MAC_GRID],
] as const)('the icons for %s are drawn in every size (npm run icons)', async (_system, readPictures, sizes, share) => {
  const pictures = readPictures();
  expect(pictures.map(readWidth).toSorted((a, b) => a - b)).toEqual(sizes);
  for (const picture of pictures)
    expect(await measureDifference(picture, await drawIcon(readWidth(picture), share))).toBeLessThan(MAX_DIFFERENCE);
});

test('the menu bar of macOS gets only the shape, in two densities', async () => {
  for (const [name, size] of [
    ['trayTemplate.png', 16],
    ['trayTemplate@2x.png', 32],
  ] as const) {
    const png = readFileSync(join(root, 'resources', 'tray', name));
    const [red, green, blue, alpha] = (await sharp(png).stats()).channels;
    expect([readWidth(png), red?.max, green?.max, blue?.max]).toEqual([size, 0, 0, 0]);
    expect([alpha?.min, alpha?.max]).toEqual([0, 255]);
  }
});
