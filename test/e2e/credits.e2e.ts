// Composers, performers and other people: on an album, in a list of their own, and on pages; movements below their work.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumPage } from '../../server/library/wire.ts';
import { addCreditedAlbum } from '../support/credited-album.ts';
import { DESK_WINDOW, openStage, type Stage } from './stage.ts';

let stage: Stage;
let album: number;
beforeAll(async () => {
  stage = await openStage({
    tracks: 20,
    addMusic: (dir) => {
      addCreditedAlbum(dir);
      return Promise.resolve();
    },
  });
  await (await stage.openAsOwner(DESK_WINDOW)).context().close();
  const { items } = await stage.api<AlbumPage>('/albums?q=chamber');
  album = items[0]!.id;
});
afterAll(() => stage?.close());

test('an album says who did what, and each name leads to a page', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto(`/albums/${album}`);
  const credits = page.getByRole('region', { name: 'Credits' });
  await expect
    .poll(() => credits.getByRole('listitem').allTextContents())
    .toEqual([
      'Gustav Fauretracks 1–4',
      'Felix Bartholdytracks 5–8',
      'Clara Haletrack 9',
      'Conrad Weiltrack 9',
      'Petra Voss',
      'Emil Stone',
      'Anna Quillviolin · tracks 1–8',
      'Clara Halepiano · tracks 1–8',
      'Ben Orthcello · tracks 5–8',
    ]);
  await credits.getByRole('link', { name: 'Anna Quill' }).click();
  await page.getByRole('heading', { level: 1, name: 'Anna Quill' }).waitFor();
  await page.getByRole('link', { name: 'Performer · 8 tracks' }).click();
  await expect.poll(() => page.getByRole('grid').locator('[data-index]').count()).toBe(8);

  await page.goto(`/albums/${album}`);
  await credits.getByRole('link', { name: 'Clara Hale' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Clara Hale' }).waitFor();
  await page.getByRole('link', { name: 'Composer · 1 track' }).waitFor();
  await page.getByRole('link', { name: 'Performer · 8 tracks' }).waitFor();
  expect(stage.problems).toEqual([]);
});

test('movements are below their work, which plays alone', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto(`/albums/${album}`);
  await page.getByRole('heading', { level: 2, name: 'Piano trio in D minor, op. 49' }).waitFor();
  expect(await page.locator('[data-track] span[title]').allTextContents()).toEqual([
    'I. Allegro moderato',
    'II. Scherzo',
    'III. Andante cantabile',
    'IV. Finale',
    'I. Allegro moderato',
    'II. Scherzo',
    'III. Andante cantabile',
    'IV. Finale',
    'Romance',
  ]);
  await page.getByRole('button', { name: 'Play Piano trio in D minor, op. 49', exact: true }).click();
  await expect
    .poll(() => page.locator('[data-track][aria-current=true] span[title]').getAttribute('title'))
    .toBe('Piano trio in D minor, op. 49: Allegro moderato');
  expect(stage.problems).toEqual([]);
});

test('people are listed by role and found by a part of their name', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/people');
  const rows = page.getByRole('grid', { name: 'Credits' }).getByRole('link');
  await page.getByRole('button', { name: /^Role/ }).click();
  await page.getByRole('menuitemradio', { name: 'Engineer' }).click();
  await expect.poll(() => rows.allTextContents()).toEqual(['Emil Stone9 tracks']);
  await page.getByRole('button', { name: /^Role/ }).click();
  await page.getByRole('menuitemradio', { name: 'All roles' }).click();
  await page.getByRole('searchbox', { name: 'Filter by name' }).fill('quill');
  await expect.poll(() => rows.allTextContents()).toEqual(['Anna Quill8 tracks']);
  await rows.first().click();
  await page.getByRole('heading', { level: 1, name: 'Anna Quill' }).waitFor();
  expect(stage.problems).toEqual([]);
});

test('the details of a track name its people', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  const { items } = await stage.api<{ items: { id: number }[] }>('/tracks?q=romance%20&album=Chamber%20Music');
  await page.goto(`/tracks?details=${items[0]!.id}`);
  const credits = page.getByRole('region', { name: 'Credits' });
  await expect
    .poll(() => credits.getByRole('link').allTextContents())
    .toEqual(['Clara Hale', 'Conrad Weil', 'Petra Voss', 'Emil Stone']);
  expect(stage.problems).toEqual([]);
});
