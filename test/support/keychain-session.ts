// A desktop session for tests: a message bus and an unlocked keychain, both in a folder that is removed with them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sayLeftOut } from './left-out.ts';

/** Environment variables of a process without a session. */
export const NO_SESSION = { DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: '' };

const isInstalled = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;

export const hasKeychain =
  process.platform === 'linux' && isInstalled('dbus-run-session') && isInstalled('gnome-keyring-daemon');
if (!hasKeychain)
  sayLeftOut('dbus-run-session or gnome-keyring-daemon is not installed: the system’s keychain is NOT tested.');

/** Starts an unlocked keychain: the first pipe sends the password, and closing the standard input ends the session. */
const SCRIPT =
  'printf password | gnome-keyring-daemon --unlock --components=secrets > /dev/null && echo "bus $DBUS_SESSION_BUS_ADDRESS" && exec cat > /dev/null';

export async function openKeychainSession() {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-session-'));
  const child = spawn('dbus-run-session', ['--', 'sh', '-c', SCRIPT], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, HOME: dir, XDG_DATA_HOME: dir, XDG_RUNTIME_DIR: dir },
  });
  const address = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const busAddress = /^bus (\S+)$/m.exec(text)?.[1];
      if (busAddress !== undefined) resolve(busAddress);
    });
    child.once('exit', (code) => reject(new Error(`the session ended with ${code}`)));
  });
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: dir },
    async close(): Promise<void> {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
