// Tonearm itself, started and measured like the other programs.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { ADMIN_ACCOUNT, SERVER_ENTRY, NODE_FLAGS } from '../product.ts';
import { credentialsFor } from '../subsonic-credentials.ts';
import { answersHttp, launch, scanOver, type Peer } from './peer.ts';

export function tonearm(mode: 'copy' | 'reference'): Peer {
  return {
    name: `Tonearm, ${mode}`,
    version: '',
    copies: mode === 'copy',
    async start({ music, dir }) {
      const dataDir = join(dir, mode);
      if (!existsSync(dataDir)) mkdirSync(dataDir, { recursive: true });
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const process = await launch({
        command: globalThis.process.execPath,
        args: [...NODE_FLAGS, SERVER_ENTRY, '--data-dir', dataDir, '--port', String(port), '--log-level', 'error'],
        env: {
          ADMIN_USERNAME: ADMIN_ACCOUNT.username,
          ADMIN_PASSWORD: ADMIN_ACCOUNT.password,
          LOCAL_MEDIA_IMPORT_PATH: music,
          LOCAL_MEDIA_IMPORT_MODE: mode,
          // the other programs neither analyze audio nor use online services
          ANALYSIS_ENABLED: 'false',
          FPID_ENABLED: 'false',
          MUSICBRAINZ_ENABLED: 'false',
          COVERART_ENABLED: 'false',
        },
        answers: () => answersHttp(`${url}/health`),
      });
      const login = await fetch(`${url}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(ADMIN_ACCOUNT),
      });
      const { access_token: token } = (await login.json()) as { access_token: string };
      const password = await fetch(`${url}/api/v1/users/me/subsonic-password`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      const credentials = credentialsFor((await password.json()) as { username: string; password: string });
      const subsonic = { url, credentials };
      return { ...process, subsonic, scan: scanOver(subsonic) };
    },
  };
}
