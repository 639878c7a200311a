// Checks that decision records are numbered without gaps, have all sections, and are in the index.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const dir = join(import.meta.dirname, '..', '..', 'docs', 'decisions');
const readRecord = (name: string): string => readFileSync(join(dir, name), 'utf8');
const records = readdirSync(dir)
  .filter((name) => name !== 'README.md')
  .toSorted();

it('records are numbered from 0001 without gaps, oldest first', () => {
  expect(records.map((name) => name.slice(0, 5))).toEqual(
    records.map((_, n) => `${(n + 1).toString().padStart(4, '0')}-`),
  );
  const dates = records.map((name) => /^- Date: (\d{4}-\d\d-\d\d)$/m.exec(readRecord(name))?.[1] ?? name);
  expect(dates).toEqual(dates.toSorted());
});

it.each(records)('%s has a title, a date, a status and three sections', (name) => {
  const [heading = '', ...sections] = readRecord(name).split(/^## /m);
  expect(heading).toMatch(
    new RegExp(`^# ${name.slice(0, 4)}: .+\n\n- Date: \\S+\n- Status: (accepted|superseded by .+)\n\n$`),
  );
  expect(sections.map((section) => section.split('\n')[0])).toEqual(['Context', 'Decision', 'Consequences']);
  for (const section of sections) expect(section.split('\n').slice(1).join('').trim()).not.toBe('');
});

it('the index lists every record once, with its title', () => {
  const indexEntries = [...readRecord('README.md').matchAll(/^- \[(\d{4})\]\((.+?)\) (.+?)(?: \(superseded\))?$/gm)]
    .map(([, number, file, title]) => ({ number, file, title }))
    .toSorted((a, b) => (a.file ?? '').localeCompare(b.file ?? ''));
  expect(indexEntries).toEqual(
    records.map((file) => ({ number: file.slice(0, 4), file, title: /^# \d{4}: (.+)$/m.exec(readRecord(file))?.[1] })),
  );
});

it('a superseded record names an existing one, and the index marks it', () => {
  for (const name of records) {
    const successor = /^- Status: superseded by \[\d{4}\]\((.+)\)$/m.exec(readRecord(name))?.[1];
    if (successor !== undefined) expect(records).toContain(successor);
    expect(readRecord('README.md').includes(`(${name}) `) && / \(superseded\)$/m.test(toIndexLine(name)), name).toBe(
      successor !== undefined,
    );
  }
});

const toIndexLine = (name: string): string =>
  readRecord('README.md')
    .split('\n')
    .find((line) => line.includes(`(${name})`)) ?? '';
