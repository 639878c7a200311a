// Whether the machine runs on its battery. What cannot be found out counts as no.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const LIMIT_MS = 5_000;
const run = promisify(execFile);

export async function isOnBattery(
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

/** A battery of a mouse says `Device`; that of the machine has no scope, or `System`. */
async function isDischarging(supplies: string): Promise<boolean> {
  const read = (supply: string, name: string): Promise<string> =>
    readFile(join(supplies, supply, name), 'utf8').then(
      (text) => text.trim(),
      () => '',
    );
  for (const supply of await readdir(supplies)) {
    const [type, scope, status] = await Promise.all([
      read(supply, 'type'),
      read(supply, 'scope'),
      read(supply, 'status'),
    ]);
    if (type === 'Battery' && scope !== 'Device' && status === 'Discharging') return true;
  }
  return false;
}
