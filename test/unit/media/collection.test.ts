// Compares what the readers return with what the generator wrote.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openByteSource } from '../../../server/media/byte-source.ts';
import { readAudioSync, readPicture } from '../../../server/media/read.ts';
import { UnreadableAudio, type AudioRead } from '../../../server/media/types.ts';
import { differences } from '../../support/library-differences.ts';
import { makeLibrary, pathOf, type ExpectedFile, type Manifest } from '../../support/library.ts';

const temp = fs.mkdtempSync(path.join(os.tmpdir(), 'tonearm-media-'));
afterAll(() => fs.rmSync(temp, { recursive: true, force: true }));

function readFile(manifest: Manifest, file: ExpectedFile): AudioRead | UnreadableAudio {
  const source = openByteSource(pathOf(manifest, file));
  try {
    const result = readAudioSync(source);
    if (!result) throw new Error(`${file.path} is not read by our own readers`);
    return result;
  } catch (error) {
    if (error instanceof UnreadableAudio) return error;
    throw error;
  } finally {
    source.close();
  }
}

const problems = (manifest: Manifest, files: ExpectedFile[]): string[] =>
  files.flatMap((file) => {
    const result = readFile(manifest, file);
    if (result instanceof UnreadableAudio) return [`${file.path}: ${result.message}`];
    return differences(file, result, file.expect === 'degraded').map(
      (line) => `${file.path} (${file.messy ?? 'clean'}): ${line}`,
    );
  });

describe('a clean collection', () => {
  let manifest: Manifest;
  beforeAll(() => {
    manifest = makeLibrary({ tracks: 150, even: true, seed: 'clean' }, path.join(temp, 'clean'));
  });

  it('equals the manifest in every field', () => {
    expect(manifest.files).toHaveLength(150);
    expect(problems(manifest, manifest.files)).toEqual([]);
  });

  it('finds every embedded cover, byte for byte', () => {
    for (const file of manifest.files) {
      const source = openByteSource(pathOf(manifest, file));
      const picture = readPicture(source, readAudioSync(source)?.pictures ?? []);
      source.close();
      expect(picture && { mime: picture.mime, bytes: picture.bytes.length }, file.path).toEqual(file.art);
    }
  });

  it('has the gains of some files', () => {
    const gains = new Set(
      manifest.files.map((file) => (readFile(manifest, file) as AudioRead).tags.replayGain?.trackGainDb),
    );
    expect(gains).toEqual(new Set([undefined, -6.3]));
  });

  it('is read the same through a window and in one piece', () => {
    const longLibrary = makeLibrary(
      { tracks: 24, even: true, seed: 'long', seconds: '70-90', artKb: 300, art: 'embedded' },
      path.join(temp, 'long'),
    );
    expect(longLibrary.files.filter((file) => file.size > 1 << 20).length).toBeGreaterThan(8);
    expect(problems(longLibrary, longLibrary.files)).toEqual([]);
  });
});

describe('a messy collection', () => {
  let manifest: Manifest;
  beforeAll(() => {
    manifest = makeLibrary({ tracks: 360, messy: 0.5, even: true, seed: 'messy' }, path.join(temp, 'messy'));
  });
  const listExpected = (...kinds: string[]): ExpectedFile[] =>
    manifest.files.filter((file) => kinds.includes(file.expect ?? 'track') && file.messy !== 'unreadable');

  it('has every file with usable audio', () => {
    expect(problems(manifest, listExpected('track', 'degraded'))).toEqual([]);
  });

  it('has no other files', () => {
    for (const file of listExpected('error'))
      expect(readFile(manifest, file), file.path).toBeInstanceOf(UnreadableAudio);
  });

  it('has truncated and displaced files completely or not at all', () => {
    for (const file of listExpected('any')) {
      const result = readFile(manifest, file);
      if (!(result instanceof UnreadableAudio))
        expect(result.facts.durationMs / 1000, file.path).toBeLessThanOrEqual(file.seconds + 0.1);
    }
  });

  it('has no invalid numbers', () => {
    for (const file of manifest.files.filter(
      (candidate) => candidate.messy === 'odd-numbers' && candidate.format !== 'm4a',
    )) {
      const { tags } = readFile(manifest, file) as AudioRead;
      for (const value of [tags.trackNumber, tags.trackTotal, tags.discNumber, tags.discTotal])
        expect([undefined, 1, 3], file.path).toContain(value);
      expect([undefined, 1999], file.path).toContain(tags.year);
    }
  });

  it('truncates a megabyte of lyrics and keeps the other tags', () => {
    for (const file of manifest.files.filter((candidate) => candidate.messy === 'huge-text')) {
      const { lyrics } = (readFile(manifest, file) as AudioRead).tags;
      expect(lyrics?.lines[0]?.text.length, file.path).toBeGreaterThan(200_000);
      expect(lyrics?.lines[0]?.text.length, file.path).toBeLessThanOrEqual(256 << 10);
    }
  });
});
