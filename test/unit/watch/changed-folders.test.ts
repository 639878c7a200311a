// Tests when changed folders are scanned, with a simulated clock.
import { describe, expect, it } from 'vitest';
import { createPendingChanges, type FileState } from '../../../server/watch/changed-folders.ts';

const rules = { quietMs: 5_000, maxWaitMs: 60_000, holdMs: 600_000 };
const fileState = (size: number, mtimeMs = 0): FileState => ({ size, mtimeMs });

describe('when changes are due', () => {
  it('nothing is due without changes', () => {
    expect(createPendingChanges(rules).dueAt()).toBeUndefined();
  });

  it('a quiet period after the latest of them', () => {
    const book = createPendingChanges(rules);
    book.noteRemoval('a', 1_000);
    book.noteRemoval('b', 4_000);
    expect(book.dueAt()).toBe(9_000);
  });

  it('after the longest wait when they never stop', () => {
    const book = createPendingChanges(rules);
    for (let timeMs = 0; timeMs < 120_000; timeMs += 1_000) book.noteRemoval('a', timeMs);
    expect(book.dueAt()).toBe(60_000);
  });

  it('once: what was scanned is not due again', () => {
    const book = createPendingChanges(rules);
    book.noteFile('a', '1.mp3', fileState(10), 0);
    book.noteRemoval('b', 0);
    book.noteUnknownChange('c', 0);
    expect(book.take(5_000, () => fileState(10))).toEqual({
      foldersWithRemovals: ['b'],
      foldersWithFiles: ['a', 'c'],
      count: 3,
    });
    expect(book.dueAt()).toBeUndefined();
  });

  it('a file that was removed since counts as a change of its folder', () => {
    const book = createPendingChanges(rules);
    book.noteFile('a', '1.mp3.part.mp3', fileState(10), 0);
    expect(book.take(5_000, () => undefined)).toEqual({ foldersWithRemovals: ['a'], foldersWithFiles: [], count: 1 });
  });
});

describe('a file that is still being written', () => {
  it('delays its folder, and no other', () => {
    const book = createPendingChanges(rules);
    book.noteFile('a', '1.mp3', fileState(10), 0);
    book.noteFile('b', '1.mp3', fileState(10), 0);
    expect(book.take(5_000, (folder) => fileState(folder === 'a' ? 20 : 10)).foldersWithFiles).toEqual(['b']);
    expect(book.dueAt()).toBe(10_000);
    expect(book.take(10_000, () => fileState(20)).foldersWithFiles).toEqual(['a']);
  });

  it('is recognized by its time too, when its size was set beforehand', () => {
    const book = createPendingChanges(rules);
    book.noteFile('a', '1.mp3', fileState(10, 1), 0);
    expect(book.take(5_000, () => fileState(10, 2)).foldersWithFiles).toEqual([]);
  });

  it('has to be unchanged for the whole quiet period, also when the longest wait is over', () => {
    const book = createPendingChanges({ ...rules, maxWaitMs: 6_000 });
    book.noteFile('a', '1.mp3', fileState(10), 0);
    book.noteFile('a', '1.mp3', fileState(20), 4_000);
    expect(book.take(6_000, () => fileState(20)).foldersWithFiles).toEqual([]);
    expect(book.take(11_000, () => fileState(20)).foldersWithFiles).toEqual(['a']);
  });

  it('does not count as growing when only its events repeat', () => {
    const book = createPendingChanges({ ...rules, maxWaitMs: 6_000 });
    for (const timeMs of [0, 2_000, 4_000, 5_900]) book.noteFile('a', '1.mp3', fileState(10), timeMs);
    expect(book.take(6_000, () => fileState(10)).foldersWithFiles).toEqual(['a']);
  });

  it('does not delay its folder forever', () => {
    const book = createPendingChanges(rules);
    let size = 0;
    book.noteFile('a', 'radio.mp3', fileState(size), 0);
    const takenAt = [5_000, 300_000, 599_000, 600_000].filter(
      (timeMs) => book.take(timeMs, () => fileState(++size)).foldersWithFiles.length > 0,
    );
    expect(takenAt).toEqual([600_000]);
  });
});
