// Choices that a browser keeps: read when they are wanted, never written over unread, and told when they are damaged.
import { beforeEach, expect, test, vi } from 'vitest';
import { asJson, asWord, isRecord, onDamagedChoices, storedChoice } from '../../../renderer/stored-choice.ts';

let kept: Map<string, string>;
let isAllowed = true;
let isFull = false;
beforeEach(() => {
  kept = new Map();
  isAllowed = true;
  isFull = false;
  const check = (isRefused: boolean, name: string): void => {
    if (isRefused) throw new DOMException('no', name);
  };
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => (check(!isAllowed, 'SecurityError'), kept.get(key) ?? null),
    setItem: (key: string, text: string) => (check(isFull || !isAllowed, 'QuotaExceededError'), kept.set(key, text)),
    removeItem: (key: string) => (check(!isAllowed, 'SecurityError'), kept.delete(key)),
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

test('what was chosen is there after a reload, and the same object until it changes', () => {
  sizeChoice().set({ height: 7 });
  const reloaded = sizeChoice();
  expect(reloaded.get()).toEqual({ height: 7 });
  expect(reloaded.get()).toBe(reloaded.get());
  reloaded.set(undefined);
  expect(kept.has('size')).toBe(false);
  expect(reloaded.get()).toEqual({ height: 1 });
});

test('another window’s choice counts', () => {
  const choice = sizeChoice();
  choice.set({ height: 2 });
  kept.set('size', '{"height":3}');
  expect(choice.get()).toEqual({ height: 3 });
});

test.each(['nonsense', '[]', 'null', '{"height":"tall"}'])('a damaged text is put aside and told: %s', async (text) => {
  kept.set('size', text);
  const told: string[][] = [];
  const stop = onDamagedChoices((names) => told.push([...names]));
  const choice = sizeChoice();
  expect(choice.get()).toEqual({ height: 1 });
  choice.set({ height: 4 });
  await Promise.resolve();
  expect([kept.get('size'), kept.get('size.damaged')]).toEqual(['{"height":4}', text]);
  expect(told).toEqual([['cardSize']]);
  stop();
});

test('a damaged text is put aside also when nothing was read before', () => {
  kept.set('size', 'nonsense');
  sizeChoice().set({ height: 4 });
  expect(kept.get('size.damaged')).toBe('nonsense');
});

test.each(['full', 'not allowed'])('where storage is %s a choice holds until the page is closed', (why) => {
  const choice = sizeChoice();
  choice.set({ height: 2 });
  isFull = why === 'full';
  isAllowed = why === 'full';
  const heard: number[] = [];
  choice.onChange(() => heard.push(choice.get().height));
  choice.set({ height: 9 });
  expect([choice.get(), heard]).toEqual([{ height: 9 }, [9]]);
  isFull = false;
  isAllowed = true;
  choice.set({ height: 5 });
  expect([choice.get(), kept.get('size')]).toEqual([{ height: 5 }, '{"height":5}']);
});

test('an error in reading is no damage, and shows', () => {
  kept.set('size', '{}');
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
  expect(kept.get('size')).toBe('{}');
});

test('words that there are', () => {
  const choice = () => storedChoice<string>({ name: 'scheme', key: 'word', initial: 'a', ...asWord(['a', 'b']) });
  choice().set('b');
  expect(choice().get()).toBe('b');
  kept.set('word', 'c');
  expect(choice().get()).toBe('a');
});
