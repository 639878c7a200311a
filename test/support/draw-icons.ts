// Draws the icons of the web app from resources/icon.svg: npm run icons. Run again whenever the drawing changes.
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

const root = join(import.meta.dirname, '..', '..');
const drawing = join(root, 'resources', 'icon.svg');
const out = (name: string) => join(root, 'renderer', 'public', name);
const GROUND = '#1b1a19';
/** Of a maskable icon only a circle of 80 % is sure to be seen. */
const SAFE = 0.72;

copyFileSync(drawing, out('favicon.svg'));
for (const size of [180, 192, 512]) await sharp(readFileSync(drawing), { density: 144 }).resize(size).flatten(size === 180 ? { background: GROUND } : false).png({ palette: true }).toFile(out(`icon-${size}.png`));
const inner = await sharp(readFileSync(drawing), { density: 144 }).resize(Math.round(512 * SAFE)).png().toBuffer();
await sharp({ create: { width: 512, height: 512, channels: 4, background: GROUND } }).composite([{ input: inner }]).png({ palette: true }).toFile(out('icon-maskable-512.png'));
