// First run: account, folder, scan, search, play.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { MusicFoldersOut } from '../../server/music-folders/wire.ts';
import type { SettingsOut } from '../../server/settings/wire.ts';
import { currentTime, DESK_WINDOW, openStage, OWNER_ACCOUNT, untilIdle, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ isScanned: false, tracks: 40, seconds: '8' });
});
afterAll(() => stage?.close());

test('an empty data folder becomes a library that plays', async () => {
  const page = await stage.openPage({ baseURL: stage.url, ...DESK_WINDOW });
  await page.goto('/');
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await page.getByLabel('Setup token').fill('not the token');
  await page.getByLabel('Username').fill(OWNER_ACCOUNT.username);
  await page.getByLabel('Password', { exact: true }).fill(OWNER_ACCOUNT.password);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('alert').waitFor();

  await page.goto(`/setup?token=${stage.setupToken}`);
  await page.getByLabel('Username').fill(OWNER_ACCOUNT.username);
  await page.getByLabel('Password', { exact: true }).fill(OWNER_ACCOUNT.password);
  await page.getByRole('button', { name: 'Next' }).click();

  await page.getByRole('heading', { name: 'Your music' }).waitFor();
  const folder = page.getByLabel('Music folder');
  await folder.fill(`${stage.library.dir}-that-is-not-there`);
  await page.getByRole('button', { name: 'Start scanning' }).click();
  await expect.poll(() => folder.getAttribute('aria-invalid')).toBe('true');
  await folder.fill(stage.library.dir);
  await page.getByRole('radio', { name: /Leave files where they are/ }).check();
  await page.getByRole('button', { name: 'Start scanning' }).click();

  await page.getByRole('heading', { name: 'Who may listen?' }).waitFor();
  const startOf = (text: string) =>
    page.getByText(text).evaluate((node) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return range.getBoundingClientRect().left;
    });
  expect(await startOf('Phones and other computers')).toBe(await startOf('Other devices on my network'));
  await page.getByRole('button', { name: 'Open my library' }).click();
  await page.getByRole('heading', { name: 'Recently added' }).waitFor();
  await stage.signIn();
  await untilIdle(() => stage.api<{ items: JobOut[] }>('/jobs'));

  const album = mostTracks(stage);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search the library' }).fill(album.title);
  await page
    .getByRole('group', { name: /Albums/ })
    .getByRole('option')
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: album.title }).waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();

  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.5);
  const player = page.getByRole('region', { name: 'Player' });
  const firstTitle = await player.getByRole('link').first().textContent();
  await expect.poll(() => player.getByRole('link').first().textContent()).not.toBe(firstTitle);
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.3);
  // Chromium reports the errors that this test provokes; any other message is a failure.
  expect(stage.problems.filter((text) => !/status of (401|403|422)/.test(text))).toEqual([]);
});

test('a folder without music says what is in it and leads to another one', async () => {
  const home = await openStage({ isScanned: false, tracks: 24, seconds: '3', messy: 0 });
  try {
    const downloads = join(home.library.dir, '..', 'Downloads');
    mkdirSync(downloads);
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg', 'notes.txt']) writeFileSync(join(downloads, name), 'x');
    const page = await home.openPage({ baseURL: home.url, ...DESK_WINDOW, viewport: { width: 1024, height: 768 } });
    await page.goto(`/setup?token=${home.setupToken}`);
    await page.getByLabel('Username').fill(OWNER_ACCOUNT.username);
    await page.getByLabel('Password', { exact: true }).fill(OWNER_ACCOUNT.password);
    await page.getByRole('button', { name: 'Next' }).click();

    await page.getByLabel('Music folder').fill(dirname(downloads));
    const picker = page.getByRole('group', { name: 'Folders on the server' });
    await picker.getByRole('button', { name: /^music 24 tracks$/ }).waitFor();
    await picker.getByRole('button', { name: /^Downloads No music$/ }).click();
    const emptyText = 'There is no music in this folder. It contains 4 other files (.jpg, .txt).';
    await page.getByText(emptyText).waitFor();
    expect(await page.getByRole('radio', { name: /Leave files where they are.*Recommended/ }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Start scanning' }).click();

    await page.getByRole('heading', { name: 'Who may listen?' }).waitFor();
    expect(await page.getByRole('radio', { name: /^Only me/ }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('heading', { name: 'Your music' }).waitFor();
    expect(await page.getByLabel('Music folder').inputValue()).toBe(downloads);
    await page.getByRole('button', { name: 'Later' }).click();
    await page.getByRole('button', { name: 'Open my library' }).click();
    await home.signIn();
    const { items } = await home.api<SettingsOut>('/settings');
    expect(items.find(({ key }) => key === 'allow_registration')?.value).toBe(false);

    await page.getByRole('heading', { name: 'No music in “Downloads”' }).waitFor();
    await page.getByText(emptyText).waitFor();
    await page.getByRole('link', { name: 'Choose another folder' }).click();
    await picker.getByRole('button', { name: /^music 24 tracks$/ }).click();
    await page.getByText(/^24 tracks in \d+ folders, /).waitFor();
    await page.getByRole('button', { name: 'Start scanning' }).click();
    await page.getByRole('heading', { name: 'Recently added' }).waitFor();
    const { items: folders } = await home.api<MusicFoldersOut>('/music-folders');
    expect(folders.map(({ path, mode }) => [path, mode])).toEqual([[home.library.dir, 'reference']]);
  } finally {
    await home.close();
  }
});

function mostTracks({ library }: Stage): { title: string } {
  const counts = new Map<string, number>();
  for (const { tags } of library.files) if (tags?.album) counts.set(tags.album, (counts.get(tags.album) ?? 0) + 1);
  const [title] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
  return { title };
}
