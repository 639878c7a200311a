// Draws every icon from resources/icon.svg, for the web app and for the packages of the three systems: npm run icons.
// Run it again whenever the drawing changes; a test compares the icons with the drawing.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { toIcns, toIco, type IconPicture } from './icon-files.ts';

const root = join(import.meta.dirname, '..');
const drawing = readFileSync(join(root, 'resources', 'icon.svg'));
const web = (name: string) => join(root, 'renderer', 'public', name);
const packaging = (...name: string[]) => join(root, 'resources', 'packaging', ...name);
const GROUND = '#1b1a19';
/**
 * The scaled size of the drawing in a maskable icon, so that every system shows all of it: systems may cut off
 * everything outside a circle of 80 %.
 */
const SAFE = 0.72;
/** The scaled size of the drawing in icons of macOS, which leave a border of about a tenth on each side. */
export const MAC_GRID = 824 / 1024;
/** The part of the drawing without its background, in pixels at twice its size. */
const TRAY_PART = { left: 96, top: 104, width: 816, height: 816 };
const [LINUX_SIZES, WINDOWS_SIZES, MAC_SIZES] = [
  [16, 24, 32, 48, 64, 128, 256, 512],
  [16, 20, 24, 32, 40, 48, 64, 256],
  [32, 64, 128, 256, 512, 1024],
];

/**
 * Returns the drawing as PNG of this size on a transparent background; with `share` below 1 the drawing is smaller and
 * has a border.
 */
export async function drawIcon(size: number, share = 1): Promise<Buffer> {
  const inner = Math.round(size * share);
  const border = (size - inner) / 2;
  return sharp(drawing, { density: 144 })
    .resize(inner)
    .extend({
      top: Math.floor(border),
      left: Math.floor(border),
      bottom: Math.ceil(border),
      right: Math.ceil(border),
      background: '#0000',
    })
    .png()
    .toBuffer();
}

/**
 * The icons in the task bar of Windows, white with a dark edge since the task bar is light or dark; paths in a square
 * of 24.
 */
const BUTTONS = {
  previous: 'M6 5h2v14H6zM19 5v14L9 12z',
  play: 'M7 4l13 8-13 8z',
  pause: 'M6 5h4v14H6zM14 5h4v14h-4z',
  next: 'M5 5l10 7-10 7zM16 5h2v14h-2z',
};
const drawnButton = (shape: string): Promise<Buffer> =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32" viewBox="0 0 24 24">` +
        `<path d="${shape}" fill="#fff" stroke="#0008" stroke-width="1" stroke-linejoin="round"/></svg>`,
    ),
  )
    .png()
    .toBuffer();

const compressPng = async (png: Buffer): Promise<Buffer> => sharp(png).png({ palette: true }).toBuffer();

/** Returns the picture that macOS colours by itself in its menu bar, where only the opacity counts. */
async function silhouette(size: number): Promise<Buffer> {
  const solid = await sharp(drawing, { density: 144 })
    .extract(TRAY_PART)
    .resize(size)
    .flatten({ background: GROUND })
    .greyscale()
    .linear(2.3, -60)
    .raw()
    .toBuffer();
  return sharp({ create: { width: size, height: size, channels: 3, background: '#000' } })
    .joinChannel(solid, { raw: { width: size, height: size, channels: 1 } })
    .png()
    .toBuffer();
}

async function drawAll(): Promise<void> {
  copyFileSync(join(root, 'resources', 'icon.svg'), web('favicon.svg'));
  for (const size of [192, 512]) writeFileSync(web(`icon-${size}.png`), await compressPng(await drawIcon(size)));
  await sharp(await drawIcon(180))
    .flatten({ background: GROUND })
    .png({ palette: true })
    .toFile(web('icon-180.png'));
  await sharp(await drawIcon(512, SAFE))
    .flatten({ background: GROUND })
    .png({ palette: true })
    .toFile(web('icon-maskable-512.png'));

  mkdirSync(join(root, 'resources', 'tray'), { recursive: true });
  for (const [suffix, times] of [
    ['', 1],
    ['@2x', 2],
  ] as const) {
    writeFileSync(join(root, 'resources', 'tray', `tray${suffix}.png`), await compressPng(await drawIcon(32 * times)));
    writeFileSync(join(root, 'resources', 'tray', `trayTemplate${suffix}.png`), await silhouette(16 * times));
  }
  for (const [name, shape] of Object.entries(BUTTONS))
    writeFileSync(join(root, 'resources', 'tray', `${name}.png`), await compressPng(await drawnButton(shape)));
  mkdirSync(packaging('icons'), { recursive: true });
  for (const size of LINUX_SIZES)
    writeFileSync(packaging('icons', `${size}x${size}.png`), await compressPng(await drawIcon(size)));
  writeFileSync(packaging('icon.ico'), toIco(await pictures(WINDOWS_SIZES)));
  writeFileSync(packaging('icon.icns'), toIcns(await pictures(MAC_SIZES, MAC_GRID)));
}

const pictures = async (sizes: number[], share?: number): Promise<IconPicture[]> =>
  Promise.all(sizes.map(async (size) => ({ size, png: await compressPng(await drawIcon(size, share)) })));

if (import.meta.main) await drawAll();
