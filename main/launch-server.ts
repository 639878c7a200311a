// Starts the server process: plain Node in development, for which the native packages are installed anyway; Electron's
// utility process in a package, which has no Node. Nothing else knows the difference.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { utilityProcess } from 'electron';
import type { ServerChild } from './server-process.ts';

interface LaunchOptions {
  /** The project folder, or the asar archive. */
  root: string;
  isPackaged: boolean;
  /** Receives the server's output, when the app was started from a terminal. */
  echo?: (chunk: Buffer) => void;
}

/** As for `npm start`: a third of the memory at idle, a heap that scans can keep small, and no slower. */
const NODE_FLAGS = ['--expose-gc', '--max-semi-space-size=4'];
/** Secrets go into the system keychain where there is one: a user is signed in, whose keychain is unlocked. */
const environment = (): NodeJS.ProcessEnv => ({ SECRET_STORE: 'auto', ...process.env });
const NO_OUTPUT = new Error('The server process came without its output.');

export function launchServer({ root, isPackaged, echo }: LaunchOptions): ServerChild {
  const child = isPackaged ? launchUtility(root) : launchNode(root);
  if (echo) for (const output of [child.stdout, child.stderr]) output.on('data', echo);
  return child;
}

function launchNode(root: string): ServerChild {
  const child = spawn(nodeProgram(root), [...NODE_FLAGS, join(root, 'dist', 'server', 'main.js')], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: environment(),
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
    onMessage: (listener) => void child.on('message', listener),
    send: (message) => {
      if (child.connected) child.send(message, () => undefined);
    },
    kill: () => kill(child.pid),
  };
}

function launchUtility(root: string): ServerChild {
  // Unpacked, because worker threads and native packages read real files.
  const entry = join(root.replace(/\.asar$/, '.asar.unpacked'), 'dist', 'server', 'main.js');
  const child = utilityProcess.fork(entry, [], {
    stdio: ['ignore', 'pipe', 'pipe'],
    execArgv: NODE_FLAGS,
    env: environment(),
    serviceName: 'Tonearm server',
  });
  if (!child.stdout || !child.stderr) throw NO_OUTPUT;
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    onEnd: (listener) => void child.once('exit', () => listener()),
    onMessage: (listener) => void child.on('message', listener),
    send: (message) => child.postMessage(message),
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
