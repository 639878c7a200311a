// Which kind of process the server runs in. In development it is plain Node, for which the native packages are installed anyway;
// packaged there is no Node beside us, and Electron's utility process takes its place. Nobody else knows the difference.
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

export function launchServer({ root, isPackaged, echo }: LaunchOptions): ServerChild {
  const child = isPackaged ? launchUtility(root) : launchNode(root);
  if (echo) for (const output of [child.stdout, child.stderr]) output.on('data', echo);
  return child;
}

function launchNode(root: string): ServerChild {
  const child = spawn(nodeProgram(root), [join(root, 'dist', 'server', 'main.js')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32', // or Ctrl-C in the terminal would reach it a second time, beside our own SIGTERM
  });
  let fault: Error | undefined;
  child.once('error', (error) => { fault = error; });
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    onEnd: (listener) => void child.once('close', () => listener(fault)), // `close` comes after the last output, `exit` may not
    signal: (name) => signal(child.pid, name),
  };
}

function launchUtility(root: string): ServerChild {
  // Unpacked, because worker threads and native packages read real files.
  const entry = join(root.replace(/\.asar$/, '.asar.unpacked'), 'dist', 'server', 'main.js');
  const child = utilityProcess.fork(entry, [], { stdio: ['ignore', 'pipe', 'pipe'], serviceName: 'Tonearm server' });
  if (!child.stdout || !child.stderr) throw new Error('The server process came without its output.');
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    onEnd: (listener) => void child.once('exit', () => listener()),
    signal: (name) => signal(child.pid, name), // not child.kill(), which follows up with SIGKILL after 2 s
  };
}

/** The Node that the project brings along, or the system's where it brings none (macOS). */
function nodeProgram(root: string): string {
  const isWindows = process.platform === 'win32';
  const bundled = join(root, 'node_modules', `node-${isWindows ? 'win' : process.platform}-${process.arch}`, 'bin', isWindows ? 'node.exe' : 'node');
  return existsSync(bundled) ? bundled : 'node';
}

/** Windows has no signals: there both end the process at once, and the next start goes on from the last commit. */
function signal(pid: number | undefined, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (pid !== undefined) process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it was faster
  }
}
