// Starts Navidrome and gonic: from PATH, or built from their Go modules if Go is installed.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../free-port.ts';
import { credentialsFor } from '../subsonic-credentials.ts';
import { answersHttp, launch, scanOver, type Peer } from './peer.ts';

interface GoProgram {
  name: string;
  module: string;
  version: string;
  /** Folder of the main package in the module. */
  folder: string;
  tags: string;
}

const NAVIDROME = {
  name: 'navidrome',
  module: 'github.com/navidrome/navidrome',
  version: 'v0.63.2',
  folder: '.',
  tags: 'netgo,sqlite_fts5', // as in its Makefile; the module contains no web pages
};
const GONIC = {
  name: 'gonic',
  module: 'go.senan.xyz/gonic',
  version: 'v0.22.0',
  folder: './cmd/gonic',
  tags: 'netgo',
};
const ADMIN_ACCOUNT = { username: 'admin', password: 'admin' };

/**
 * Returns the path of the program, which is built into `builds` if necessary. Throws if it is not installed and cannot
 * be built.
 */
function programOf({ name, module, version, folder, tags }: GoProgram, builds: string): string {
  const programPath = join(builds, version, name); // gonic derives the prefix of its settings from its name
  if (existsSync(programPath)) return programPath;
  const source = JSON.parse(
    execFileSync('go', ['mod', 'download', '-json', `${module}@${version}`], { encoding: 'utf8', cwd: tmpdir() }),
  ) as { Dir: string };
  // `go install` refuses a module with `replace` directives
  const copy = mkdtempSync(join(tmpdir(), `${name}-`));
  try {
    cpSync(source.Dir, copy, { recursive: true });
    execFileSync('chmod', ['-R', 'u+w', copy]);
    mkdirSync(dirname(programPath), { recursive: true });
    execFileSync('go', ['build', '-tags', tags, '-o', programPath, folder], { cwd: copy, stdio: 'inherit' });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  return programPath;
}

export function navidrome(builds: string): Peer {
  const command = programOf(NAVIDROME, builds);
  return {
    name: 'Navidrome',
    version: NAVIDROME.version,
    async start({ music, dir }) {
      const port = await freePort();
      return startServer(port, {
        command,
        env: {
          ND_MUSICFOLDER: music,
          ND_DATAFOLDER: join(dir, 'navidrome'),
          ND_ADDRESS: '127.0.0.1',
          ND_PORT: String(port),
          ND_LOGLEVEL: 'error',
          ND_SCANNER_SCANONSTARTUP: 'false',
          ND_DEVAUTOCREATEADMINPASSWORD: ADMIN_ACCOUNT.password,
          ND_ENABLEINSIGHTSCOLLECTOR: 'false',
          ND_ENABLEEXTERNALSERVICES: 'false',
        },
      });
    },
  };
}

export function gonic(builds: string): Peer {
  const command = programOf(GONIC, builds);
  return {
    name: 'gonic',
    version: GONIC.version,
    async start({ music, dir }) {
      const folders = Object.fromEntries(['podcasts', 'cache', 'playlists'].map((name) => [name, join(dir, name)]));
      for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
      const port = await freePort();
      return startServer(port, {
        command,
        env: {
          GONIC_MUSIC_PATH: music,
          GONIC_PODCAST_PATH: folders['podcasts'] as string,
          GONIC_CACHE_PATH: folders['cache'] as string,
          GONIC_PLAYLISTS_PATH: folders['playlists'] as string,
          GONIC_DB_PATH: join(dir, 'gonic.db'),
          GONIC_LISTEN_ADDR: `127.0.0.1:${port}`,
          GONIC_HTTP_LOG: 'false',
        },
      });
    },
  };
}

async function startServer(port: number, program: { command: string; env: Record<string, string> }) {
  const url = `http://127.0.0.1:${port}`;
  const subsonic = { url, credentials: credentialsFor(ADMIN_ACCOUNT) };
  const process = await launch({ ...program, answers: () => answersHttp(`${url}/rest/ping`) });
  return { ...process, subsonic, scan: scanOver(subsonic) };
}
