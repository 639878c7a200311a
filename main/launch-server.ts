// Starts the server process: plain Node in development, for which the native packages are installed anyway; Electron's
// utility process in a package, which has no Node. Nothing else knows the difference.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { utilityProcess } from 'electron';
import type { ServerChild } from './server-process.ts';
import { listenForServer, type ServerSocket } from './server-socket.ts';

interface LaunchOptions {
  /** The project folder, or the asar archive. */
  root: string;
  isPackaged: boolean;
  /** The arguments of the command line. */
  args?: readonly string[];
  /** Receives the server's output. */
  echo?: (chunk: Buffer) => void;
}

/** The flags of `npm start`: a small young generation, which saves 60 to 90 MB, and collections in quiet times. */
const NODE_FLAGS = ['--expose-gc', '--max-semi-space-size=4'];
/** Secrets go into the system keychain where there is one: a user is signed in, whose keychain is unlocked. */
const environment = ({ address }: ServerSocket): NodeJS.ProcessEnv => ({
  SECRET_STORE: 'auto',
  ...process.env,
  TONEARM_SHELL: address,
});
const NO_OUTPUT = new Error('The server process came without its output.');

export function launchServer({ root, isPackaged, args = [], echo }: LaunchOptions): ServerChild {
  const socket = listenForServer();
  const child = isPackaged ? launchUtility(root, args, socket) : launchNode(root, args, socket);
  if (echo) for (const output of [child.stdout, child.stderr]) output.on('data', echo);
  child.onEnd(socket.close);
  return { ...child, send: socket.send, onMessage: socket.onMessage };
}

type StartedProcess = Omit<ServerChild, 'send' | 'onMessage'>;

function launchNode(root: string, args: readonly string[], socket: ServerSocket): StartedProcess {
  const child = spawn(nodeProgram(root), [...NODE_FLAGS, join(root, 'dist', 'server', 'main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(socket),
    detached: process.platform !== 'win32', // or Ctrl-C in the terminal would reach it in addition to our stop request
  });
  if (!child.stdout || !child.stderr) throw NO_OUTPUT;
  let fault: Error | undefined;
  child.on('error', (error) => {
    fault ??= error;
  });
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    // `close` comes after the last output, `exit` may not
    onEnd: (listener) => void child.once('close', () => listener(fault)),
    kill: () => kill(child.pid),
  };
}

function launchUtility(root: string, args: readonly string[], socket: ServerSocket): StartedProcess {
  // Unpacked, because worker threads and native packages read real files.
  const entry = join(root.replace(/\.asar$/, '.asar.unpacked'), 'dist', 'server', 'main.js');
  const child = utilityProcess.fork(entry, [...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    execArgv: NODE_FLAGS,
    env: environment(socket),
    serviceName: 'Tonearm server',
  });
  if (!child.stdout || !child.stderr) throw NO_OUTPUT;
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    onEnd: (listener) => void child.once('exit', () => listener()),
    kill: () => kill(child.pid), // at once; child.kill() asks first
  };
}

/** The Node that npm installed with the project, or the system's where there is none (macOS). */
function nodeProgram(root: string): string {
  const isWindows = process.platform === 'win32';
  const bundled = join(
    root,
    'node_modules',
    `node-${isWindows ? 'win' : process.platform}-${process.arch}`,
    'bin',
    isWindows ? 'node.exe' : 'node',
  );
  return existsSync(bundled) ? bundled : 'node';
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it had already exited
  }
}
