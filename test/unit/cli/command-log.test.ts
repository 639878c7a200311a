// Tests whether output is recognized as going to systemd's journal.
import { closeSync, fstatSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isJournal } from '../../../server/cli/command-log.ts';

test('the journal keeps the stream that JOURNAL_STREAM names, and no other', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-journal-'));
  const fd = openSync(join(dir, 'stderr'), 'w');
  const { dev, ino } = fstatSync(fd);
  expect(isJournal(`${dev}:${ino}`, fd)).toBe(true);
  expect(isJournal(`${dev}:${ino + 1}`, fd)).toBe(false); // the variable is inherited from a terminal's session
  expect(isJournal(undefined, fd)).toBe(false);
  closeSync(fd);
  rmSync(dir, { recursive: true });
});
