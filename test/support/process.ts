// Runs the server in its own process, for tests that kill it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { serverEntry } from './bundle.ts';
import { offline } from './server.ts';

const PASSWORD = 'correct horse battery\n';

export interface ServerProcess {
  child: ChildProcess;
  url: string;
  setupToken: string | undefined;
  output: () => string;
  /** Kills the process and waits until it has ended. */
  kill(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface RunOptions {
  /** Text for the standard input of the process. */
  input?: string;
  /** User id of the account that runs the process; only root may choose another one. */
  uid?: number;
  /** Called repeatedly; the process is killed as soon as it returns true. */
  killWhen?: () => boolean;
}

/** Runs the server with these arguments, and waits for commands to end. */
export async function runServer(
  args: string[],
  env: Record<string, string> = {},
  { input, uid, killWhen }: RunOptions = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = start(args, env, undefined, uid);
  let [stdout, stderr] = ['', ''];
  child.stdin?.end(input);
  const watching = killWhen && setInterval(() => void (killWhen() && child.kill('SIGKILL')), 1);
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(watching);
  return { code, stdout, stderr };
}

/** Creates a library with an account in a data folder. */
export async function beginLibrary(dataDir: string): Promise<void> {
  const { code, stderr } = await runServer(['user', 'add', 'owner', '--data-dir', dataDir], {}, { input: PASSWORD });
  if (code !== 0) throw new Error(stderr);
}

/** Starts a server and waits until it listens. */
export async function spawnServer(
  args: string[],
  env: Record<string, string> = {},
  entry?: string,
): Promise<ServerProcess> {
  const child = start(args, env, entry);
  let text = '';
  const url = await new Promise<string>((resolve, reject) => {
    const onChunk = (chunk: Buffer): void => {
      text += chunk.toString();
      const match = /listening on (http:\S+)/.exec(text);
      if (match?.[1]) resolve(match[1]);
    };
    child.stdout?.on('data', onChunk);
    child.stderr?.on('data', onChunk);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
  return {
    child,
    url,
    output: () => text,
    get setupToken() {
      return /Setup token: (\S+)/.exec(text)?.[1];
    },
    async kill(signal = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      const [code] = (await once(child, 'exit')) as [number | null];
      // on Windows a killed process cannot report a clean exit
      return process.platform === 'win32' && signal === 'SIGTERM' ? 0 : code;
    },
  };
}

const start = (args: string[], env: Record<string, string>, entry = serverEntry(), uid?: number): ChildProcess =>
  spawn(process.execPath, [entry, ...args], {
    env: { ...process.env, LOCAL_MEDIA_WATCH: 'false', ...offline(env), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });

/** Returns whether a process, or any process of a group (negative id), still runs. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
