// Starts MiniDLNA (ReadyMedia) if it is installed. MiniDLNA scans at its start, in a child process.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { answersHttp, launch, waitUntil, type Peer } from './peer.ts';

export function minidlna(): Peer {
  const { stdout, error } = spawnSync('minidlnad', ['-V'], { encoding: 'utf8' });
  if (error) throw error;
  return {
    name: 'MiniDLNA',
    version: stdout.replace('Version', '').trim(),
    async start({ music, dir }) {
      const port = await freePort();
      const data = join(dir, 'minidlna');
      mkdirSync(data, { recursive: true });
      const config = join(dir, 'minidlna.conf');
      writeFileSync(
        config,
        [`port=${port}`, `media_dir=A,${music}`, `db_dir=${data}`, `log_dir=${data}`, 'network_interface=lo'].join(
          '\n',
        ),
      );
      const page = `http://127.0.0.1:${port}/`;
      const process = await launch({
        command: 'minidlnad',
        args: ['-S', '-f', config, '-P', join(dir, 'pid')],
        answers: () => answersHttp(page),
      });
      return {
        ...process,
        async firstScan() {
          let files = 0;
          await waitUntil(async () => {
            const text = await (await fetch(page)).text();
            files = Number(/Audio files<\/td><td>(\d+)/.exec(text)?.[1] ?? 0);
            return files > 0 && !text.includes('scan in progress');
          });
          return files;
        },
      };
    },
  };
}
