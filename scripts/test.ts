// npm test: type check, lint, build, all tests. With words, as in `npm test -- playlists`, only the test files whose
// path holds one of them, at once; what they start is built where it is out of date (test/support/build-stale.ts).
import { spawnSync } from 'node:child_process';

const words = process.argv.slice(2);
const everything = 'npm run typecheck && npm run lint && npm run build && vitest run';
const some = ['vitest run', ...words.map((word) => JSON.stringify(word))].join(' ');
const env = { GOGC: '400', ...process.env }; // the checks are programs in Go, and collect garbage a fifth of their time
const { status } = spawnSync(words.length > 0 ? some : everything, { shell: true, stdio: 'inherit', env });
process.exitCode = status ?? 1;
