// Runs a server as a child process that is restarted on request. If the new server does not start, the old one does not
// come back: callers that wait for the address receive the error.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { inspect } from 'node:util';

interface RestartingServerOptions {
  entry: string;
  args: string[];
  /** Called when the server listens; `wasDown` says that the previous run had failed. */
  onListening(wasDown: boolean): void;
  onFailed(message: string): void;
}

/** The restart waits this long, because “save all” saves several files at once. */
const RESTART_DELAY_MS = 50;
const STOP_TIMEOUT_MS = 1_000;
const MAX_ERROR_LINES = 40;

export function createRestartingServer({ entry, args, onListening, onFailed }: RestartingServerOptions) {
  let child: ChildProcess | undefined;
  let failure: string | undefined;
  let address = Promise.withResolvers<string>();
  let timer: NodeJS.Timeout | undefined;
  let pendingRestart = Promise.resolve();

  function start(): void {
    const newChild = spawn(process.execPath, ['--import', import.meta.resolve('./quick-imports.ts'), entry, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = newChild;
    const lines: string[] = [];
    const noteLine = (line: string): void => {
      const url = /^Tonearm is listening on (http:\S+)$/.exec(line)?.[1];
      if (url === undefined) {
        const text = toReadableLine(line);
        console.log(text);
        lines.splice(0, lines.length - MAX_ERROR_LINES + 1);
        lines.push(text);
        return;
      }
      const wasDown = failure !== undefined;
      failure = undefined;
      address.resolve(url);
      onListening(wasDown);
    };
    for (const input of [newChild.stdout, newChild.stderr]) createInterface({ input }).on('line', noteLine);
    newChild.once('close', (code, signal) => {
      if (child !== newChild) return; // the process was asked to end
      child = undefined;
      failure = `The server ended (${signal ?? code}), and starts again when a file is saved.\n\n${lines.join('\n')}`;
      console.error(failure.split('\n', 1)[0]);
      address.promise.catch(() => undefined); // nobody may be waiting for the address
      address.reject(new Error(failure));
      onFailed(failure);
    });
  }

  async function stop(): Promise<void> {
    const oldChild = child;
    child = undefined;
    if (!oldChild || oldChild.exitCode !== null || oldChild.signalCode !== null) return;
    oldChild.kill('SIGTERM');
    const impatience = setTimeout(() => oldChild.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await once(oldChild, 'close');
    clearTimeout(impatience);
  }

  return {
    /** Resolves to the server's address when the server listens; rejects if the server ended by itself. */
    address: (): Promise<string> => address.promise,
    /** Returns the error of the server that ended by itself; undefined while the server is running or starting. */
    failure: (): string | undefined => failure,

    restart(): void {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const oldAddress = address;
        address = Promise.withResolvers(); // from here on all callers wait for the new server
        oldAddress.resolve(address.promise);
        pendingRestart = pendingRestart.then(stop).then(start);
      }, RESTART_DELAY_MS);
    },

    async stop(): Promise<void> {
      clearTimeout(timer);
      await pendingRestart;
      await stop();
    },
  };
}

/** Returns a line of the log in a readable form, with its stack trace. */
function toReadableLine(line: string): string {
  if (!line.startsWith('{"')) return line;
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown> & {
    err?: { stack: string };
  };
  const details = Object.keys(fields).length > 0 ? inspect(fields, { breakLength: Infinity }) : '';
  return [`${String(time).slice(11, 19)} ${String(level)}: ${String(msg)} ${details}`.trimEnd(), err?.stack]
    .filter(Boolean)
    .join('\n');
}
