// The owner shares the library on the network: a phone opens it with the QR code, and is disconnected when sharing is
// switched off.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NetworkOut } from '../../server/lan/wire.ts';
import { lanAddress, tryConnect } from '../support/lan.ts';
import { DESK_WINDOW, openStage, PHONE_WINDOW, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ tracks: 4 });
});
afterAll(() => stage?.close());

test.runIf(lanAddress !== undefined)(
  'a switch shares the library with a phone on the network, and stops that again',
  async () => {
    const page = await stage.openAsOwner(DESK_WINDOW);
    await page.goto('/settings#network');
    const share = page.getByRole('switch', { name: 'Share on my network' });
    await share.waitFor();
    expect(await page.getByRole('img', { name: /^QR code for/ }).count()).toBe(0);
    await share.click({ force: true });
    const code = page.getByRole('img', { name: /^QR code for http/ });
    await code.waitFor();
    const { addresses, name } = await stage.api<NetworkOut>('/network');
    const address = addresses.find((candidate) => candidate.address === lanAddress);
    expect(await code.getAttribute('aria-label')).toBe(`QR code for ${addresses[0]?.url}`);
    if (name?.problem === null) {
      await page.getByRole('button', { name: `Show QR code for ${name.url}` }).click();
      await page.getByRole('img', { name: `QR code for ${name.url}` }).waitFor();
    }

    await page.getByText('Anyone who can reach the library can create an account and listen.').waitFor();
    await page.getByRole('button', { name: 'Close registration' }).click();
    await page.getByText('Anyone who can reach the library').waitFor({ state: 'detached' });

    const phone = await stage.openPage({ ...PHONE_WINDOW, baseURL: address?.url ?? '' });
    await phone.goto('/');
    await phone.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await phone.getByRole('link', { name: 'Create an account' }).count()).toBe(0);

    await share.click({ force: true });
    await code.waitFor({ state: 'detached' });
    await expect.poll(() => tryConnect(lanAddress ?? '', Number(new URL(stage.url).port))).toBe('ECONNREFUSED');
    // the phone reports its lost connection
    expect(stage.problems.filter((problem) => !problem.includes('net::ERR_CONNECTION_'))).toEqual([]);
    await phone.context().close();
    await page.context().close();
  },
);

test('with an address from the command line, the switch says so and is disabled', async () => {
  const fixedStage = await openStage({ tracks: 1, isScanned: false, env: { HOST: '127.0.0.1' } });
  const page = await fixedStage.openAsOwner(DESK_WINDOW);
  await page.goto('/settings#network');
  await page.getByText('Set by the server’s environment').first().waitFor();
  expect(await page.getByRole('switch', { name: 'Share on my network' }).isDisabled()).toBe(true);
  await fixedStage.close();
});
