// The code follows the table of layers (test/support/architecture.ts), without import cycles.
import { describe, expect, it } from 'vitest';
import {
  ARCHITECTURE,
  cyclesOf,
  faultOf,
  FILES,
  IMPORTS,
  importsOf,
  placeOf,
  PURE,
  readCode,
  type Part,
} from '../support/architecture.ts';

describe('the code', () => {
  it('imports only what the table of layers allows', () => {
    const faults = IMPORTS.map((each) => ({ ...each, why: faultOf(each) })).filter(({ why }) => why !== undefined);
    expect(faults.map(({ from, to, why }) => `${from} → ${to}: ${why}`)).toEqual([]);
  });

  it('has no cycle of files, types included', () => {
    expect(cyclesOf(IMPORTS).map((files) => files.join(' → '))).toEqual([]);
  });

  it('imports only existing files', () => {
    const files = new Set(FILES);
    expect(IMPORTS.filter(({ to }) => !files.has(to))).toEqual([]);
  });
});

it.each([...PURE])('%s, which other programs import too, imports nothing', (path) => {
  expect(IMPORTS.filter(({ from }) => from === path)).toEqual([]);
});

it('every background task is declared once, and has one handler', () => {
  const code = FILES.filter((path) => path.startsWith('server/'))
    .map(readCode)
    .join('\n');
  const declared = [...code.matchAll(/^export const (\w+) = task\(/gm)].map(([, name = '']) => name);
  const handled = [...code.matchAll(/\bhandledBy\((\w+),/g)].map(([, name = '']) => name);
  expect(declared.length).toBeGreaterThan(10);
  expect(handled.toSorted()).toEqual(declared.toSorted());
});

it('has no line over 120 characters', () => {
  const long = FILES.flatMap((path) =>
    readCode(path)
      .split('\n')
      .flatMap((line, at) => ([...line].length > 120 ? [`${path}:${at + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

it('app.ts is a table of contents: nothing is decided there but whether jobs run', () => {
  expect(readCode('server/app.ts').match(/\b(?:if|for|while|switch|catch) ?\([^)]*\)/g)).toEqual(['if (work)']);
});

describe('the table', () => {
  const tables = Object.entries(ARCHITECTURE) as [Part, (typeof ARCHITECTURE)[Part]][];
  const used = new Set(
    IMPORTS.map(({ from, to }) => `${placeOf(from)?.part}: ${placeOf(from)?.folder} → ${placeOf(to)?.folder}`),
  );

  it.each(tables)('of %s lists each folder once, after all that it uses', (_, layers) => {
    for (const { folders } of layers) {
      const names = Object.keys(folders);
      for (const [at, name] of names.entries())
        for (const other of folders[name] ?? []) expect(names.slice(0, at), `${name} uses ${other}`).toContain(other);
    }
    const all = layers.flatMap(({ folders }) => Object.keys(folders));
    expect(all).toEqual([...new Set(all)]);
  });

  it.each(tables)('of %s has no missing folders and no unused arrows', (part, layers) => {
    for (const [name, uses] of layers.flatMap(({ folders }) => Object.entries(folders))) {
      const inPart = `${part}/${name.replace('*', '')}`;
      expect(
        FILES.some((path) => path.startsWith(inPart)),
        `${inPart} is there`,
      ).toBe(true);
      for (const other of uses) expect(used, `${name} uses ${other}`).toContain(`${part}: ${name} → ${other}`);
    }
  });
});

describe('the check', () => {
  it.each([
    ["import { a } from '../db/ids.ts';", 'server/db/ids.ts'],
    ['import type { A } from "./wire.ts";', 'server/likes/wire.ts'],
    ["import {\n  a,\n  type B,\n} from './wire.ts';", 'server/likes/wire.ts'],
    ["export { a } from './wire.ts';", 'server/likes/wire.ts'],
    ["export * from './wire.ts';", 'server/likes/wire.ts'],
    ["import './wire.ts';", 'server/likes/wire.ts'],
    ["const { a } = await import('../app.ts');", 'server/app.ts'],
    ["let a: import('./wire.ts').A;", 'server/likes/wire.ts'],
    ["let a: typeof import(\n  './wire.ts'\n);", 'server/likes/wire.ts'],
  ])('reads %j', (code, to) => {
    expect(importsOf('server/likes/service.ts', code)).toEqual([{ from: 'server/likes/service.ts', to }]);
  });

  it.each([
    ['server/likes/service.ts', 'server/db/ids.ts', undefined],
    ['server/likes/service.ts', 'server/library/service.ts', undefined],
    ['server/likes/service.ts', 'server/likes/wire.ts', undefined],
    ['server/library/service.ts', 'server/likes/service.ts', 'library may not use likes'],
    ['server/db/client.ts', 'server/http/route.ts', 'http lies above db'],
    ['server/jobs/service.ts', 'server/scan/wire.ts', 'scan lies above jobs'],
    ['server/cellar/service.ts', 'server/db/ids.ts', 'server/cellar/service.ts is not in the table'],
    ['renderer/api/likes.ts', 'server/likes/wire.ts', undefined],
    ['renderer/api/likes.ts', 'server/enrichment/duplicate-wire.ts', undefined],
    ['renderer/api/likes.ts', 'server/likes/service.ts', 'renderer/ does not use server/'],
    ['server/likes/service.ts', 'renderer/api/likes.ts', 'server/ does not use renderer/'],
    ['renderer/features/search/a.tsx', 'renderer/ui/controls/button.tsx', undefined],
    ['renderer/features/search/a.tsx', 'renderer/features/browse/b.tsx', 'features/search may not use features/browse'],
    ['main/tray-menu.ts', 'main/status.ts', undefined],
  ])('%s → %s: %s', (from, to, why) => {
    expect(faultOf({ from, to })).toBe(why);
  });

  it('finds a cycle, and lists its files in order', () => {
    const imports = ['a b', 'b c', 'c d', 'd b'].map((pair) => ({ from: pair.slice(0, 1), to: pair.slice(2) }));
    expect(cyclesOf(imports)).toEqual([['b', 'c', 'd']]);
  });
});
