// Plays are listed in the history, counted, and can be removed and restored; plots and tables can be
// saved, all under the strict CSP.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HistoryOut } from '../../server/history/wire.ts';
import type { Paged } from '../../server/http/paging.ts';
import type { TrackOut, TrackPage } from '../../server/library/wire.ts';
import { DESK_WINDOW, openStage, type Stage } from './stage.ts';

let stage: Stage;
let page: Page;
let tracks: TrackOut[];
const HOUR_MS = 3_600_000;

beforeAll(async () => {
  stage = await openStage({ tracks: 12, messy: 0, seconds: '2' });
  page = await stage.openAsOwner({ ...DESK_WINDOW, acceptDownloads: true });
  tracks = (await stage.api<TrackPage>('/tracks?limit=6')).items;
  const items = tracks.flatMap(({ id }, i) =>
    Array.from({ length: 6 - i }, (_, n) => ({
      track_id: id,
      played_at: new Date(Date.now() - (1 + i + n * 30) * HOUR_MS).toISOString(),
      played_ms: 180_000,
    })),
  );
  await stage.api('/history', { method: 'POST', body: { items } });
});
afterAll(() => stage?.close());

const plays = async (): Promise<number> => (await stage.api<Paged<HistoryOut>>('/history?limit=1')).total;
const figure = (name: string) => page.getByRole('region', { name, exact: true });
const choose = async (title: string, item: string) => {
  await page.getByRole('button', { name: `More options for ${title}`, exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
};
async function save(title: string, item: string): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), choose(title, item)]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

test('a play is removed, and restored with Undo', async () => {
  await page.goto('/history');
  await page.getByText('21 plays', { exact: true }).first().waitFor();
  await page
    .getByRole('button', { name: `Remove play of ${tracks[0]!.title}` })
    .first()
    .click();
  await expect.poll(plays).toBe(20);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(plays).toBe(21);
  await page.getByText('21 plays', { exact: true }).first().waitFor();
});

test('plays of another service are imported, with a report on tracks that are not in the library', async () => {
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Import listening history' });
  const listens = [1, 2]
    .map((n) =>
      JSON.stringify({
        listened_at: 1_600_000_000 + n * 1_000,
        track_metadata: { track_name: 'Nowhere Song', artist_name: 'Nobody At All' },
      }),
    )
    .join('\n');
  await dialog
    .locator('input[type="file"]')
    .setInputFiles({ name: 'listens.jsonl', mimeType: 'application/json', buffer: Buffer.from(listens) });
  await dialog.getByText('2 plays added').waitFor();
  await dialog.getByText('2 plays without a matching track').click();
  await dialog.getByText('Nowhere Song').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(plays).toBe(23);
});

test('every plot has a table, and both can be saved', async () => {
  await page.goto('/statistics');
  await figure('Top tracks').getByRole('link', { name: tracks[0]!.title }).first().waitFor();
  const table = await save('Top tracks', 'Save as table (CSV)');
  expect(table.name).toBe('top-tracks.csv');
  expect(table.bytes.toString('utf8').split('\r\n')[1]).toMatch(/,6,\d+$/);
  for (const title of ['Top tracks', 'Listening over time', 'When you listen']) {
    const { name, bytes } = await save(title, 'Save as picture (PNG)');
    expect(name).toMatch(/^[a-z-]+\.png$/);
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(bytes.readUInt32BE(16)).toBeGreaterThan(600);
  }
  await choose('When you listen', 'Show as table');
  await figure('When you listen').getByRole('columnheader', { name: 'Weekday' }).first().waitFor();
  expect(stage.problems).toEqual([]);
});
