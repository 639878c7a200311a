// Starts the Music Player Daemon if it is installed. MPD scans when it starts without a database.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { launch, waitUntil, type Peer } from './peer.ts';

export function mpd(): Peer {
  const { stdout, error } = spawnSync('mpd', ['--version'], { encoding: 'utf8' });
  if (error) throw error;
  return {
    name: 'MPD',
    version: /Daemon (\S+)/.exec(stdout)?.[1] ?? '',
    async start({ music, dir }) {
      mkdirSync(dir, { recursive: true });
      const address = join(dir, 'socket');
      const config = join(dir, 'mpd.conf');
      writeFileSync(
        config,
        [
          `music_directory "${music}"`,
          `db_file "${join(dir, 'database')}"`,
          `log_file "${join(dir, 'log')}"`,
          `bind_to_address "${address}"`,
          'zeroconf_enabled "no"',
          'audio_output {\n  type "null"\n  name "none"\n}\n',
        ].join('\n'),
      );
      let socket: Socket | undefined;
      const process = await launch({
        command: 'mpd',
        args: ['--no-daemon', config],
        answers: async () => (socket = await connectSocket(address)) !== undefined,
      });
      const sendCommand = asker(socket as Socket);
      const scanAll = async (): Promise<number> => {
        let songs = 0;
        await waitUntil(async () => {
          const { updating_db: updating } = await sendCommand('status');
          songs = Number((await sendCommand('stats'))['songs']);
          return updating === undefined && songs > 0;
        });
        return songs;
      };
      return {
        ...process,
        firstScan: scanAll,
        async scan() {
          await sendCommand('update');
          return scanAll();
        },
        async stop() {
          socket?.destroy();
          await process.stop();
        },
      };
    },
  };
}

async function connectSocket(address: string): Promise<Socket | undefined> {
  const socket = createConnection(address);
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined));
  });
}

/** Returns a function that sends commands. MPD's responses are lines of `name: value`, ended by `OK`. */
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
