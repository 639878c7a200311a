// Starts nginx as the bound for sending files: sendfile, one worker per core, no log.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { answersHttp, launch } from './peer.ts';

/** Returns undefined if nginx is not installed. */
export async function startNginx(dir: string, files: string) {
  if (spawnSync('nginx', ['-v']).error) return undefined;
  const port = await freePort();
  const nginxDir = join(dir, 'nginx');
  mkdirSync(nginxDir, { recursive: true });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(nginxDir, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; worker_processes auto; pid ${nginxDir}/pid; error_log ${nginxDir}/errors;
    events {}
    http {
      access_log off; sendfile on; tcp_nopush on;
      ${temporary.map((name) => `${name}_temp_path ${nginxDir}/${name};`).join(' ')}
      server { listen 127.0.0.1:${port}; root ${files}; }
    }`,
  );
  const url = `http://127.0.0.1:${port}`;
  const runningServer = await launch({
    command: 'nginx',
    args: ['-p', nginxDir, '-c', join(nginxDir, 'nginx.conf')],
    answers: () => answersHttp(`${url}/`),
  });
  return { ...runningServer, url };
}
