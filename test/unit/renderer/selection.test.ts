import { expect, test } from 'vitest';
import {
  choose,
  countChosen,
  EVERYTHING,
  isChosen,
  EMPTY_SELECTION,
  toggled,
  withRows,
} from '../../../renderer/ui/lists/selection.ts';

test('nothing is selected at first', () => {
  expect(countChosen(EMPTY_SELECTION, 100)).toBe(0);
  expect(isChosen(EMPTY_SELECTION, 1)).toBe(false);
});

test('a row is selected and deselected', () => {
  const selection = toggled(EMPTY_SELECTION, 7);
  expect(isChosen(selection, 7)).toBe(true);
  expect(countChosen(selection, 100)).toBe(1);
  expect(countChosen(toggled(selection, 7), 100)).toBe(0);
});

test('a range replaces the selection, or is added to it', () => {
  const range = choose([3, 4, 5]);
  expect(countChosen(range, 100)).toBe(3);
  const extendedSelection = withRows(choose([1]), [3, 4], true);
  expect([1, 3, 4].every((id) => isChosen(extendedSelection, id))).toBe(true);
  expect(isChosen(withRows(extendedSelection, [3], false), 3)).toBe(false);
});

test('everything is selected without knowing ids, also later rows', () => {
  expect(countChosen(EVERYTHING, 1_000_000)).toBe(1_000_000);
  expect(isChosen(EVERYTHING, 999_999)).toBe(true);
  expect(countChosen(EVERYTHING, 1_000_001)).toBe(1_000_001);
});

test('rows are let go of everything, and taken in again', () => {
  const reducedSelection = withRows(EVERYTHING, [5, 6], false);
  expect(isChosen(reducedSelection, 5)).toBe(false);
  expect(countChosen(reducedSelection, 10)).toBe(8);
  expect(isChosen(toggled(reducedSelection, 5), 5)).toBe(true);
  expect(countChosen(toggled(toggled(reducedSelection, 5), 6), 10)).toBe(10);
});

test('a selection is immutable', () => {
  const selection = choose([1, 2]);
  toggled(selection, 1);
  expect(isChosen(selection, 1)).toBe(true);
});
