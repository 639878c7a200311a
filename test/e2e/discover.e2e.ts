// Music from a catalogue is found, saved as a placeholder, added to a playlist, and fetched by playing it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrackOut } from '../../server/library/wire.ts';
import type { SearchHit } from '../../server/search/remote-wire.ts';
import { startFakeArchive, type FakeArchive } from '../fakes/internet-archive.ts';
import { makeLibrary } from '../support/library.ts';
import { itemOf } from '../support/remote.ts';
import { retagMp3 } from '../support/retag.ts';
import { currentTime, DESK_WINDOW, openStage, type Stage } from './stage.ts';

const REMOTE_TITLE = 'Harbour Lights';
const NEXT_TITLE = 'Slow Ferry';
const WITHDRAWN_TITLE = 'Abandoned Pier';

let dir: string;
let archive: FakeArchive;
let stage: Stage;
let page: Page;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-catalogue-'));
  archive = await startFakeArchive();
  archive.items.set(
    'quays-low-water',
    itemOf('quays-low-water', 'Low Water', 'The Quays', makeSongs(dir, [REMOTE_TITLE, NEXT_TITLE, WITHDRAWN_TITLE])),
  );
  stage = await openStage({
    tracks: 12,
    env: { STREAMSRC_PROVIDER: 'ia', STREAMSRC_BASE_URL: archive.url },
  });
  page = await stage.openAsOwner(DESK_WINDOW);
});
afterAll(async () => {
  await stage?.close();
  await archive.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Writes files with the same tags as in the catalogue. */
function makeSongs(folder: string, titles: string[]): [title: string, bytes: Buffer][] {
  const { files } = makeLibrary(
    { tracks: titles.length, formats: ['mp3'], seconds: '6', art: 'none', messy: 0, seed: 'catalogue' },
    folder,
  );
  return titles.map((title, i) => {
    const path = join(folder, files[i]!.path);
    retagMp3(path, { TIT2: title, TPE1: 'The Quays', TPE2: 'The Quays', TALB: 'Low Water', TRCK: String(i + 1) });
    return [title, readFileSync(path)];
  });
}

const places = () => page.getByRole('navigation', { name: 'Library' });
const relatedPages = () => page.getByRole('navigation', { name: 'Related pages' });
const player = () => page.getByRole('region', { name: 'Player' });
const resultItem = () =>
  page.getByRole('list', { name: 'Results' }).getByRole('listitem', { name: `${REMOTE_TITLE}, The Quays` });
const findSavedTrack = async (title: string): Promise<TrackOut | undefined> =>
  (await stage.api<{ items: TrackOut[] }>(`/tracks?q=${encodeURIComponent(title)}`)).items.find(
    (track) => track.title === title,
  );
const rowOf = (grid: string) =>
  page.getByRole('grid', { name: grid }).getByRole('row').filter({ hasText: REMOTE_TITLE });

test('Discover is hidden while there is no catalogue', async () => {
  await page.goto('/tracks');
  await page.getByRole('grid', { name: 'Tracks' }).getByRole('gridcell').first().waitFor();
  await places().getByRole('link', { name: 'Library care' }).waitFor();
  expect(await places().getByRole('link', { name: 'Discover' }).count()).toBe(0);
  await stage.api('/settings', { method: 'PATCH', body: { streamsrc_enabled: true } });
  await page.reload();
  await places().getByRole('link', { name: 'Discover' }).click();
});

test('a hit is saved, and listed among the tracks as not downloaded', async () => {
  await page.getByRole('searchbox', { name: 'Search online sources' }).fill('harbour');
  await resultItem().waitFor();
  expect(await resultItem().getByText('Saved', { exact: true }).count()).toBe(0);
  await resultItem()
    .getByRole('button', { name: `Save ${REMOTE_TITLE}` })
    .click();
  await resultItem().getByText('Saved', { exact: true }).waitFor();
  expect(
    await resultItem()
      .getByRole('button', { name: `Save ${REMOTE_TITLE}` })
      .count(),
  ).toBe(0);
  await resultItem()
    .getByRole('button', { name: `Download ${REMOTE_TITLE}` })
    .waitFor();

  await places().getByRole('link', { name: 'Tracks' }).click();
  await rowOf('Tracks').getByRole('img', { name: 'Not downloaded' }).waitFor();
});

test('playing a saved hit from a playlist fetches it', async () => {
  await rowOf('Tracks')
    .getByRole('button', { name: `More options for ${REMOTE_TITLE}` })
    .click();
  await page.getByRole('menuitem', { name: 'Download' }).waitFor();
  await page.getByRole('menuitem', { name: 'Add to playlist' }).click();
  await page.getByRole('menuitem', { name: 'New playlist' }).click();
  await page.getByRole('dialog', { name: 'New playlist' }).getByLabel('Name').fill('Evening');
  await page.keyboard.press('Enter');
  await page
    .getByRole('navigation', { name: 'Playlists' })
    .getByRole('link', { name: /^Evening/ })
    .click();

  const bytes = archive.items.get('quays-low-water')!.files![0]!.bytes;
  archive.faults.push({ cutAfterBytes: bytes.length / 2 });
  await rowOf('Tracks in Evening')
    .getByRole('button', { name: `Play ${REMOTE_TITLE}` })
    .click();
  await player()
    .getByRole('status')
    .getByText(`“${REMOTE_TITLE}” is being downloaded and will play in a moment.`)
    .waitFor();
  await expect.poll(() => archive.lines.length).toBe(1);
  archive.lines[0]!.end(bytes.subarray(bytes.length / 2));

  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.3);
  await player().getByRole('link', { name: REMOTE_TITLE }).waitFor();
  await player().getByRole('button', { name: 'Pause' }).click();
  await expect.poll(() => player().getByRole('status').filter({ hasText: REMOTE_TITLE }).count()).toBe(0);
  await expect.poll(() => rowOf('Tracks in Evening').getByRole('img', { name: 'Not downloaded' }).count()).toBe(0);
});

test('Activity lists the download, and Discover shows that the hit is in the library', async () => {
  await places().getByRole('link', { name: 'Library care' }).click();
  await relatedPages().getByRole('link', { name: 'Activity' }).click();
  await page
    .getByRole('region', { name: 'Downloads' })
    .getByRole('listitem')
    .filter({ hasText: REMOTE_TITLE })
    .getByText('Done')
    .waitFor();
  await page.goto('/discover?q=harbour');
  await resultItem().getByText('In library').waitFor();
  await resultItem()
    .getByRole('button', { name: `Play ${REMOTE_TITLE}` })
    .waitFor();
  await resultItem()
    .getByRole('button', { name: `Play ${REMOTE_TITLE}` })
    .click();
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.3);
});

