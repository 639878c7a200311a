// Whether this machine runs on battery. Only known on Linux; other systems count as plugged in.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LINUX_SUPPLIES = '/sys/class/power_supply';

/** True only if a battery is discharging and no power supply is connected. */
export function isOnBattery(folder = LINUX_SUPPLIES): boolean {
  const supplies = namesIn(folder).map((name) => ({
    type: read(folder, name, 'type'),
    online: read(folder, name, 'online'),
    status: read(folder, name, 'status'),
    scope: read(folder, name, 'scope'),
  }));
  const isEmptied = supplies.some(
    ({ type, status, scope }) => type === 'Battery' && status === 'Discharging' && scope !== 'Device',
  ); // not that of a mouse
  return isEmptied && !supplies.some(({ online }) => online === '1');
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(...parts: string[]): string | undefined {
  try {
    return readFileSync(join(...parts), 'utf8').trim();
  } catch {
    return undefined;
  }
}
