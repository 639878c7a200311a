import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBattery } from '../../../server/runtime/battery.ts';

describe('readBattery', () => {
  const UNPLUGGED_SUPPLY = { type: 'Mains', online: '0' };
  const PLUGGED_SUPPLY = { type: 'Mains', online: '1' };
  const DISCHARGING_BATTERY = { type: 'Battery', status: 'Discharging' };
  it.each([
    ['no battery at all', {}, false],
    ['a battery that is emptied', { AC: UNPLUGGED_SUPPLY, BAT0: DISCHARGING_BATTERY }, true],
    ['a plug, whatever the battery says', { AC: PLUGGED_SUPPLY, BAT0: DISCHARGING_BATTERY }, false],
    ['a battery that is charged', { AC: PLUGGED_SUPPLY, BAT0: { type: 'Battery', status: 'Charging' } }, false],
    ['only that of a mouse', { hid: { ...DISCHARGING_BATTERY, scope: 'Device' } }, false],
  ])('with %s', async (_, supplies: Record<string, Record<string, string>>, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'tonearm-power-'));
    for (const [name, files] of Object.entries(supplies)) {
      mkdirSync(join(folder, name));
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), `${text}\n`);
    }
    expect(await readBattery('linux', folder)).toBe(expected);
    rmSync(folder, { recursive: true });
  });

  it('is no without these files', async () =>
    expect(await readBattery('linux', join(tmpdir(), 'no', 'such', 'folder'))).toBe(false));
});
