// A window is a speaker that a Subsonic client controls.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrackPage } from '../../server/library/wire.ts';
import { currentTime, DESK_WINDOW, openStage, OWNER_ACCOUNT, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ tracks: 12, seconds: '20' });
});
afterAll(() => stage?.close());

test('a phone plays music on the computer, sees the position, and stops it', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/');
  await page.getByRole('button', { name: 'Playback settings' }).click();
  await page.getByText('Let phones play here').click();
  await page.keyboard.press('Escape');
  await expect.poll(async () => (await stage.api<{ speaker: unknown }>('/jukebox')).speaker).not.toBeNull();

  const { password } = await stage.api<{ password: string }>('/users/me/subsonic-password');
  const phone = async (query: string) => {
    const response = await fetch(
      `${stage.url}/rest/jukeboxControl?u=${OWNER_ACCOUNT.username}&p=${encodeURIComponent(password)}&v=1.16.1&c=phone&f=json&${query}`,
    );
    return (
      (await response.json()) as {
        'subsonic-response': {
          status: string;
          jukeboxStatus?: { currentIndex: number; playing: boolean; position: number };
        };
      }
    )['subsonic-response'];
  };
  const { items } = await stage.api<TrackPage>('/tracks?limit=2&sort=title');
  expect(await phone(`action=set&${items.map(({ id }) => `id=tr-${id}`).join('&')}`)).toMatchObject({ status: 'ok' });
  await phone('action=start');
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.2);
  await phone('action=skip&index=1&offset=5');
  await expect.poll(() => currentTime(page)).toBeGreaterThan(5);
  await page.getByRole('contentinfo').getByText(items[1]!.title).first().waitFor();
  await phone('action=stop');
  await expect.poll(() => currentTime(page)).toBe(0);

  // a person at the computer presses the button
  await page.getByRole('button', { name: 'Play', exact: true }).last().click();
  await expect
    .poll(async () => (await phone('action=status')).jukeboxStatus)
    .toMatchObject({ playing: true, currentIndex: 1 });
  expect(stage.problems).toEqual([]);
  await page.context().close();
});
