import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLimits, LIMITS, type Limits } from '../../../server/auth/sign-in-limits.ts';
import type { AppError } from '../../../server/errors.ts';
import { addressKey } from '../../../server/http/addresses.ts';

// Stops the system clock, which the rate limiter reads.
beforeEach(
  () =>
    void vi.useFakeTimers({ now: new Date('2026-01-01T00:00:00Z'), toFake: ['Date', 'setTimeout', 'clearTimeout'] }),
);
afterEach(() => void vi.useRealTimers());

const toCaller = (address: string) => ({ from: address, isFromOwnMachine: false });
const failSignIns = async (
  limits: Limits,
  times: number,
  address: string,
  name?: (i: number) => string,
): Promise<void> => {
  for (let i = 0; i < times; i += 1) await limits.attempt(toCaller(address), name?.(i));
};
const findRefusal = (limits: Limits, address: string, name?: string): Promise<AppError | undefined> =>
  limits.attempt(toCaller(address), name).then(
    () => undefined,
    (error: AppError) => error,
  );

describe('limits on failed sign-ins', () => {
  it('allow ten wrong passwords per name and address, then say how long to wait', async () => {
    const limits = createLimits();
    await failSignIns(limits, LIMITS.pair, '10.0.0.1', () => 'ann');
    vi.advanceTimersByTime(10_000);
    const refusal = await findRefusal(limits, '10.0.0.1', 'ann');
    expect(refusal).toMatchObject({ code: 'too_many_requests', retryAfter: 50 });
    expect(await findRefusal(limits, '10.0.0.1', 'bob'), 'another name').toBeUndefined();
    expect(await findRefusal(limits, '10.0.0.2', 'ann'), 'another address').toBeUndefined();
  });

  it('end after a minute', async () => {
    const limits = createLimits();
    await failSignIns(limits, LIMITS.pair + 5, '10.0.0.1', () => 'ann').catch(() => undefined);
    expect(await findRefusal(limits, '10.0.0.1', 'ann')).toMatchObject({ code: 'too_many_requests', retryAfter: 60 });
    vi.advanceTimersByTime(60_000);
    expect(await findRefusal(limits, '10.0.0.1', 'ann')).toBeUndefined();
  });

  it('count the failures of an address for all names together', async () => {
    const limits = createLimits();
    await failSignIns(limits, LIMITS.address, '10.0.0.1', (i) => `user${i}`);
    expect(await findRefusal(limits, '10.0.0.1', 'somebody')).toMatchObject({ code: 'too_many_requests' });
    expect(await findRefusal(limits, '10.0.0.1')).toMatchObject({ code: 'too_many_requests' });
  });

  it('count the failures for a name from all addresses together', async () => {
    const limits = createLimits();
    for (let i = 0; i < LIMITS.name; i += 1) await limits.attempt(toCaller(`10.0.0.${i}`), 'ann');
    expect(await findRefusal(limits, '10.0.1.1', 'ann')).toMatchObject({ code: 'too_many_requests' });
  });

  it('reset a name at an address after a success, but not the address for other names', async () => {
    const limits = createLimits();
    await failSignIns(limits, 20, '10.0.0.1', (i) => `user${i}`);
    await failSignIns(limits, 9, '10.0.0.1', () => 'ann');
    await (await limits.attempt(toCaller('10.0.0.1'), 'ann')).succeeded();
    expect(await findRefusal(limits, '10.0.0.1', 'ann')).toBeUndefined();
    expect(await findRefusal(limits, '10.0.0.1', 'bob')).toMatchObject({ code: 'too_many_requests' });
  });

  it('do not count successes', async () => {
    const limits = createLimits();
    for (let i = 0; i < 200; i += 1) await (await limits.attempt(toCaller('10.0.0.1'), 'ann')).succeeded();
    expect(await findRefusal(limits, '10.0.0.1', 'ann')).toBeUndefined();
  });

  it('count sign-ins from the machine itself only by name', async () => {
    const limits = createLimits();
    const thisMachine = { from: '127.0.0.1', isFromOwnMachine: true };
    for (let i = 0; i < 3 * LIMITS.address; i += 1) await limits.attempt(thisMachine, `user${i}`);
    for (let i = 0; i < LIMITS.pair; i += 1) await limits.attempt(thisMachine, 'ann');
    await expect(limits.attempt(thisMachine, 'ann')).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  it('on a name do not apply at an address where that user is signed in', async () => {
    const limits = createLimits();
    for (let i = 0; i < LIMITS.name; i += 1) await limits.attempt(toCaller(`10.0.0.${i}`), 'ann');
    expect(await findRefusal(limits, '10.0.1.1', 'ann')).toMatchObject({ code: 'too_many_requests' });
    await limits.attempt(toCaller('10.0.1.2'), 'ann', () => true);
  });

  it('apply to concurrent attempts', async () => {
    const limits = createLimits();
    const answers = await Promise.all(Array.from({ length: 50 }, () => findRefusal(limits, '10.0.0.1', 'ann')));
    expect(answers.filter((refusal) => refusal === undefined)).toHaveLength(LIMITS.pair);
  });
});

describe('addresses for the limits', () => {
  it.each([
    ['10.1.2.3', '10.1.2.3'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::FFFF:10.1.2.3', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:ffff::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['10.1.2.3:51234', '10.1.2.3'],
    ['[2001:db8:1:2:3:4:5:6]:443', '2001:db8:1:2::/64'],
    ['[::ffff:10.1.2.3]', '10.1.2.3'],
    ['_hidden', 'unknown'],
    ['1.2.3.4.5', 'unknown'],
    [undefined, 'unknown'],
  ])('%s counts as %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});
