#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node --expose-gc --max-semi-space-size=4
// `npx tonearm …`: the server and its commands, built when need be. The flags are those of `npm start`. glibc keeps freed
// memory per thread; with two arenas a server that was busy gives back some 20 MB more.
import './prepare-start.js';

await import('../dist/server/main.js');
