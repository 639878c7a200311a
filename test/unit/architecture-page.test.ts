// Compares docs/ARCHITECTURE.md with the code: participants are files, solid arrows are imports, tables are complete.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WORKERS } from '../../server/paths.ts';
import { ARCHITECTURE, FILES, IMPORTS, readCode, type Layer, type Part } from '../support/architecture.ts';

const root = join(import.meta.dirname, '..', '..');
const path = join(root, 'docs', 'ARCHITECTURE.md');
const page = readFileSync(path, 'utf8');

/** Returns the first cell of each row of the tables below a heading or a comment. */
const listFirstCells = (marker: string): string[] =>
  [...(page.split(`\n${marker}\n`)[1]?.split(/^(?:#|<!-- end)/m)[0] ?? '').matchAll(/^\| `([^`]+)`/gm)].map(
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
    expect(arrows.filter((arrow) => !IMPORTS.some(({ from, to }) => arrow.from === from && arrow.to === to))).toEqual(
      [],
    );
  });
});

it('lists every worker thread', () => {
  expect(listFirstCells('<!-- threads -->')).toEqual(Object.values(WORKERS).map((file) => `server/${file}.ts`));
});

it('lists every task', () => {
  const declared = FILES.flatMap((path) => [...readCode(path).matchAll(/\btask\('(\w+)', \{/g)]);
  expect(listFirstCells('<!-- tasks -->').toSorted()).toEqual(declared.map(([, name = '']) => name).toSorted());
});

it('draws the layers of the table that imports have to follow', async () => {
  const redrawnPage = page.replace(
    /(<!-- layers -->\n)[\s\S]*(<!-- end of layers -->)/,
    (_, start: string, end: string) => `${start}${drawPart('server')}\n${drawPart('renderer')}${end}`,
  );
  await expect(redrawnPage).toMatchFileSnapshot(path);
});

it.each(['server', 'renderer'] as const)('lists every folder of %s', (part) => {
  const names = ARCHITECTURE[part]
    .flatMap(({ folders }) => Object.keys(folders))
    .flatMap((name) => {
      const path = `${part}/${name.replace('*', '')}`;
      return name.endsWith('*') ? readdirSync(join(root, path)).map((folder) => path + folder) : [path];
    });
  expect(listFirstCells(`### \`${part}/\``).toSorted()).toEqual(
    names.map((name) => (name.endsWith('.ts') ? name : `${name}/`)).toSorted(),
  );
});

function drawPart(part: Part): string {
  const layers = ARCHITECTURE[part].toReversed();
  return [
    `\`${part}/\`:\n`,
    ...layers.map(({ name, about }) => `- **${name}**: ${about}`),
    '\n```mermaid\nflowchart TB',
    ...layers.flatMap((layer) => drawLayer(part, layer)),
    `  ${layers.map(({ name }) => `${part}_${name}`).join(' --> ')}`,
    '```\n',
  ].join('\n');
}

/** Draws a layer: one box for the folders without arrows, and no arrow that follows from others. */
function drawLayer(part: Part, { name, folders }: Layer): string[] {
  const toNodeId = (folder: string): string => `${part}_${folder.replaceAll(/\W/g, '_')}`;
  const arrows = Object.entries(folders).flatMap(([folder, uses]) =>
    uses.filter((used) => !uses.some((other) => reaches(folders, other, used))).map((used) => [folder, used] as const),
  );
  const connectedFolders = new Set(arrows.flat());
  const otherFolders = Object.keys(folders).filter((folder) => !connectedFolders.has(folder));
  const drawnFolders = new Set<string>();
  const draw = (folder: string): string => {
    const isDrawn = drawnFolders.has(folder);
    drawnFolders.add(folder);
    return isDrawn ? toNodeId(folder) : `${toNodeId(folder)}["${folder}"]`;
  };
  return [
    `  subgraph ${part}_${name} ["${name}"]`,
    ...(otherFolders.length > 0 ? [`    ${part}_${name}_others["${otherFolders.join('<br>')}"]`] : []),
    ...[...Map.groupBy(arrows, ([from]) => from)].map(
      ([from, group]) => `    ${draw(from)} --> ${group.map(([, to]) => draw(to)).join(' & ')}`,
    ),
    '  end',
  ];
}

/** Returns whether a folder uses another one, directly or through other folders. */
const reaches = (folders: Layer['folders'], from: string, to: string): boolean =>
  (folders[from] ?? []).some((usedFolder) => usedFolder === to || reaches(folders, usedFolder, to));
