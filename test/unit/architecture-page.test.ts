// docs/ARCHITECTURE.md against the code: participants are files, solid arrows are imports, and the tables are whole.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TASKS } from '../../server/jobs/tasks.ts';
import { WORKERS } from '../../server/paths.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'ARCHITECTURE.md'), 'utf8');

const importsOf = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/ from '(\.[^']+)'/g)].map(([, path = '']) =>
    join(dirname(file), path),
  );
/** First cells of the table between two comments. */
const namesIn = (table: string): string[] =>
  [...(page.split(`<!-- ${table} -->`)[1]?.split('<!-- end')[0] ?? '').matchAll(/^\| `([^`]+)`/gm)].map(
    ([, name = '']) => name,
  );

describe.each([...page.matchAll(/sequenceDiagram\n([^`]+)/g)].map(([, text = '']) => text))('diagram %$', (diagram) => {
  const files = new Map(
    [...diagram.matchAll(/participant (\w+) as (\S+)/g)].map(([, name = '', file = '']) => [name, file]),
  );

  it('has files as participants', () => {
    expect(files.size).toBeGreaterThan(5);
    expect([...files.values()].filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it('draws a solid arrow only where there is an import', () => {
    const arrows = [...diagram.matchAll(/^ +(\w+)->>(\w+):/gm)].map(([, from = '', to = '']) => ({
      from: files.get(from) ?? from,
      to: files.get(to) ?? to,
    }));
    expect(arrows.length).toBeGreaterThan(3);
    expect(arrows.filter(({ from, to }) => !importsOf(from).includes(to))).toEqual([]);
  });
});

it('lists every worker thread', () => {
  expect(namesIn('threads')).toEqual(Object.values(WORKERS).map((file) => `server/${file}.ts`));
});

it('lists every task', () => {
  expect(namesIn('tasks').toSorted()).toEqual(Object.keys(TASKS).toSorted());
});
