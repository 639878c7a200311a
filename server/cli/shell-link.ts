// The connection to the desktop app that started this server. It is a local socket, whose address is in the
// environment, for a child process of Node and a utility process of Electron alike. The app asks the server to stop
// (Windows has no signals), asks for secrets that must not be in arguments, files or the log, and checks that the
// server answers. When the socket closes, the app is gone, and the server ends, because it would keep the port and the
// data folder.
import { rmdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** The environment variable with the address of the socket. */
const SHELL_ADDRESS = 'TONEARM_SHELL';
/** Time for a clean stop after the app is gone. A kill after that is safe: all writes survive it. */
const MAX_STOP_MS = 1_500;

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
  /** Returns the set-up token; null once an account exists. */
  setupToken(): string | null;
}

export interface ShellLink {
  /** Address of the socket, which db/data-lock.ts saves. */
  address: string;
  /** Sets the answers to requests of the app; requests that arrived before are answered now. */
  answer(answers: Answers): void;
  /** Tells the app why the server cannot start. `port` is set when another program uses that port. */
  reportFailure(reason: string, port: number | undefined): void;
}

/**
 * Connects to the desktop app; returns undefined if the app did not start this server. Deletes the variable, so that
 * child processes do not inherit it.
 */
export function connectToShell(env: NodeJS.ProcessEnv): ShellLink | undefined {
  const address = env[SHELL_ADDRESS];
  if (!address) return undefined;
  delete env[SHELL_ADDRESS];

  let answers: Answers | undefined;
  const earlyRequests: Request[] = [];
  const socket = connect(address);
  const post = (message: object): void => void (socket.writable && socket.write(`${JSON.stringify(message)}\n`));

  function handleRequest(request: Request): void {
    if (request.kind === 'ping') return post({ kind: 'pong' });
    if (!answers) return void earlyRequests.push(request);
    if (request.kind === 'stop') return answers.stop();
    const value = request.kind === 'ticket' ? answers.issueTicket() : answers.setupToken();
    post({ kind: 'answer', id: request.id, value });
  }

  createInterface({ input: socket })
    .on('line', (line) => {
      const request = Request.safeParse(parseJson(line));
      if (request.success) handleRequest(request.data);
    })
    .on('error', () => undefined); // if the app was killed, readline emits the socket's error, too
  socket.on('error', () => undefined); // the event `close` follows and is handled
  // when the app is gone, nobody reads the output, and a write error would end the server during its stop
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  socket.once('close', () => {
    removeSocket(address);
    if (!answers) process.exit(1); // the server has not started yet, so there is nothing to stop
    answers.stop();
    setTimeout(() => process.exit(1), MAX_STOP_MS);
  });

  return {
    address,
    answer(newAnswers) {
      answers = newAnswers;
      earlyRequests.splice(0).forEach(handleRequest);
    },
    reportFailure: (reason, port) => post({ kind: 'failed', reason, ...(port !== undefined && { port }) }),
  };
}

/**
 * Returns whether the app at that address still runs. In doubt it returns true, so that its server is not ended by
 * mistake.
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

/** Removes the socket file that a killed app leaves. On Windows the socket is a pipe without a file. */
export function removeSocket(address: string): void {
  if (process.platform === 'win32') return;
  try {
    rmSync(address, { force: true });
    rmdirSync(dirname(address));
  } catch {
    // the app has removed the socket itself, or the folder contains other files
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
