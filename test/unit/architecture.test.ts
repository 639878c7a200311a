// Checks that the code follows the table of layers (test/support/architecture.ts) and has no import cycles.
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
    const faults = IMPORTS.map((edge) => ({ ...edge, why: faultOf(edge) })).filter(({ why }) => why !== undefined);
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
  const handledTasks = [...code.matchAll(/\bhandledBy\((\w+),/g)].map(([, name = '']) => name);
  expect(declared.length).toBeGreaterThan(10);
  expect(handledTasks.toSorted()).toEqual(declared.toSorted());
});

it('has no line over 120 characters', () => {
  const longLines = FILES.flatMap((path) =>
    readCode(path)
      .split('\n')
      .flatMap((line, index) => ([...line].length > 120 ? [`${path}:${index + 1}`] : [])),
  );
  expect(longLines).toEqual([]);
});

it('app.ts is a table of contents, and decides only whether jobs run', () => {
  expect(readCode('server/app.ts').match(/\b(?:if|for|while|switch|catch) ?\([^)]*\)/g)).toEqual(['if (work)']);
});

describe('the table', () => {
  const tables = Object.entries(ARCHITECTURE) as [Part, (typeof ARCHITECTURE)[Part]][];
  const usedArrows = new Set(
    IMPORTS.map(({ from, to }) => `${placeOf(from)?.part}: ${placeOf(from)?.folder} → ${placeOf(to)?.folder}`),
  );

  it.each(tables)('of %s lists each folder once, after every folder that it uses', (_, layers) => {
    for (const { folders } of layers) {
      const names = Object.keys(folders);
      for (const [index, name] of names.entries())
        for (const usedFolder of folders[name] ?? [])
          expect(names.slice(0, index), `${name} uses ${usedFolder}`).toContain(usedFolder);
    }
    const folderNames = layers.flatMap(({ folders }) => Object.keys(folders));
    expect(folderNames).toEqual([...new Set(folderNames)]);
  });

  it.each(tables)('of %s has no missing folders and no unused arrows', (part, layers) => {
    for (const [name, uses] of layers.flatMap(({ folders }) => Object.entries(folders))) {
      const prefix = `${part}/${name.replace('*', '')}`;
      expect(
        FILES.some((path) => path.startsWith(prefix)),
        `${prefix} is there`,
      ).toBe(true);
      for (const usedFolder of uses)
        expect(usedArrows, `${name} uses ${usedFolder}`).toContain(`${part}: ${name} → ${usedFolder}`);
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
  ])('reads %j', (code, target) => {
    expect(importsOf('server/likes/service.ts', code)).toEqual([{ from: 'server/likes/service.ts', to: target }]);
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
