// npm test: a build, then all tests, and beside them, in the time in which they wait, the type check and lint. With
// words, as in `npm test -- playlists`, only the test files whose path holds one of them, at once; what they start is
// built where it is out of date (test/support/build-stale.ts).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const words = process.argv.slice(2);

async function run(command: string): Promise<boolean> {
  const [status] = (await once(spawn(command, { shell: true, stdio: 'inherit' }), 'close')) as [number | null];
  return status === 0;
}

/** Says nothing before it has ended. */
async function runBeside(command: string): Promise<boolean> {
  const env = { GOGC: '400', ...process.env }; // the checks are programs in Go, and collect garbage a fifth of their time
  const child = spawn(`${command} 2>&1`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'], env });
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>]);
  console.log(status === 0 ? `${command}: passed` : `${output}\n${command}: FAILED`);
  return status === 0;
}

async function runEverything(): Promise<boolean> {
  if (!(await run('npm run build'))) return false;
  const passed = await Promise.all([
    runBeside('npm run typecheck').then(async (isTyped) => (await runBeside('npm run lint')) && isTyped),
    run('vitest run'),
  ]);
  return !passed.includes(false);
}

const some = ['vitest run', ...words.map((word) => JSON.stringify(word))].join(' ');
process.exitCode = (await (words.length > 0 ? run(some) : runEverything())) ? 0 : 1;
