// Tells whether this machine runs on battery, and no if the system does not say.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const COMMAND_TIMEOUT_MS = 5_000;
/**
 * How long the answer is cached: some systems start a program to find out, and the question is asked for every track
 * and file.
 */
const MAX_AGE_MS = 30_000;
const runProgram = promisify(execFile);

let cached: { readAtMs: number; answer: Promise<boolean> } | undefined;

/** Returns whether the machine ran on battery at most half a minute ago. */
export function isOnBattery(): Promise<boolean> {
  const now = performance.now();
  if (cached === undefined || now - cached.readAtMs > MAX_AGE_MS) cached = { readAtMs: now, answer: readBattery() };
  return cached.answer;
}

export async function readBattery(
  platform: NodeJS.Platform = process.platform,
  suppliesFolder = '/sys/class/power_supply',
): Promise<boolean> {
  try {
    if (platform === 'linux') return await isDischarging(suppliesFolder);
    if (platform === 'darwin')
      return (await runProgram('pmset', ['-g', 'batt'], { timeout: COMMAND_TIMEOUT_MS })).stdout.includes(
        "'Battery Power'",
      );
    if (platform !== 'win32') return false;
    const query = '(Get-CimInstance Win32_Battery).BatteryStatus';
    const { stdout } = await runProgram('powershell', ['-NoProfile', '-Command', query], {
      timeout: COMMAND_TIMEOUT_MS,
    });
    return stdout.trim() === '1'; // 1 means discharging
  } catch {
    return false;
  }
}

/** Returns whether a battery is discharging and no other supply is connected. */
async function isDischarging(folder: string): Promise<boolean> {
  const readProperty = (supply: string, name: string): Promise<string> =>
    readFile(join(folder, supply, name), 'utf8').then(
      (text) => text.trim(),
      () => '',
    );
  let hasDischargingBattery = false;
  for (const supply of await readdir(folder)) {
    const [type, scope, status, online] = await Promise.all(
      ['type', 'scope', 'status', 'online'].map((name) => readProperty(supply, name)),
    );
    if (online === '1') return false;
    // `Device` is the scope of a battery in a mouse
    if (type === 'Battery' && scope !== 'Device' && status === 'Discharging') hasDischargingBattery = true;
  }
  return hasDischargingBattery;
}
