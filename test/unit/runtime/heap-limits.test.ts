import { setFlagsFromString } from 'node:v8';
import { beforeEach, expect, test, vi } from 'vitest';

vi.mock('node:v8', () => ({ setFlagsFromString: vi.fn() }));
vi.resetModules(); // another test may have loaded it with the real one
const { createHeapLimit } = await import('../../../server/runtime/heap-limits.ts');
const flags = (): string[] => vi.mocked(setFlagsFromString).mock.calls.map(([flag]) => flag);
beforeEach(() => {
  vi.mocked(setFlagsFromString).mockClear();
});

test('the heap is limited from the first hold to the last release', () => {
  const [one, other] = [createHeapLimit(), createHeapLimit()];
  for (const limit of [one, one, other]) limit.hold();
  expect(flags()).toEqual(['--heap-growing-percent=15']);
  one.release();
  one.release();
  expect(flags()).toHaveLength(1);
  other.release();
  expect(flags()).toEqual(['--heap-growing-percent=15', '--heap-growing-percent=0']);
});

test('a limit that was never held releases nothing', () => {
  const held = createHeapLimit();
  held.hold();
  createHeapLimit().release();
  expect(flags()).toHaveLength(1);
  held.release();
});

test('both ends ask for a collection, where there is a way to', () => {
  const collect = vi.fn();
  vi.stubGlobal('gc', collect);
  const limit = createHeapLimit();
  limit.hold();
  limit.release();
  expect(collect).toHaveBeenCalledTimes(2);
  vi.unstubAllGlobals();
});
