// Opens the library window with a library of a million tracks in 80,000 albums with covers, in a browser whose scroll
// bars can be dragged.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Browser, Page } from 'playwright-core';
import type { TokenResponse } from '../../../server/auth/wire.ts';
import { openBrowser } from '../../support/browser.ts';
import { drawCover } from '../../support/drawn-covers.ts';
import { libraryOf } from '../kept-library.ts';
import { startProduct, type Product } from '../product.ts';

const TRACK_COUNT = 1_000_000;
const ALBUM_COUNT = 80_000;
/** Number of different pictures; albums share them, but each album has its own scaled covers. */
const PICTURE_COUNT = 64;

export interface LargeWindow {
  browser: Browser;
  product: Product;
  /** Opens a signed-in page in its own browser profile. */
  openPage(): Promise<Page>;
  close(): Promise<void>;
}

export async function openLargeWindow(dir: string, libraries: string): Promise<LargeWindow> {
  const dataDir = await libraryOf(dir, libraries, TRACK_COUNT, ALBUM_COUNT);
  await addPictures(dataDir);
  const product = await startProduct(dataDir);
  const { access_token, user } = await product.api<TokenResponse>('/auth/refresh', 'POST');
  const browser = await openBrowser({ scrollBars: true });
  return {
    browser,
    product,
    async openPage() {
      const context = await browser.newContext({ baseURL: product.url, viewport: { width: 1440, height: 900 } });
      const page = await context.newPage();
      await page.addInitScript(
        ([token, owner]) => localStorage.setItem('tonearm.session', JSON.stringify({ token, user: owner })),
        [access_token, user] as const,
      );
      return page;
    },
    async close() {
      await browser.close();
      await product.stop();
    },
  };
}

async function addPictures(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'library', 'covers');
  mkdirSync(folder, { recursive: true });
  for (let n = 0; n < PICTURE_COUNT; n++)
    writeFileSync(join(folder, `${n}.jpg`), await drawCover(`Picture ${n}`, 'Nobody'));
  const db = new Database(join(dataDir, 'tonearm.db'));
  db.exec(
    `UPDATE album_covers SET key = 'covers/' || (album_id % ${PICTURE_COUNT}) || '.jpg', etag = 'picture-' || (album_id % ${PICTURE_COUNT}); DELETE FROM orphaned_covers`,
  );
  db.close();
}
