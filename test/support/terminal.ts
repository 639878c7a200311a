// Runs the server and its commands on a terminal: a pseudo-terminal of `script` from util-linux.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { serverEntry } from './bundle.ts';
import { offline } from './server.ts';
import { toolOrWarn } from './tools.ts';
import { until } from './until.ts';

/** Returns the path of util-linux's `script`, or undefined after a warning; macOS has a `script` with other options. */
export const terminalOrWarn = (): string | undefined =>
  process.platform === 'linux'
    ? toolOrWarn('script', 'what is asked and shown on a terminal is', '--version')
    : undefined;

export interface Terminal {
  output: () => string;
  type(keys: string): void;
  /** Waits until the terminal displays this text. */
  shows(words: string): Promise<void>;
  /** Resolves to the exit code. */
  whenEnded: Promise<number | null>;
}

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** Starts the server. `after` is a shell command that runs in the same terminal when the server has ended. */
export function onTerminal(args: string[], { env = {}, after }: { env?: Record<string, string>; after?: string } = {}) {
  const command = [process.execPath, serverEntry(), ...args].map(quoted).join(' ');
  const child = spawn(
    'script',
    ['-qefc', after === undefined ? `exec ${command}` : `${command}; ${after}`, '/dev/null'],
    {
      env: { ...process.env, LOCAL_MEDIA_WATCH: 'false', NO_COLOR: '1', ...offline(env), ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return {
    output: () => text,
    type: (keys) => void child.stdin.write(keys),
    shows: async (words) => void (await until(() => text.includes(words))),
    whenEnded: once(child, 'close').then(([code]) => code as number | null),
  } satisfies Terminal;
}
