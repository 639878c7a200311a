import { setFlagsFromString } from 'node:v8';
import { beforeEach, expect, test, vi } from 'vitest';

vi.mock('node:v8', () => ({ setFlagsFromString: vi.fn() }));
vi.resetModules(); // another test may have loaded the module with the real v8
const { createHeapLimit } = await import('../../../server/runtime/heap-limits.ts');
const flags = (): string[] => vi.mocked(setFlagsFromString).mock.calls.map(([flag]) => flag);
beforeEach(() => {
  vi.mocked(setFlagsFromString).mockClear();
});

test('the heap is limited from the first hold to the last release', () => {
  const [heapLimit, otherLimit] = [createHeapLimit(), createHeapLimit()];
  for (const limit of [heapLimit, heapLimit, otherLimit]) limit.hold();
  expect(flags()).toEqual(['--heap-growing-percent=15']);
  heapLimit.release();
  heapLimit.release();
  expect(flags()).toHaveLength(1);
  otherLimit.release();
  expect(flags()).toEqual(['--heap-growing-percent=15', '--heap-growing-percent=0']);
});

test('a limit that was never held releases nothing', () => {
  const unusedLimit = createHeapLimit();
  unusedLimit.hold();
  createHeapLimit().release();
  expect(flags()).toHaveLength(1);
  unusedLimit.release();
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
