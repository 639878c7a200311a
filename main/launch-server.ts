// Starts the server process: with Node in development, for which the native packages are installed, and as Electron's
// utility process in a package, which has no Node. The rest of the app need not know which of the two runs.
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
  /** The arguments of the server's command line. */
  args?: readonly string[];
  /** Receives the server's output. */
  echo?: (chunk: Buffer) => void;
}

/**
 * The Node flags of `npm start`: a small young generation saves 60 to 90 MB, and `--expose-gc` allows collections in
 * quiet times.
 */
const NODE_FLAGS = ['--expose-gc', '--max-semi-space-size=4'];
/**
 * Returns the server's environment. Secrets go into the system keychain if there is one, because the signed-in user's
 * keychain is unlocked.
 */
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
    detached: process.platform !== 'win32', // Ctrl-C in the terminal must not reach the server
  });
  if (!child.stdout || !child.stderr) throw NO_OUTPUT;
  let fault: Error | undefined;
  child.on('error', (error) => {
    fault ??= error;
  });
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    // `close` comes after the last output, `exit` may come before it
    onEnd: (listener) => void child.once('close', () => listener(fault)),
    kill: () => kill(child.pid),
  };
}

function launchUtility(root: string, args: readonly string[], socket: ServerSocket): StartedProcess {
  // The server is outside the archive, because worker threads and native packages read real files.
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
    kill: () => kill(child.pid), // child.kill() would first ask the process to end
  };
}

/** Returns the Node that npm installed with the project, or the system's if there is none (macOS). */
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
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // the process had already exited
  }
}
