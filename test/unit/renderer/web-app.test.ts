// Checks what a browser needs to install the web app.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
const toPublicPath = (name: string): string => join(root, 'renderer', 'public', name);
const manifest = JSON.parse(readFileSync(toPublicPath('manifest.webmanifest'), 'utf8')) as {
  start_url: string;
  display: string;
  icons: { src: string; sizes: string; purpose?: string }[];
};

it('the manifest describes an installable app, with icons of the declared sizes', async () => {
  expect(manifest).toMatchObject({ start_url: '/', display: 'standalone' });
  const sizedIcons = manifest.icons.filter(({ sizes }) => sizes !== 'any');
  for (const { src, sizes } of sizedIcons) {
    const { width, height } = await sharp(toPublicPath(src)).metadata();
    expect(`${width}x${height}`, src).toBe(sizes);
  }
  expect(sizedIcons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(['192x192', '512x512']));
  expect(manifest.icons.some(({ purpose }) => purpose === 'maskable')).toBe(true);
});

it('the tab has the icon of the app', () => {
  expect(readFileSync(toPublicPath('favicon.svg'), 'utf8')).toBe(
    readFileSync(join(root, 'resources', 'icon.svg'), 'utf8'),
  );
});

it.each(['index.html', 'player.html', 'settings.html'])('%s links the manifest', (page) => {
  const readPage = (path: string): string => readFileSync(join(root, 'renderer', path), 'utf8');
  expect(readPage(page)).toContain('<!-- head.html -->');
  expect(readPage('windows/head.html')).toContain('<link rel="manifest" href="/manifest.webmanifest" />');
});
