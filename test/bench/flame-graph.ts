// A flame graph of V8's processor profiles: each thread is a tower, callers below, width is time that was not idle.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}

/** `us`: of itself and all that it called. */
interface Frame {
  name: string;
  us: number;
  children: Map<string, Frame>;
}

const IDLE = new Set(['(idle)', '(root)']);
const [WIDTH, ROW, LETTER] = [1200, 17, 6.6];
/** Narrower ones are left out. */
const LEAST_PX = 1.5;
/** Deeper are the modules that import each other at the start. */
const MOST_ROWS = 24;

/** One tree for all profiles of a folder, threads of one kind together. */
export function readProfiles(dir: string): Frame {
  const all = newFrame('all threads');
  for (const file of readdirSync(dir).filter((name) => name.endsWith('.cpuprofile')))
    addProfile(all, JSON.parse(readFileSync(join(dir, file), 'utf8')) as Profile);
  return all;
}

const newFrame = (name: string): Frame => ({ name, us: 0, children: new Map() });

function addProfile(all: Frame, { nodes, samples, timeDeltas }: Profile): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const threadOf = newFrame(nameThread(nodes));
  samples.forEach((id, n) => {
    const us = timeDeltas[n] ?? 0;
    const path: string[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = byId.get(at)?.callFrame;
      if (frame && !IDLE.has(frame.functionName)) path.push(nameOf(frame));
    }
    if (path.length === 0) return;
    let into = threadOf;
    into.us += us;
    for (const name of path.toReversed()) {
      const found = into.children.get(name) ?? newFrame(name);
      into.children.set(name, found);
      found.us += us;
      into = found;
    }
  });
  const same = all.children.get(threadOf.name);
  all.us += threadOf.us;
  if (same) mergeInto(same, threadOf);
  else all.children.set(threadOf.name, threadOf);
}

function mergeInto(into: Frame, from: Frame): void {
  into.us += from.us;
  for (const [name, child] of from.children) {
    const found = into.children.get(name);
    if (found) mergeInto(found, child);
    else into.children.set(name, child);
  }
}

/** By the script that a thread was started with. */
function nameThread(nodes: Profile['nodes']): string {
  const files = nodes.flatMap(({ callFrame: { url } }) => (url.startsWith('file:') ? basename(url) : []));
  return files.find((name) => name.endsWith('-worker.js'))?.replace('.js', '') ?? 'main';
}

const nameOf = ({ functionName, url }: Profile['nodes'][number]['callFrame']): string =>
  functionName || (url === '' ? '(native)' : `(in ${basename(url)})`);

export function drawFlameGraph(all: Frame, title: string): string {
  const boxes: string[] = [];
  let deepest = 0;
  const draw = (frame: Frame, x: number, depth: number): void => {
    const width = (frame.us / all.us) * WIDTH;
    if (width < LEAST_PX || depth >= MOST_ROWS) return;
    deepest = Math.max(deepest, depth);
    const share = `${((frame.us / all.us) * 100).toFixed(1)} %`;
    const label = `${frame.name} ${share}`;
    const letters = Math.floor((width - 4) / LETTER);
    const text = label.length <= letters ? label : frame.name.slice(0, Math.max(0, letters - 1));
    boxes.push(
      `<g><title>${escape(label)}</title><rect x="${x.toFixed(1)}" y="${depth * ROW}" width="${Math.max(0.5, width - 0.5).toFixed(1)}" height="${ROW - 1}" class="${kindOf(frame.name)}"/>` +
        (text.length > 2 ? `<text x="${(x + 3).toFixed(1)}" y="${depth * ROW + 12}">${escape(text)}</text>` : '') +
        '</g>',
    );
    let at = x;
    for (const child of [...frame.children.values()].toSorted((a, b) => b.us - a.us)) {
      draw(child, at, depth + 1);
      at += (child.us / all.us) * WIDTH;
    }
  };
  draw(all, 0, 0);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -28 ${WIDTH + 16} ${(deepest + 1) * ROW + 36}" role="img" aria-label="${escape(title)}">
<style>text{font:11px sans-serif;fill:#2b2a28}.title{font:600 13px sans-serif}.js{fill:#f0c38e}.native{fill:#e59a73}.gc{fill:#b9c7d6}</style>
<rect x="-8" y="-28" width="100%" height="100%" fill="#fcfbfa"/>
<text class="title" y="-10">${escape(title)}</text>
${boxes.join('\n')}
</svg>
`;
}

const kindOf = (name: string): string =>
  name === '(garbage collector)' ? 'gc' : name.startsWith('(') ? 'native' : 'js';
const escape = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.codePointAt(0)};`);
