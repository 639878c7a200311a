// Creates a lively library for work on the interface: npm run seed -- [FOLDER] [TRACKS]. It has its own data folder and
// is filled through the public API, with covers, likes, a year of plays and playlists. `npm run dev` creates and uses
// it, too.
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TokenResponse } from '../server/auth/wire.ts';
import type { JobOut } from '../server/jobs/wire.ts';
import { OWNER_ACCOUNT, startServer, untilIdle } from './e2e/stage.ts';
import { drawCovers } from './support/drawn-covers.ts';
import { makeLibrary } from './support/library.ts';
import { enliven, type Api } from './support/lively-library.ts';

const [folder = 'seed', tracks = '1200'] = process.argv.slice(2);
const target = resolve(folder);
/** The music folder is created at its final path, because the library stores this path. */
const musicFolder = join(target, 'music');
const dataDir = join(target, 'data');
const unfinished = `${dataDir}.part`;
if (existsSync(target) && !existsSync(unfinished))
  throw new Error(`${target} exists already. Delete it, or choose another folder.`);
for (const path of [musicFolder, unfinished]) rmSync(path, { recursive: true, force: true });
mkdirSync(unfinished, { recursive: true });

// online services do not know this music
const offline = { fpid_enabled: false, musicbrainz_enabled: false, coverart_enabled: false };
writeFileSync(join(unfinished, 'settings.json'), JSON.stringify(offline));
makeLibrary({ tracks: Number(tracks), seconds: '20-40', art: 'none' }, musicFolder);
await drawCovers(musicFolder);
const { child, url, setupToken } = await startServer(unfinished, ['--import', musicFolder]);

let token = '';
const api: Api = async <T>(path: string, { method = 'GET', body }: { method?: string; body?: unknown } = {}) => {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
};

token = (
  await api<TokenResponse>('/auth/setup', { method: 'POST', body: { ...OWNER_ACCOUNT, setup_token: setupToken } })
).access_token;
await untilIdle(() => api<{ items: JobOut[] }>('/jobs'));
const made = await enliven(api);
child.kill('SIGTERM');
if (child.exitCode === null) await once(child, 'exit');
renameSync(unfinished, dataDir);
console.log(`${target}: ${made.tracks} tracks, ${made.plays} plays, ${made.playlists} playlists.
Sign in as ${OWNER_ACCOUNT.username} with "${OWNER_ACCOUNT.password}".`);
