// Malicious files, and good files with random damage: nothing crashes, hangs (the test's time limit) or is read
// as garbage.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bufferSource, openByteSource } from '../../../server/media/byte-source.ts';
import { readAudio, readPicture } from '../../../server/media/read.ts';
import { UnreadableAudio, type AudioRead, type ByteSource } from '../../../server/media/types.ts';
import { attackFiles } from '../../support/attack-files.ts';
import { damageBytes, randomNumbers } from '../../support/damage.ts';
import { makeLibrary, pathOf } from '../../support/library.ts';

const temp = fs.mkdtempSync(path.join(os.tmpdir(), 'tonearm-hostile-'));
afterAll(() => fs.rmSync(temp, { recursive: true, force: true }));

/** Returns the result, or the reason why the file is rejected; any other error fails the test. */
async function outcome(source: ByteSource): Promise<AudioRead | string> {
  try {
    return await readAudio(source);
  } catch (error) {
    if (!(error instanceof UnreadableAudio)) throw error;
    return error.message;
  }
}

function expectSound(audioRead: AudioRead): void {
  const { durationMs, bitrateKbps, sampleRateHz, channels } = audioRead.facts;
  expect(Number.isInteger(durationMs) && durationMs > 0 && durationMs <= 48 * 3_600_000, `duration ${durationMs}`).toBe(
    true,
  );
  expect(Number.isFinite(bitrateKbps), `bitrate ${bitrateKbps}`).toBe(true);
  expect(sampleRateHz).toBeGreaterThan(0);
  expect(channels).toBeGreaterThan(0);
  expect(JSON.stringify(audioRead.tags).length).toBeLessThan(3 << 20);
}

describe('malicious files', () => {
  it.each(attackFiles)('$name: $why', async ({ name, writeTo, readable }) => {
    const file = path.join(temp, name);
    writeTo(file);
    const source = openByteSource(file);
    const result = await outcome(source);
    source.close();
    fs.rmSync(file);
    if (typeof result !== 'string') expectSound(result);
    else expect(result).toMatch(/^[\w].*[\w]$/);
    if (readable) expect(result).toBeTypeOf('object');
  });

  it('those that crash a bare parser are rejected, each with a reason', async () => {
    for (const { name, writeTo } of attackFiles.slice(0, 8)) {
      const file = path.join(temp, name);
      writeTo(file);
      const source = openByteSource(file);
      expect(await outcome(source), name).toBeTypeOf('string');
      source.close();
      fs.rmSync(file);
    }
  });
});

describe('damaged files', () => {
  it('300 damaged copies of good files are read or rejected', async () => {
    const manifest = makeLibrary({ tracks: 60, even: true, seed: 'fuzz' }, path.join(temp, 'fuzz'));
    const goodFiles = manifest.files.map((file) => fs.readFileSync(pathOf(manifest, file)));
    const randomBelow = randomNumbers(20_261_120);
    let readCount = 0;
    for (let n = 0; n < 300; n++) {
      const source = bufferSource(damageBytes(goodFiles[randomBelow(goodFiles.length)] as Buffer, randomBelow));
      const result = await outcome(source);
      if (typeof result === 'string') continue;
      readCount++;
      expectSound(result);
      readPicture(source, result.pictures);
    }
    expect(readCount).toBeGreaterThan(50);
  });
});
