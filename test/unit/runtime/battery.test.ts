import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBattery } from '../../../server/runtime/battery.ts';

describe('readBattery', () => {
  const AC = { type: 'Mains', online: '0' };
  const PLUGGED = { type: 'Mains', online: '1' };
  const EMPTIED = { type: 'Battery', status: 'Discharging' };
  it.each([
    ['no battery at all', {}, false],
    ['a battery that is emptied', { AC, BAT0: EMPTIED }, true],
    ['a plug, whatever the battery says', { AC: PLUGGED, BAT0: EMPTIED }, false],
    ['a battery that is charged', { AC: PLUGGED, BAT0: { type: 'Battery', status: 'Charging' } }, false],
    ['only that of a mouse', { hid: { ...EMPTIED, scope: 'Device' } }, false],
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
