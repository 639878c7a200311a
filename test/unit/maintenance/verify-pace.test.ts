// The daily verification runs slowly and yields.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gently } from '../../../server/maintenance/verify-pace.ts';
import { isOnBattery } from '../../../server/maintenance/battery.ts';

const pace = { restFactor: 0, lookEveryMs: 1, mostLooks: 5 };

describe('a slow step', () => {
  it.each([
    ['at once while nobody is served', [false], 1],
    ['once it is quiet', [true, true, false], 3],
    ['in the end also where it is never quiet', Array.from({ length: 9 }, () => true), 5],
  ])('is done %s', async (_, busy, looks) => {
    let asked = 0;
    expect(
      await gently({ pace, isBusy: () => busy[asked++] ?? false, signal: new AbortController().signal }, () =>
        Promise.resolve('done'),
      ),
    ).toBe('done');
    expect(asked).toBe(looks);
  });

  it('is not done when the job is stopped while it waits', async () => {
    const stop = new AbortController();
    let isDone = false;
    const work = gently(
      {
        pace: { ...pace, lookEveryMs: 60_000 },
        isBusy: () => {
          stop.abort();
          return true;
        },
        signal: stop.signal,
      },
      () => {
        isDone = true;
        return Promise.resolve();
      },
    );
    await expect(work).rejects.toThrow(/abort/i);
    expect(isDone).toBe(false);
  });
});

describe('battery', () => {
  const AC = { type: 'Mains', online: '0' };
  const PLUGGED = { type: 'Mains', online: '1' };
  const EMPTIED = { type: 'Battery', status: 'Discharging' };
  it.each([
    ['no battery at all', {}, false],
    ['a battery that is emptied', { AC, BAT0: EMPTIED }, true],
    ['a plug, whatever the battery says', { AC: PLUGGED, BAT0: EMPTIED }, false],
    ['a battery that is charged', { AC: PLUGGED, BAT0: { type: 'Battery', status: 'Charging' } }, false],
    ['only that of a mouse', { hid: { ...EMPTIED, scope: 'Device' } }, false],
  ])('with %s', (_, supplies: Record<string, Record<string, string>>, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'tonearm-power-'));
    for (const [name, files] of Object.entries(supplies)) {
      mkdirSync(join(folder, name));
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), `${text}\n`);
    }
    expect(isOnBattery(folder)).toBe(expected);
    rmSync(folder, { recursive: true });
  });

  it('is unknown without these files', () => expect(isOnBattery(join(tmpdir(), 'no', 'such', 'folder'))).toBe(false));
});
