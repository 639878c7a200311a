// Kills the desktop app and its server at random moments and starts them again: no process is left running, the port
// and the data folder are free, and everything that the server acknowledged exists. Both ways of starting the server
// are used.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { TokenResponse } from '../../server/auth/wire.ts';
import { isAlive } from '../support/process.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { offline } from '../support/server.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const OWNER_ACCOUNT = { username: 'owner', password: 'correct horse battery' };
/** The latest moment of a kill. A start takes about half a second, so that kills occur during and after it. */
const LATEST_MS = 1_500;

/** The ways in which a running app is killed; `stopped` sends SIGSTOP first. */
const KILL_KINDS = [
  { name: 'the app', app: true, server: false, stopped: false },
  { name: 'the server', app: false, server: true, stopped: false },
  { name: 'both', app: true, server: true, stopped: false },
  { name: 'the app, with the server stopped', app: true, server: false, stopped: true },
  { name: 'the server, which was stopped', app: false, server: true, stopped: true },
] as const;

interface Shell {
  process: ChildProcess;
  /** Process ids of the servers that the app has started. */
  servers: number[];
}

interface DesktopProof {
  cycles: number;
  faults: string[];
}

export async function killDesktop({ cycles, seed }: { cycles: number; seed: number }): Promise<DesktopProof> {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-desktop-'));
  const random = seededRandom(seed);
  const faults: string[] = [];
  const acknowledgedNames: string[] = [];
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    ...offline({}),
    TMPDIR: dir,
    DATA_DIR: join(dir, 'data'),
    PORT: String(port),
    LOCAL_MEDIA_WATCH: 'false',
    LOG_LEVEL: 'silent',
    SECRET_STORE: 'file',
    ADMIN_USERNAME: OWNER_ACCOUNT.username,
    ADMIN_PASSWORD: OWNER_ACCOUNT.password,
  };

  function start(): Shell {
    const build = random() < 0.5 ? 'packaged' : 'plain';
    const child = fork(join(import.meta.dirname, 'desktop-shell.ts'), [dir, build], { env, silent: true });
    const shell: Shell = { process: child, servers: [] };
    child.on('message', (message) => shell.servers.push((message as { server: number }).server));
    child.stdout?.resume();
    child.stderr?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('Error')) faults.push(`the app: ${chunk.toString()}`);
    });
    return shell;
  }

  /** Writes until the server is gone; notes the acknowledged writes. */
  async function write(isDone: () => boolean): Promise<void> {
    let token: string | undefined;
    for (let n = 0; !isDone(); n += 1) {
      try {
        token ??= (await call<TokenResponse>('/auth/login', OWNER_ACCOUNT)).access_token;
        const name = `${seed} ${acknowledgedNames.length} ${n}`;
        await call('/playlists', { name }, token);
        acknowledgedNames.push(name);
      } catch {
        await sleep(20); // the server is starting, or was killed
      }
    }
  }

  async function call<T>(path: string, body: unknown, token?: string): Promise<T> {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(2_000),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return (await answer.json()) as T;
  }

  const isHealthy = (): Promise<boolean> =>
    fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );

  async function cycle(n: number): Promise<void> {
    const kill = KILL_KINDS[Math.floor(random() * KILL_KINDS.length)] as (typeof KILL_KINDS)[number];
    const cycleLabel = `cycle ${n}, ${kill.name}`;
    const shell = start();
    let isDone = false;
    const pendingWrites = write(() => isDone);
    await sleep(random() * LATEST_MS);
    const server = shell.servers.at(-1);
    if (server !== undefined && kill.stopped) signal(server, 'SIGSTOP');
    if (kill.server && server !== undefined) signal(server, 'SIGKILL');
    if (kill.app) await end(shell.process);
    if (kill.app && !kill.stopped) await untilGone(shell.servers, `${cycleLabel}: a server goes on`);
    if (!kill.app) await checkRecovery(shell, server, cycleLabel);
    isDone = true;
    await pendingWrites;
    await end(shell.process);
    if (!kill.stopped || !kill.app) await untilGone(shell.servers, `${cycleLabel}: a server goes on`);
    else leftBehind.push(...shell.servers);
  }

  /** Checks that a killed server comes back, or, if it was killed before it listened, that the app asks what to do. */
  async function checkRecovery(shell: Shell, killedPid: number | undefined, cycleLabel: string): Promise<void> {
    if (killedPid === undefined) return;
    await Promise.race([until(isHealthy), until(() => shell.servers.length === 1 && !isAlive(killedPid))]);
    if (isAlive(killedPid)) faults.push(`${cycleLabel}: the killed server is alive`);
  }

  async function untilGone(servers: number[], fault: string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (servers.some(isAlive) && performance.now() < deadline) await sleep(50);
    if (servers.some(isAlive)) faults.push(fault);
  }

  const leftBehind: number[] = [];
  try {
    for (let n = 1; n <= cycles; n += 1) await cycle(n);
    // the last start finds everything that earlier runs left
    const lastShell = start();
    await until(isHealthy);
    // a process that was stopped before it locked the folder blocks no other process, and ends when it continues
    for (const pid of leftBehind) signal(pid, 'SIGCONT');
    await untilGone(leftBehind, 'a server that was stopped goes on');
    const names = playlistsIn(join(dir, 'data'));
    faults.push(...acknowledgedNames.filter((name) => !names.has(name)).map((name) => `the playlist ${name} is lost`));
    lastShell.process.send('quit');
    await once(lastShell.process, 'exit');
    await untilGone(lastShell.servers, 'a server goes on after quitting');
    if (!(await canListenOn(port))) faults.push('the port is still used');
    return { cycles, faults };
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function playlistsIn(data: string): Set<string> {
  const db = new Database(join(data, 'tonearm.db'), { readonly: true });
  try {
    const check = db.pragma('integrity_check', { simple: true });
    if (check !== 'ok') throw new Error(`The database is damaged: ${String(check)}`);
    return new Set(db.prepare<[], string>('SELECT name FROM playlists').pluck().all());
  } finally {
    db.close();
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  if (isAlive(pid)) process.kill(pid, name);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/**
 * Returns a port below the range from which systems assign ports, so that no other test gets it while no server runs.
 */
async function freePort(): Promise<number> {
  let port = 20_000 + (process.pid % 10_000);
  while (!(await canListenOn(port))) port += 1;
  return port;
}

const canListenOn = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

export async function proveDesktop({ seed, runs = 100 }: { seed: number; runs: number | undefined }): Promise<boolean> {
  const { cycles, faults } = await killDesktop({ cycles: runs, seed });
  console.log(`desktop: ${cycles} kills of app and server, ${faults.length === 0 ? 'nothing left or lost' : ''}`);
  for (const fault of faults) console.log(fault);
  return faults.length === 0;
}
