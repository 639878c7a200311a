// After `npm ci`: is this Node new enough? And on Windows, which has no `exec`, here is one: the start script is
// `exec node …`, since otherwise signals for npm end at the shell between.
import './check-node.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

if (process.platform === 'win32')
  writeFileSync(join(import.meta.dirname, '..', 'node_modules', '.bin', 'exec.cmd'), '@%*\r\n');