test('the search palette shows what the catalogue has below what is here; Alt+Enter saves it, Shift+Enter queues it, a catalogue that is down is no news', async () => {
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search the library' });
  await field.fill('ferry');
  const group = page.getByRole('group', { name: 'Online sources' });
  const choice = group.getByRole('option').filter({ hasText: NEXT_TITLE });
  await choice.waitFor();
  await expect.poll(() => choice.getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Alt+Enter');
  await choice.getByText('Saved').waitFor();
  expect((await findSavedTrack(NEXT_TITLE))?.availability).toBe('remote');
  await page.keyboard.press('Shift+Enter');
  await field.fill('harbour');
  await group.getByRole('option').filter({ hasText: REMOTE_TITLE }).getByText('In library').waitFor();
  await page
    .getByRole('group', { name: /^Tracks/ })
    .getByRole('option')
    .filter({ hasText: REMOTE_TITLE })
    .waitFor();
  archive.next.push({ status: 500 }, { status: 500 }, { status: 500 });
  await field.fill('lights');
  await page
    .getByRole('group', { name: /^Tracks/ })
    .getByRole('option')
    .filter({ hasText: REMOTE_TITLE })
    .waitFor();
  await page.getByText('Searching online sources').waitFor({ state: 'detached' });
  expect(await page.getByRole('dialog').getByRole('alert').count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.locator('#main').focus();
  await page.keyboard.press('q');
  await page
    .getByRole('complementary', { name: 'Queue' })
    .getByRole('listitem')
    .filter({ hasText: NEXT_TITLE })
    .waitFor();
  await page.keyboard.press('q');
  archive.next.length = 0;

  if ((await player().getByRole('button', { name: 'Play', exact: true }).count()) > 0)
    await page.keyboard.press('Space');
  // this track is fetched because it plays next
  await expect.poll(async () => (await findSavedTrack(NEXT_TITLE))?.availability).toBe('available');
});

test('an item that the catalogue no longer has is reported, and the next one plays', async () => {
  archive.items.get('quays-low-water')!.files!.pop();
  const search = await stage.api<{ items: SearchHit[] }>('/sources/streamsrc/search?q=harbour');
  const { source, source_id } = search.items.find(({ title }) => title === WITHDRAWN_TITLE)!;
  await stage.api('/tracks/remote', {
    method: 'POST',
    body: { source, source_id, title: WITHDRAWN_TITLE, artist_name: 'The Quays' },
  });
  await places().getByRole('link', { name: 'Tracks' }).click();
  const row = page.getByRole('grid', { name: 'Tracks' }).getByRole('row').filter({ hasText: WITHDRAWN_TITLE });
  await row.getByRole('button', { name: `Play ${WITHDRAWN_TITLE}` }).click();
  await player()
    .getByRole('status')
    .getByText(`“${WITHDRAWN_TITLE}” has not been downloaded yet. Skipping to the next track.`)
    .waitFor();
  await expect.poll(() => player().getByRole('link').first().textContent()).not.toBe(WITHDRAWN_TITLE);
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.1);
  await row.getByRole('img', { name: 'Not downloaded' }).waitFor();
  expect(stage.problems.filter((problem) => !problem.includes('409 (Conflict)'))).toEqual([]);
});
