// npm test: builds, then runs all tests, and at the same time the type check and lint. With words, as in `npm test --
// playlists`, runs only the test files whose path contains one of them, without building first; outdated parts that
// they start are built then (test/support/build-stale.ts).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const words = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), 'tonearm-test-run-'));
/** File into which tests write what they skipped (test/support/left-out.ts). */
const leftOut = join(scratch, 'left-out');

/** Results that are printed again at the end, because the tests draw over earlier output. */
const results: string[] = [];

function note(command: string, isPassed: boolean): boolean {
  results.push(`${command}: ${isPassed ? 'passed' : 'FAILED'}`);
  return isPassed;
}

async function runCommand(command: string): Promise<boolean> {
  const [status] = (await once(
    spawn(command, { shell: true, stdio: 'inherit', env: { ...process.env, TESTS_LEFT_OUT: leftOut } }),
    'close',
  )) as [number | null];
  return note(command, status === 0);
}

/** Runs a check beside the tests, and prints nothing before it has ended. */
async function runBeside(command: string): Promise<boolean> {
  const env = { GOGC: '400', ...process.env }; // less garbage collection in the checks, which are Go programs
  const child = spawn(`${command} 2>&1`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'], env });
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>]);
  if (status !== 0) console.log(output);
  return note(command, status === 0);
}

async function runEverything(): Promise<boolean> {
  console.log(
    'Build, type check, lint and all tests: about a quarter of an hour on two cores. Browser tests come first.',
  );
  if (!(await runCommand('npm run build'))) return false;
  const checkResults = await Promise.all([
    runBeside('npm run typecheck').then(async (isTyped) => (await runBeside('npm run lint')) && isTyped),
    runCommand('vitest run'),
  ]);
  return !checkResults.includes(false);
}

const testCommand = ['vitest run', ...words.map((word) => JSON.stringify(word))].join(' ');
const isPassed = await (words.length > 0 ? runCommand(testCommand) : runEverything());
if (words.length === 0) {
  const sentences = existsSync(leftOut) ? new Set(readFileSync(leftOut, 'utf8').trim().split('\n')) : [];
  console.log(['', ...results, ...[...sentences].map((sentence) => `Left out: ${sentence}`)].join('\n'));
  if (!isPassed) console.log('One test file alone: npm test -- NAME, a part of its path. See docs/DEVELOPMENT.md.');
}
rmSync(scratch, { recursive: true });
process.exitCode = isPassed ? 0 : 1;
