#!/usr/bin/env -S node --expose-gc --max-semi-space-size=4
// `npx tonearm …`: the server and its commands, built when need be. The flags are those of `npm start`.
import './prepare-start.js';

await import('../dist/server/main.js');
