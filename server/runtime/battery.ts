// Whether this machine runs on battery. What cannot be found out counts as no.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const LIMIT_MS = 5_000;
/** Some systems start a program to find out, and this is asked for every track and file. */
const KNOWN_FOR_MS = 30_000;
const run = promisify(execFile);

let known: { at: number; answer: Promise<boolean> } | undefined;

/** As it was at most half a minute ago. */
export function isOnBattery(): Promise<boolean> {
  const at = performance.now();
  if (known === undefined || at - known.at > KNOWN_FOR_MS) known = { at, answer: askForBattery() };
  return known.answer;
}

export async function askForBattery(
  platform: NodeJS.Platform = process.platform,
  supplies = '/sys/class/power_supply',
): Promise<boolean> {
  try {
    if (platform === 'linux') return await isDischarging(supplies);
    if (platform === 'darwin')
      return (await run('pmset', ['-g', 'batt'], { timeout: LIMIT_MS })).stdout.includes("'Battery Power'");
    if (platform !== 'win32') return false;
    const query = '(Get-CimInstance Win32_Battery).BatteryStatus';
    const { stdout } = await run('powershell', ['-NoProfile', '-Command', query], { timeout: LIMIT_MS });
    return stdout.trim() === '1'; // discharging
  } catch {
    return false;
  }
}

/** True if a battery is discharging and no other supply is connected. */
async function isDischarging(folder: string): Promise<boolean> {
  const read = (supply: string, name: string): Promise<string> =>
    readFile(join(folder, supply, name), 'utf8').then(
      (text) => text.trim(),
      () => '',
    );
  let isEmptied = false;
  for (const supply of await readdir(folder)) {
    const [type, scope, status, online] = await Promise.all(
      ['type', 'scope', 'status', 'online'].map((name) => read(supply, name)),
    );
    if (online === '1') return false;
    if (type === 'Battery' && scope !== 'Device' && status === 'Discharging') isEmptied = true; // `Device`: of a mouse
  }
  return isEmptied;
}
