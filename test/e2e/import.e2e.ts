// Files dropped on the window are imported; a file that is not audio is reported.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DESK_WINDOW, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ isScanned: false, tracks: 6 });
});
afterAll(() => stage?.close());

test('a dropped album is imported, and a bad file in it is listed with the reason', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/albums');
  await page.getByRole('heading', { name: 'Your library is empty' }).waitFor();

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

  const panel = page.getByRole('region', { name: 'Import' });
  await panel.getByRole('heading', { name: '3 of 4 imported' }).waitFor();
  const bad = panel.getByRole('listitem').filter({ hasText: 'notes.mp3' });
  expect(await bad.textContent()).toMatch(/audio/i);
  await page.getByRole('grid', { name: 'Albums' }).getByRole('link', { name: / by / }).first().waitFor();
  await panel.getByRole('button', { name: 'Close import' }).click();
  await panel.waitFor({ state: 'detached' });
});
