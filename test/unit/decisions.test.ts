// The decision records: numbered without gaps, with all sections, and in the index.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const dir = join(import.meta.dirname, '..', '..', 'docs', 'decisions');
const read = (name: string): string => readFileSync(join(dir, name), 'utf8');
const records = readdirSync(dir)
  .filter((name) => name !== 'README.md')
  .toSorted();

it('records are numbered from 0001 without gaps, oldest first', () => {
  expect(records.map((name) => name.slice(0, 5))).toEqual(
    records.map((_, n) => `${(n + 1).toString().padStart(4, '0')}-`),
  );
  const dates = records.map((name) => /^- Date: (\d{4}-\d\d-\d\d)$/m.exec(read(name))?.[1] ?? name);
  expect(dates).toEqual(dates.toSorted());
});

it.each(records)('%s has a title, a date, a status and three sections', (name) => {
  const [head = '', ...sections] = read(name).split(/^## /m);
  expect(head).toMatch(
    new RegExp(`^# ${name.slice(0, 4)}: .+\n\n- Date: \\S+\n- Status: (accepted|superseded by .+)\n\n$`),
  );
  expect(sections.map((section) => section.split('\n')[0])).toEqual(['Context', 'Decision', 'Consequences']);
  for (const section of sections) expect(section.split('\n').slice(1).join('').trim()).not.toBe('');
});

it('the index lists every record once, with its title', () => {
  const listed = [...read('README.md').matchAll(/^- \[(\d{4})\]\((.+?)\) (.+?)(?: \(superseded\))?$/gm)]
    .map(([, number, file, title]) => ({ number, file, title }))
    .toSorted((a, b) => (a.file ?? '').localeCompare(b.file ?? ''));
  expect(listed).toEqual(
    records.map((file) => ({ number: file.slice(0, 4), file, title: /^# \d{4}: (.+)$/m.exec(read(file))?.[1] })),
  );
});

it('a superseded record names an existing one, and the index marks it', () => {
  for (const name of records) {
    const by = /^- Status: superseded by \[\d{4}\]\((.+)\)$/m.exec(read(name))?.[1];
    if (by !== undefined) expect(records).toContain(by);
    expect(read('README.md').includes(`(${name}) `) && / \(superseded\)$/m.test(lineOf(name)), name).toBe(
      by !== undefined,
    );
  }
});

const lineOf = (name: string): string =>
  read('README.md')
    .split('\n')
    .find((line) => line.includes(`(${name})`)) ?? '';
