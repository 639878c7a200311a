// Which kind of process the server runs in. In development it is plain Node, for which the native packages are
// installed anyway; packaged there is no Node beside us, and Electron's utility process takes its place. Nobody else
// knows the difference.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { utilityProcess } from 'electron';
import type { ServerChild } from './server-process.ts';

interface LaunchOptions {
  /** Folder of the product, or its asar archive. */
  root: string;
  isPackaged: boolean;
  /** Sees what the server prints, for whoever started the app from a terminal. */
  echo?: (chunk: Buffer) => void;
}

/** As `npm start` has them: a third of the memory at rest, and a heap that scans can keep small; they are no slower. */
const NODE_FLAGS = ['--expose-gc', '--max-semi-space-size=4'];
/** Secrets go into the system's keychain where there is one: here a person is signed in whose keychain is open. */
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
    detached: process.platform !== 'win32', // or Ctrl-C in the terminal would reach it beside our own request to stop
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

/** The Node that the project brings along, or the system's where it brings none (macOS). */
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
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it was faster
  }
}
