#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node --expose-gc --max-semi-space-size=4
// `npx tonearm …` and `npm start`: the server and its commands, built when need be. glibc keeps freed memory per thread;
// with two arenas a server that was busy gives back some 20 MB more.
import './check-node.js';

const { staleOf } = await import('./built-parts.js');
const stale = staleOf(['server', 'renderer']);
if (stale.length > 0) {
  const { spawnSync } = await import('node:child_process');
  const build = [`${import.meta.dirname}/build.ts`, ...stale];
  // on stderr, so that what a command prints can go into a file; in a process of its own, which takes its memory along
  const { status } = spawnSync(process.execPath, build, { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}

await import('../dist/server/main.js');
