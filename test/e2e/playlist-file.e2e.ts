// The page of a playlist that follows a file: what it follows, its lines without a track, and how it stops and follows
// again.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlaylistPage } from '../../server/playlists/wire.ts';
import { DESK_WINDOW, openStage, PHONE_WINDOW, type Stage } from './stage.ts';

let stage: Stage;
let page: Page;
let id: number;
beforeAll(async () => {
  stage = await openStage({
    tracks: 10,
    formats: ['mp3'],
    addMusic: (folder) => {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.mp3'));
      const lines = files.slice(0, 4).map((path) => `../${path}`);
      mkdirSync(join(folder, 'Lists'));
      writeFileSync(
        join(folder, 'Lists', 'Evening by the sea.m3u8'),
        `#EXTM3U\n${lines.slice(0, 3).join('\n')}\n../Nobody/Nothing/01 Silence.flac\nhttp://radio.example/x\n${lines[3]}\n`,
      );
    },
  });
  page = await stage.openAsOwner(DESK_WINDOW);
  const { items } = await stage.api<PlaylistPage>('/playlists');
  expect(items.map(({ name, track_count }) => [name, track_count])).toEqual([['Evening by the sea', 4]]);
  id = items[0]?.id ?? 0;
});
afterAll(() => stage?.close());

const box = (on = page) => on.getByRole('region', { name: 'Playlist file' });

test('the page says which file the playlist follows, and which lines have no track', async () => {
  await page.goto(`/playlists/${id}`);
  await box().getByText('Follows').waitFor();
  await box().getByText('Lists/Evening by the sea.m3u8').waitFor();
  await box().getByText('2 lines of the file have no track in your library').click();
  await box().getByText('../Nobody/Nothing/01 Silence.flac').waitFor();
  await box().getByText('no matching file or title in the library').waitFor();
});

test('after a change the playlist no longer follows, and the person can let it follow again', async () => {
  const row = page.getByRole('grid', { name: 'Tracks in Evening by the sea' }).locator('[data-index="0"]');
  await row.click({ position: { x: 300, y: 24 } });
  await page.keyboard.press('Delete');
  await box().getByText('no longer follows the file').waitFor();
  await box().getByRole('button', { name: 'Follow again' }).press('Enter');
  await box().getByText('Follows').waitFor();
  await page.getByText('4 tracks').first().waitFor();
  await page.goto(`/playlists/${id}?versions=true`);
  await page.getByText('from its file').first().waitFor();
});

test('it fits a phone', async () => {
  const phone = await stage.openAsOwner(PHONE_WINDOW);
  await phone.goto(`/playlists/${id}`);
  await box(phone).getByText('2 lines of the file have no track in your library').click();
  await box(phone).getByText('../Nobody/Nothing/01 Silence.flac').waitFor();
  const width = await phone.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  await phone.close();
});
