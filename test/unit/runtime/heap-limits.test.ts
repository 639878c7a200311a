import { setFlagsFromString } from 'node:v8';
import { beforeEach, expect, test, vi } from 'vitest';
import { limitHeapGrowth } from '../../../server/runtime/heap-limits.ts';

vi.mock('node:v8', () => ({ setFlagsFromString: vi.fn() }));
const flags = (): string[] => vi.mocked(setFlagsFromString).mock.calls.map(([flag]) => flag);
beforeEach(() => {
  vi.mocked(setFlagsFromString).mockClear();
});

test('the heap is small from the first who asks for it to the last who is done, and each is done once', () => {
  const [one, other] = [limitHeapGrowth(), limitHeapGrowth()];
  expect(flags()).toEqual(['--heap-growing-percent=15']);
  one();
  one();
  expect(flags()).toHaveLength(1);
  other();
  expect(flags()).toEqual(['--heap-growing-percent=15', '--heap-growing-percent=0']);
});

test('what is known of the heap is reckoned anew at both ends, where that can be asked for', () => {
  const collect = vi.fn();
  vi.stubGlobal('gc', collect);
  limitHeapGrowth()();
  expect(collect).toHaveBeenCalledTimes(2);
  vi.unstubAllGlobals();
});
