#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node --expose-gc --max-semi-space-size=4
// `npx tonearm …` and `npm start`: the server and its commands, built first where needed. glibc keeps freed memory per
// thread; with two arenas a server that was busy gives back some 20 MB more.
import { isNodeNewEnough } from './node-version.js';
import { areInstalled, findPackagedNode, runWith } from './packaged-node.js';

const packagedNode = isNodeNewEnough ? undefined : findPackagedNode();
if (packagedNode) runWith(packagedNode);
else if (!isNodeNewEnough && !areInstalled()) {
  console.error('The packages of Tonearm are not installed: run "npm ci" first.');
  process.exit(1);
} else await import('./start.js');
