// Stored choices are read when needed, never overwritten unread, and reported when they are damaged.
import { beforeEach, expect, test, vi } from 'vitest';
import { asJson, asWord, isRecord, onDamagedChoices, storedChoice } from '../../../renderer/stored-choice.ts';

let storedValues: Map<string, string>;
let isAllowed = true;
let isFull = false;
beforeEach(() => {
  storedValues = new Map();
  isAllowed = true;
  isFull = false;
  const check = (isRefused: boolean, name: string): void => {
    if (isRefused) throw new DOMException('no', name);
  };
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => (check(!isAllowed, 'SecurityError'), storedValues.get(key) ?? null),
    setItem: (key: string, text: string) => (
      check(isFull || !isAllowed, 'QuotaExceededError'),
      storedValues.set(key, text)
    ),
    removeItem: (key: string) => (check(!isAllowed, 'SecurityError'), storedValues.delete(key)),
  });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('removeEventListener', () => {});
});

interface Size {
  height: number;
}
const sizeChoice = () =>
  storedChoice<Size>({
    name: 'cardSize',
    key: 'size',
    initial: { height: 1 },
    ...asJson((value) =>
      isRecord(value) && typeof value['height'] === 'number' ? { height: value['height'] } : undefined,
    ),
  });

test('a choice is kept across a reload, and is the same object until it changes', () => {
  sizeChoice().set({ height: 7 });
  const reloadedChoice = sizeChoice();
  expect(reloadedChoice.get()).toEqual({ height: 7 });
  expect(reloadedChoice.get()).toBe(reloadedChoice.get());
  reloadedChoice.set(undefined);
  expect(storedValues.has('size')).toBe(false);
  expect(reloadedChoice.get()).toEqual({ height: 1 });
});

test('another window’s choice counts', () => {
  const choice = sizeChoice();
  choice.set({ height: 2 });
  storedValues.set('size', '{"height":3}');
  expect(choice.get()).toEqual({ height: 3 });
});

test.each(['nonsense', '[]', 'null', '{"height":"tall"}'])('a damaged text is put aside and told: %s', async (text) => {
  storedValues.set('size', text);
  const damagedNames: string[][] = [];
  const unsubscribe = onDamagedChoices((names) => damagedNames.push([...names]));
  const choice = sizeChoice();
  expect(choice.get()).toEqual({ height: 1 });
  choice.set({ height: 4 });
  await Promise.resolve();
  expect([storedValues.get('size'), storedValues.get('size.damaged')]).toEqual(['{"height":4}', text]);
  expect(damagedNames).toEqual([['cardSize']]);
  unsubscribe();
});

test('a damaged text is put aside also when nothing was read before', () => {
  storedValues.set('size', 'nonsense');
  sizeChoice().set({ height: 4 });
  expect(storedValues.get('size.damaged')).toBe('nonsense');
});

test.each(['full', 'not allowed'])('where storage is %s a choice holds until the page is closed', (storageState) => {
  const choice = sizeChoice();
  choice.set({ height: 2 });
  isFull = storageState === 'full';
  isAllowed = storageState === 'full';
  const heights: number[] = [];
  choice.onChange(() => heights.push(choice.get().height));
  choice.set({ height: 9 });
  expect([choice.get(), heights]).toEqual([{ height: 9 }, [9]]);
  isFull = false;
  isAllowed = true;
  choice.set({ height: 5 });
  expect([choice.get(), storedValues.get('size')]).toEqual([{ height: 5 }, '{"height":5}']);
});

test('an error in reading is no damage, and shows', () => {
  storedValues.set('size', '{}');
  const choice = storedChoice<number>({
    name: 'cardSize',
    key: 'size',
    initial: 0,
    ...asJson<number>(() => {
      throw new ReferenceError('not defined yet');
    }),
  });
  expect(() => choice.get()).toThrow('not defined yet');
  expect(() => choice.set(1)).toThrow('not defined yet');
  expect(storedValues.get('size')).toBe('{}');
});

test('words that there are', () => {
  const choice = () => storedChoice<string>({ name: 'scheme', key: 'word', initial: 'a', ...asWord(['a', 'b']) });
  choice().set('b');
  expect(choice().get()).toBe('b');
  storedValues.set('word', 'c');
  expect(choice().get()).toBe('a');
});
