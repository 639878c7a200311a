// Files dropped on the window are imported; a file that is not audio is reported. Hundreds of files, a lost connection
// and an account that may not add music.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TokenResponse } from '../../server/auth/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { until } from '../support/until.ts';
import { DESK_WINDOW, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ isScanned: false, tracks: 6 });
});
afterAll(() => stage?.close());

const song = (title: string, album: string, frames: number): Buffer =>
  Buffer.concat([
    id3(
      Object.entries({ TIT2: title, TPE1: 'The Harbors', TALB: album }).map(([name, value]) =>
        id3Frame(name, utf8Text(value)),
      ),
    ),
    silentMp3(frames),
  ]);

test('a dropped album is imported, and a bad file in it is listed with the reason', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/albums');
  await page.getByRole('heading', { name: 'Your library is empty' }).waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Add music' }).waitFor();

  const files = stage.library.files.slice(0, 3).map(({ path }) => ({
    name: basename(path),
    bytes: readFileSync(join(stage.library.dir, path)).toString('base64'),
  }));
  files.push({ name: 'notes.mp3', bytes: Buffer.from('This is a shopping list.').toString('base64') });
  const dataTransfer = await page.evaluateHandle((droppedFiles) => {
    const transfer = new DataTransfer();
    for (const { name, bytes } of droppedFiles)
      transfer.items.add(new File([Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0))], name));
    return transfer;
  }, files);
  await page.dispatchEvent('body', 'dragenter', { dataTransfer });
  await page.getByText('Drop to add to your library').waitFor();
  await page.dispatchEvent('body', 'drop', { dataTransfer });

  const panel = page.getByRole('region', { name: 'Add music' });
  await panel.getByRole('heading', { name: '3 added, 1 failed' }).waitFor();
  const bad = panel.getByRole('listitem').filter({ hasText: 'notes.mp3' });
  expect(await bad.textContent()).toContain('This is not a music file.');
  await page.getByRole('grid', { name: 'Albums' }).getByRole('link', { name: / by / }).first().waitFor();
  await panel.getByRole('button', { name: 'Close the list of added files' }).click();
  await panel.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  await page.context().close();
});

test('120 files of six albums are added while the window is used', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/artists');
  await page.getByRole('button', { name: 'Add music', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Choose files' }).waitFor();
  await page
    .getByRole('dialog')
    .locator('input[type=file]:not([webkitdirectory])')
    .setInputFiles(
      Array.from({ length: 120 }, (_, i) => ({
        name: `${i}.mp3`,
        mimeType: 'audio/mpeg',
        buffer: song(`Song ${i}`, `Album ${Math.floor(i / 20)}`, 40 + i),
      })),
    );
  const panel = page.getByRole('region', { name: 'Add music' });
  await panel.getByRole('heading', { name: / of 120 done/ }).waitFor();
  await page.getByRole('navigation', { name: 'Library' }).getByRole('link', { name: 'Tracks' }).click();
  // the request leads to what is running
  await page.getByRole('button', { name: 'Add music', exact: true }).click();
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await until(
    () => panel.getByRole('heading').textContent(),
    (text) => text === '120 added',
  );
  expect(await panel.getByRole('status').textContent()).toBe('120 added');
  await panel.getByRole('link', { name: 'All 6 albums' }).waitFor();
  expect(await panel.getByRole('link', { name: /^Album \d$/ }).count()).toBe(5);

  // neither a notice nor the bar of a selection is behind the panel or behind the other
  const selectTwo = async () => {
    await page.getByRole('row').nth(2).click();
    await page.keyboard.press('Shift+ArrowDown');
  };
  await selectTwo();
  const bar = page.getByRole('toolbar', { name: 'Selection' });
  await bar.getByRole('button', { name: /^Delete/ }).click();
  await bar.waitFor({ state: 'detached' });
  await selectTwo();
  await bar.waitFor();
  const notice = page.getByRole('alert').first();
  await notice.waitFor();
  const boxOf = async (name: string, locator: typeof bar) => ({ name, ...(await locator.boundingBox())! });
  const stackedInOrder = await until(
    async () => [await boxOf('notice', notice), await boxOf('bar', bar), await boxOf('panel', panel)],
    ([top, middle, bottom]) => top!.y + top!.height <= middle!.y && middle!.y + middle!.height <= bottom!.y,
  );
  expect(stackedInOrder.map(({ name }) => name)).toEqual(['notice', 'bar', 'panel']);
  await page.context().close();
});

test('a chosen folder is added with its subfolders, without the files that are no audio', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/artists');
  await page.getByRole('button', { name: 'Add music', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Choose folder' }).waitFor();
  await page.getByRole('dialog').locator('input[webkitdirectory]').setInputFiles(stage.library.dir);
  const panel = page.getByRole('region', { name: 'Add music' });
  await panel.getByText(/ in the folder (is|are) not audio and (was|were) left out\.$/).waitFor();
  await panel.getByRole('heading', { name: /\d+ added, \d+ already there/ }).waitFor();
  await page.context().close();
});

test('an account that may not add music has no button, command or entry for it', async () => {
  await stage.api('/users', {
    method: 'POST',
    body: { username: 'lou', password: 'correct horse battery', can_upload: false },
  });
  const session = await stage.api<TokenResponse>('/auth/login', {
    method: 'POST',
    body: { username: 'lou', password: 'correct horse battery' },
  });
  const page = await stage.openPage({ ...DESK_WINDOW, baseURL: stage.url });
  await page.addInitScript(
    ([token, user]) => localStorage.setItem('tonearm.session', JSON.stringify({ token, user })),
    [session.access_token, session.user] as const,
  );
  await page.goto('/');
  await page.getByRole('button', { name: /lou/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Add music' }).count()).toBe(0);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('upload');
  await page.getByText('No results for').waitFor();
  await page.context().close();
});
