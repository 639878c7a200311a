// The interface of all programs that are compared.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { meterOf, type Meter } from './process-tree.ts';

interface Place {
  /** Folder of the music. */
  music: string;
  /** Folder to which only this program writes. */
  dir: string;
}

export interface Peer {
  name: string;
  version: string;
  /** True for a program that copies the files, which is not compared with programs that only index them. */
  copies?: boolean;
  /** Starts the program; at the first start `place.dir` is empty. */
  start(place: Place): Promise<RunningPeer>;
}

export interface RunningPeer {
  /** The time from the start of the process to its first response. */
  startMs: number;
  meter: Meter;
  /** Scans everything new or changed; resolves with the number of tracks when the scan is over. */
  scan?(): Promise<number>;
  /** Measures the first scan of a program that begins it with the process and accepts no request for another one. */
  firstScan?(): Promise<number>;
  /** The address of the Subsonic API, and the parameters that authenticate its requests. */
  subsonic?: Subsonic;
  stop(): Promise<void>;
}

export interface Subsonic {
  url: string;
  credentials: string;
}

interface Launch {
  command: string;
  args?: string[];
  env?: Record<string, string>;
  /** Returns whether the program responds. */
  answers: () => Promise<boolean>;
}

const runningProcesses = new Set<ChildProcess>();
const START_LIMIT_MS = 60_000;

/** Ends the processes that a failed measurement left running. */
export async function endPeers(): Promise<void> {
  for (const child of runningProcesses) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

export async function launch({ command, args = [], env = {}, answers }: Launch) {
  const startedAt = performance.now();
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: 'ignore' });
  runningProcesses.add(child);
  child.once('exit', () => runningProcesses.delete(child));
  await once(child, 'spawn');
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`);
    if (performance.now() - startedAt > START_LIMIT_MS) throw new Error(`${command} does not answer`);
    await sleep(2);
  }
  const startMs = performance.now() - startedAt;
  const meter = meterOf(child.pid as number);
  return {
    startMs,
    meter,
    async stop(): Promise<void> {
      meter.close();
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** Resolves to true if the address sends any response. */
export const answersHttp = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    get(address, { agent: false }, (response) => {
      response.resume().on('end', () => resolve(true));
    }).on('error', () => resolve(false));
  });

/** Polls at growing intervals of 2 % of the elapsed time, so that polling costs the program hardly anything. */
export async function waitUntil(isDone: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await isDone())) await sleep(Math.max(5, (performance.now() - startedAt) / 50));
}

/** Returns a function that scans through the Subsonic API. */
export function scanOver({ url, credentials }: Subsonic): () => Promise<number> {
  const callMethod = async (method: string): Promise<{ scanning: boolean; count: number }> => {
    const response = await fetch(`${url}/rest/${method}?${credentials}`);
    const { 'subsonic-response': answer } = (await response.json()) as {
      'subsonic-response': { scanStatus?: { scanning: boolean; count?: number } };
    };
    if (!answer.scanStatus) throw new Error(`${method}: ${JSON.stringify(answer)}`);
    return { count: 0, ...answer.scanStatus };
  };
  return async () => {
    let { count } = await callMethod('startScan');
    await waitUntil(async () => {
      const status = await callMethod('getScanStatus');
      count = status.count;
      return !status.scanning;
    });
    return count;
  };
}
