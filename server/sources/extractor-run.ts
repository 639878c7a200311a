// Runs the extractor without a shell, in its own process group (it starts ffmpeg), with limits on time and output and a
// minimal environment.
import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { childEnvironment, NETWORK_VARIABLES } from '../runtime/child-environment.ts';
import { CatalogueError } from './catalogue.ts';

export interface RunOptions {
  cwd: string;
  signal: AbortSignal;
  timeLimitMs: number;
  /** Called with each line of output. */
  onLine?: (line: string) => void;
  env?: NodeJS.ProcessEnv;
}

export interface RunResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

const MAX_OUTPUT_CHARACTERS = 16e6;
const MAX_ERROR_CHARACTERS = 32e3;
const MAX_LINE_CHARACTERS = 64e3;
const GRACE_MS = 3_000;
const isWindows = process.platform === 'win32';

/**
 * Runs the extractor. Throws the signal's reason, or CatalogueError if the program cannot be started or exceeds a
 * limit.
 */
export function runExtractor(
  command: string,
  args: readonly string[],
  { cwd, signal, timeLimitMs, onLine, env = process.env }: RunOptions,
): Promise<RunResult> {
  signal.throwIfAborted();
  const child = spawn(command, args, {
    cwd,
    shell: false,
    detached: !isWindows,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...childEnvironment(env, NETWORK_VARIABLES), PYTHONIOENCODING: 'utf-8' },
  });
  return new Promise((resolve, reject) => {
    let [stdout, stderr, line] = ['', '', ''];
    let fault: unknown;

    const stop = (reason: unknown): void => {
      if (fault !== undefined) return;
      fault = reason;
      endGroup(child.pid, 'SIGTERM');
      setTimeout(() => {
        if (child.exitCode === null && child.signalCode === null) endGroup(child.pid, 'SIGKILL');
      }, GRACE_MS).unref();
    };
    const giveUp = (): void => stop(signal.reason);
    const timer = setTimeout(
      () => stop(new CatalogueError('timeout', `The extractor took longer than ${Math.round(timeLimitMs / 1_000)} s.`)),
      timeLimitMs,
    );
    signal.addEventListener('abort', giveUp, { once: true });

    const decoder = new StringDecoder('utf8');
    child.stdout.on('data', (chunk: Buffer) => {
      const text = decoder.write(chunk);
      if (onLine) {
        const lines = (line + text).split('\n');
        line = (lines.pop() ?? '').slice(-MAX_LINE_CHARACTERS);
        for (const completeLine of lines) onLine(completeLine.trimEnd());
      } else {
        stdout += text;
        if (stdout.length > MAX_OUTPUT_CHARACTERS)
          stop(new CatalogueError('unavailable', 'The extractor returned too much output.'));
      }
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-MAX_ERROR_CHARACTERS);
    });
    child.once('error', (cause) => {
      fault ??= new CatalogueError('misconfigured', 'The extractor cannot be started; check STREAMSRC_COMMAND.', {
        cause,
      });
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      if (line !== '') onLine?.(line.trimEnd());
      if (fault !== undefined) reject(fault);
      else resolve({ code, stdout, stderr });
    });
  });
}

/** Ends the program and its child processes. */
function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(isWindows ? pid : -pid, signal);
  } catch {
    /* the process has already ended */
  }
}
