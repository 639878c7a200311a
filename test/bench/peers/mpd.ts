// The Music Player Daemon scanning the same files into a new database, for comparison where it is installed.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const hasMpd = (): boolean => spawnSync('mpd', ['--version']).status === 0;

/** Milliseconds of a first scan, from its first answer; its scan has begun by then, so the figure is too good. */
export async function mpdScanMs(music: string, dir: string): Promise<number> {
  mkdirSync(dir);
  const address = join(dir, 'socket');
  const config = join(dir, 'mpd.conf');
  writeFileSync(
    config,
    `music_directory "${music}"\ndb_file "${join(dir, 'database')}"\nlog_file "${join(dir, 'log')}"\nbind_to_address "${address}"\naudio_output {\n  type "null"\n  name "none"\n}\n`,
  );
  const child = spawn('mpd', ['--no-daemon', config], { stdio: 'ignore' });
  try {
    const socket = await connected(address);
    const ask = asker(socket);
    const started = performance.now();
    for (;;) {
      const { updating_db: updating } = await ask('status');
      const { songs } = await ask('stats');
      if (updating === undefined && songs !== '0') return performance.now() - started;
      await pause(10);
    }
  } finally {
    child.kill();
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

async function connected(address: string): Promise<Socket> {
  for (let tries = 0; ; tries++) {
    const socket = createConnection(address);
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    if (isOpen) return socket;
    if (tries > 500) throw new Error('mpd does not answer');
    await pause(10);
  }
}

/** Answers of its protocol are `name: value` lines, ended by `OK`. */
function asker(socket: Socket): (command: string) => Promise<Record<string, string>> {
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  let isGreeted = false;
  return async (command) => {
    if (!isGreeted) await lines.next();
    isGreeted = true;
    socket.write(`${command}\n`);
    const answer: Record<string, string> = {};
    for (let line = await lines.next(); line.done !== true && line.value !== 'OK'; line = await lines.next()) {
      const [name = '', value = ''] = line.value.split(': ');
      answer[name] = value;
    }
    return answer;
  };
}
