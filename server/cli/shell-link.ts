// The connection to the desktop app, if it started this server: a local socket whose address the app gives in the
// environment, the same for a child process of Node and a utility process of Electron. The app asks the server to stop
// (Windows has no signals), for what must not be in arguments, files or the log, and whether it still answers. When
// the socket closes the app is gone, and the server ends with it: it would keep the port and the data folder.
import { rmdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** The environment variable with the address of the socket. */
const SHELL_ADDRESS = 'TONEARM_SHELL';
/** Time to stop in order when the app is gone; what is written then is whole at any moment. */
const LAST_MS = 1_500;

const Request = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('stop') }),
  z.strictObject({ kind: z.literal('ping') }),
  z.strictObject({ kind: z.literal('ticket'), id: z.int() }),
  z.strictObject({ kind: z.literal('setup_token'), id: z.int() }),
]);
type Request = z.output<typeof Request>;

interface Answers {
  stop(): void;
  issueTicket(): string;
  /** Null once there is an account. */
  setupToken(): string | null;
}

export interface ShellLink {
  /** Part of what makes this server known to others, see db/data-lock.ts. */
  address: string;
  /** Requests that came before this call are answered now. */
  answer(answers: Answers): void;
  /** The server cannot start. `port` is the one that another program uses. */
  failed(reason: string, port: number | undefined): void;
}

/** Undefined without the desktop app. The variable is removed, or programs that the server starts would have it. */
export function connectToShell(env: NodeJS.ProcessEnv): ShellLink | undefined {
  const address = env[SHELL_ADDRESS];
  if (!address) return undefined;
  delete env[SHELL_ADDRESS];

  let answers: Answers | undefined;
  const early: Request[] = [];
  const socket = connect(address);
  const post = (message: object): void => void (socket.writable && socket.write(`${JSON.stringify(message)}\n`));

  function take(request: Request): void {
    if (request.kind === 'ping') return post({ kind: 'pong' });
    if (!answers) return void early.push(request);
    if (request.kind === 'stop') return answers.stop();
    const value = request.kind === 'ticket' ? answers.issueTicket() : answers.setupToken();
    post({ kind: 'answer', id: request.id, value });
  }

  createInterface({ input: socket })
    .on('line', (line) => {
      const request = Request.safeParse(parse(line));
      if (request.success) take(request.data);
    })
    .on('error', () => undefined); // raised here once more, when the app was killed with something unread
  socket.on('error', () => undefined); // `close` follows
  // nobody reads them when the app is gone, and the error would end the server in the middle of its end
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  socket.once('close', () => {
    removeSocket(address);
    if (!answers) process.exit(1); // nothing is being served yet
    answers.stop();
    setTimeout(() => process.exit(1), LAST_MS);
  });

  return {
    address,
    answer(given) {
      answers = given;
      early.splice(0).forEach(take);
    },
    failed: (reason, port) => post({ kind: 'failed', reason, ...(port !== undefined && { port }) }),
  };
}

/**
 * Whether the app that listens, or listened, at that address is still there. Also true when that cannot be found out:
 * its server is not ended by mistake.
 */
export function isShellThere(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(!['ENOENT', 'ECONNREFUSED'].includes(code)));
  });
}

/** What an app that was killed leaves; a pipe of Windows leaves nothing. */
export function removeSocket(address: string): void {
  if (process.platform === 'win32') return;
  try {
    rmSync(address, { force: true });
    rmdirSync(dirname(address));
  } catch {
    // the app has removed it itself, or the folder has other things in it
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
