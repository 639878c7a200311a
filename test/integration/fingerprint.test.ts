// Fingerprints of real files are nearly equal in every decoder; for a file without a fingerprint the reason is
// reported.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from 'vite';
import { compressFingerprint, decompressFingerprint } from '../../server/media/fingerprint-code.ts';
import { soundSimilarity } from '../../server/media/fingerprint-match.ts';
import { NoFingerprint, type Fingerprinter, type SoundFile } from '../../server/media/fingerprint.ts';
import { createToolFinder } from '../../server/media/tools.ts';
import { fingerprinterWith, neverAborted } from '../support/fingerprints.ts';
import { encodeMusic, writeMusic, type Encoding } from '../support/music.ts';
import { root } from '../support/product.ts';
import { toolOrWarn } from '../support/tools.ts';

const SECONDS = 12;
const ENCODINGS: [Encoding, format: string][] = [
  ['mp3', 'mp3'],
  ['mp3-64', 'mp3'],
  ['flac', 'flac'],
  ['ogg', 'ogg'],
  ['opus', 'opus'],
  ['wav', 'wav'],
  ['wav-24', 'wav'],
  ['wav-float', 'wav'],
  ['aiff', 'aiff'],
  ['m4a', 'm4a'],
];

const ffmpeg = toolOrWarn('ffmpeg', 'fingerprints of other formats than WAV, and of m4a by ffmpeg, are');
const fpcalc = toolOrWarn('fpcalc', 'that our own fingerprints are those of fpcalc is');
const encodings = ffmpeg ? ENCODINGS : ENCODINGS.filter(([encoding]) => encoding === 'wav');

let dir: string;
let ownFingerprinter: Fingerprinter;
let byFpcalc: Fingerprinter;
let byFfmpeg: Fingerprinter;
const open: Fingerprinter[] = [];
const withTools = (programs: string[], options = {}): Fingerprinter => {
  const fingerprinter = fingerprinterWith(programs, options);
  open.push(fingerprinter);
  return fingerprinter;
};
const file = (name: string, format = name.slice(name.lastIndexOf('.') + 1), seconds = SECONDS): SoundFile => ({
  path: join(dir, name),
  format,
  durationMs: seconds * 1_000,
});
const nameOf = (encoding: Encoding, format: string): string => `${encoding}.${format}`;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-sound-'));
  writeMusic(join(dir, 'wav.wav'), { seed: 1, seconds: SECONDS });
  for (const [encoding, format] of encodings)
    if (encoding !== 'wav')
      encodeMusic(join(dir, 'wav.wav'), join(dir, nameOf(encoding, format)), encoding, { title: 'A song' });
  [ownFingerprinter, byFpcalc, byFfmpeg] = [withTools([]), withTools(['fpcalc']), withTools(['ffmpeg'])];
});
afterAll(async () => {
  await Promise.all(open.map((fingerprinter) => fingerprinter.close()));
  rmSync(dir, { recursive: true, force: true });
});

const reasonOf = (fingerprinter: Fingerprinter, sound: SoundFile): Promise<unknown> =>
  fingerprinter.fingerprint(sound, neverAborted).then(
    () => 'a fingerprint',
    (error: unknown) => (error instanceof NoFingerprint ? error.kind : error),
  );

describe.runIf(fpcalc)('compared with fpcalc', () => {
  test.each(encodings.filter(([, format]) => format !== 'm4a'))(
    'the built-in decoders give the same fingerprint for %s',
    async (encoding, format) => {
      const fpcalcResult = await byFpcalc.fingerprint(file(nameOf(encoding, format)), neverAborted);
      const ownResult = await ownFingerprinter.fingerprint(file(nameOf(encoding, format)), neverAborted);
      expect([fpcalcResult.method, ownResult.method]).toEqual(['fpcalc', 'wasm']);
      expect(ownResult.raw.length).toBe(fpcalcResult.raw.length);
      expect(soundSimilarity(ownResult.raw, fpcalcResult.raw)).toBeGreaterThan(0.99);
    },
  );

  test.runIf(ffmpeg).each(encodings)(
    'the samples of ffmpeg give the same fingerprint for %s',
    async (encoding, format) => {
      const fpcalcResult = await byFpcalc.fingerprint(file(nameOf(encoding, format)), neverAborted);
      const ffmpegResult = await byFfmpeg.fingerprint(file(nameOf(encoding, format)), neverAborted);
      expect([fpcalcResult.method, ffmpegResult.method]).toEqual(['fpcalc', 'ffmpeg']);
      expect(soundSimilarity(ffmpegResult.raw, fpcalcResult.raw)).toBeGreaterThan(0.99);
    },
  );

  test('compressed and raw fingerprints are the same', () => {
    const runFpcalc = (...args: string[]): string =>
      (
        JSON.parse(spawnSync('fpcalc', ['-json', ...args, join(dir, 'wav.wav')], { encoding: 'utf8' }).stdout) as {
          fingerprint: string;
        }
      ).fingerprint;
    const [text, raw] = [runFpcalc(), Uint32Array.from(runFpcalc('-raw') as unknown as number[])];
    expect(decompressFingerprint(text)).toEqual(raw);
    expect(compressFingerprint(raw)).toBe(text);
  });
});

test.runIf(ffmpeg)('one recording matches in every format, and another one does not', async () => {
  writeMusic(join(dir, 'other.wav'), { seed: 2, seconds: SECONDS });
  const sounds = await Promise.all(
    encodings
      .filter(([, format]) => format !== 'm4a')
      .map(([encoding, format]) => ownFingerprinter.fingerprint(file(nameOf(encoding, format)), neverAborted)),
  );
  const otherFingerprint = await ownFingerprinter.fingerprint(file('other.wav'), neverAborted);
  for (const { raw } of sounds) {
    expect(soundSimilarity(raw, (sounds[0] as (typeof sounds)[0]).raw)).toBeGreaterThan(0.95);
    expect(soundSimilarity(raw, otherFingerprint.raw)).toBeLessThan(0.75);
  }
});

test('only the first two minutes are used', async () => {
  writeMusic(join(dir, 'long.wav'), { seed: 3, seconds: 122 });
  const { raw, durationMs } = await ownFingerprinter.fingerprint(file('long.wav', 'wav', 122), neverAborted);
  expect([raw.length, durationMs]).toEqual([948, 122_000]);
});

test('names that look like options, lists or URLs are names', async () => {
  const plainFingerprint = await ownFingerprinter.fingerprint(file('wav.wav'), neverAborted);
  const fingerprinter = withTools(['fpcalc', 'ffmpeg']);
  for (const name of ['-version.wav', 'concat:a|b.wav', '%d.wav', 'quote\' "$(touch x)\n.wav']) {
    copyFileSync(join(dir, 'wav.wav'), join(dir, name));
    expect(
      soundSimilarity((await fingerprinter.fingerprint(file(name), neverAborted)).raw, plainFingerprint.raw),
      name,
    ).toBeGreaterThan(0.99);
  }
  expect(existsSync(join(root, 'x'))).toBe(false);
});

test('a playlist with the extension of audio is not followed', async () => {
  const bait = `#EXTM3U\n#EXT-X-TARGETDURATION:20\n#EXTINF:20,\n${pathToFileURL(join(dir, 'wav.wav')).href}\n#EXT-X-ENDLIST\n`;
  writeFileSync(join(dir, 'bait.mp3'), bait);
  for (const fingerprinter of [byFpcalc, byFfmpeg, ownFingerprinter])
    expect(await reasonOf(fingerprinter, file('bait.mp3'))).toBe('unreadable');
});

describe('files without a fingerprint give the reason', () => {
  const silence = (name: string, seconds: number): void => {
    writeMusic(join(dir, name), { seed: 1, seconds: 1 });
    const bytes = readFileSync(join(dir, name)).subarray(0, 44);
    bytes.writeUInt32LE(seconds * 44_100, 40);
    writeFileSync(join(dir, name), Buffer.concat([bytes, Buffer.alloc(seconds * 44_100)]));
  };
  test('silence', async () => {
    silence('silence.wav', 10);
    for (const fingerprinter of [byFpcalc, byFfmpeg, ownFingerprinter])
      expect(await reasonOf(fingerprinter, file('silence.wav'))).toBe('silent');
  });
  test('less than 3 s, by its header and by its audio', async () => {
    expect(await reasonOf(ownFingerprinter, file('wav.wav', 'wav', 2.9))).toBe('too_short');
    writeMusic(join(dir, 'short.wav'), { seed: 1, seconds: 2 });
    for (const fingerprinter of [byFpcalc, byFfmpeg, ownFingerprinter])
      expect(await reasonOf(fingerprinter, file('short.wav'))).toBe('too_short');
  });
  test('a file that is not audio, and a missing one', async () => {
    writeFileSync(join(dir, 'text.mp3'), 'no audio at all, only words. '.repeat(9_000));
    for (const fingerprinter of [byFpcalc, byFfmpeg, ownFingerprinter]) {
      expect(await reasonOf(fingerprinter, file('text.mp3'))).toBe('unreadable');
      expect(await reasonOf(fingerprinter, file('absent.mp3'))).toBe('unreadable');
    }
    await expect(ownFingerprinter.fingerprint(file('absent.mp3'), neverAborted)).rejects.toThrow(
      /^The audio could not be decoded: the file could not be read \(ENOENT\)\.$/,
    );
  });
  test.runIf(ffmpeg)('AAC without a program that can decode it', async () => {
    await expect(ownFingerprinter.fingerprint(file('m4a.m4a'), neverAborted)).rejects.toThrow(
      'Fingerprinting m4a files requires fpcalc or ffmpeg.',
    );
    expect(await reasonOf(ownFingerprinter, file('m4a.m4a'))).toBe('unavailable');
  });
});

test('a decoder that takes too long is ended, and the next file is decoded', async () => {
  const hasty = withTools([], { decodeLimitMs: 1 });
  await expect(hasty.fingerprint(file('wav.wav'), neverAborted)).rejects.toThrow(/took longer than 0\.001 s/);
  await expect(ownFingerprinter.fingerprint(file('wav.wav'), neverAborted)).resolves.toMatchObject({ method: 'wasm' });
});

test('an aborted call rejects with the reason of its signal, running or waiting', async () => {
  const singleFingerprinter = withTools([], { atOnce: 1 });
  const stop = new AbortController();
  const pendingFingerprints = [1, 2, 3].map(() => singleFingerprinter.fingerprint(file('wav.wav'), stop.signal));
  stop.abort(new Error('not wanted'));
  expect(await Promise.allSettled(pendingFingerprints)).toEqual(
    pendingFingerprints.map(() => ({ status: 'rejected', reason: new Error('not wanted') })),
  );
  await expect(singleFingerprinter.fingerprint(file('wav.wav'), neverAborted)).resolves.toMatchObject({
    method: 'wasm',
  });
});

describe('optional programs', () => {
  const script = (folder: string, name: string, text: string): string => {
    const path = join(dir, folder, name);
    mkdirSync(join(dir, folder), { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  };

  test('are searched in the settings, then among the bundled ones, then on PATH', async () => {
    const fpcalcOnPath = script('path', 'fpcalc', 'echo fpcalc version 1.0');
    const bundledPath = script('bin', 'fpcalc', 'echo fpcalc version 2.0');
    const configured = script('elsewhere', 'mine', 'echo fpcalc version 3.0');
    const env = { PATH: ['relative', join(dir, 'path')].join(process.platform === 'win32' ? ';' : ':') };
    expect(await createToolFinder({ binDir: join(dir, 'nowhere'), env })('fpcalc')).toEqual({
      path: fpcalcOnPath,
      version: '1.0',
    });
    const findTool = createToolFinder({ binDir: join(dir, 'bin'), env });
    expect(await findTool('fpcalc')).toEqual({ path: bundledPath, version: '2.0' });
    expect(await findTool('fpcalc', configured)).toEqual({ path: configured, version: '3.0' });
    // a name without a path is searched on PATH, as in a shell
    expect(await findTool('fpcalc', 'fpcalc')).toEqual({ path: fpcalcOnPath, version: '1.0' });
    expect(await findTool('ffmpeg')).toBeUndefined();
  });

  test('that are configured and do not work cause an error that names the setting', async () => {
    const findTool = createToolFinder({ binDir: join(dir, 'nowhere'), env: {} });
    const plainFile = join(dir, 'plain');
    writeFileSync(plainFile, 'x');
    await expect(findTool('fpcalc', join(dir, 'no/such'))).rejects.toThrow(
      'FPCALC_PATH does not point to a working fpcalc: no such file.',
    );
    await expect(findTool('ffmpeg', plainFile)).rejects.toThrow(
      'FFMPEG_PATH does not point to a working ffmpeg: not executable.',
    );
    await expect(findTool('ffmpeg', script('elsewhere', 'other', 'echo something else'))).rejects.toThrow(
      'it does not report a version like ffmpeg',
    );
    await expect(findTool('yt-dlp', 'yt-dlp')).rejects.toThrow(
      'STREAMSRC_COMMAND does not point to a working yt-dlp: not found in PATH.',
    );
  });

  test('are searched once; a missing one is searched again after a minute', async () => {
    let clock = 0;
    const findTool = createToolFinder({ binDir: join(dir, 'later'), env: {}, now: () => new Date(clock) });
    expect(await findTool('fpcalc')).toBeUndefined();
    const path = script('later', 'fpcalc', 'echo fpcalc version 4.0');
    expect(await findTool('fpcalc')).toBeUndefined();
    clock = 61_000;
    expect(await findTool('fpcalc')).toEqual({ path, version: '4.0' });
    rmSync(path);
    clock = 999_000;
    expect(await findTool('fpcalc')).toEqual({ path, version: '4.0' });
  });

  test('that fail or return garbage are skipped', async () => {
    const plainFingerprint = (await ownFingerprinter.fingerprint(file('wav.wav'), neverAborted)).raw;
    for (const text of ['echo "{"', 'echo "{\\"fingerprint\\": \\"AAAA\\"}"', 'exit 2', 'yes', 'kill -9 $$']) {
      const path = script('odd', 'fpcalc', `[ "$1" = -version ] && echo fpcalc version 0 && exit\n${text}`);
      const fingerprinter = withTools([], {
        findTool: (name: string) => Promise.resolve(name === 'fpcalc' ? { path, version: '0' } : undefined),
      });
      expect(await fingerprinter.fingerprint(file('wav.wav'), neverAborted), text).toMatchObject({
        method: 'wasm',
        raw: plainFingerprint,
      });
    }
  });

  test('that do not work as configured are replaced by the built-in decoder', async () => {
    const fingerprinter = withTools([], {
      findTool: createToolFinder({ binDir: join(dir, 'nowhere'), env: {} }),
      toolPath: () => '/no/such/program',
    });
    expect(await fingerprinter.fingerprint(file('wav.wav'), neverAborted)).toMatchObject({ method: 'wasm' });
    expect(await fingerprinter.method()).toEqual({ method: 'wasm', version: null });
  });
});

test('the built worker thread works with its dependencies', async () => {
  const outDir = join(dir, 'dist');
  await build({ mode: 'server', configFile: join(root, 'vite.config.ts'), logLevel: 'error', build: { outDir } });
  const builtFingerprinter = withTools([], {
    workerUrl: pathToFileURL(join(outDir, 'fingerprint-worker.js')),
    wasmPath: join(outDir, 'chromaprint.wasm'),
  });
  for (const [encoding, format] of encodings.filter(([, kind]) => kind !== 'm4a')) {
    expect(await builtFingerprinter.fingerprint(file(nameOf(encoding, format)), neverAborted), encoding).toMatchObject({
      method: 'wasm',
      raw: (await ownFingerprinter.fingerprint(file(nameOf(encoding, format)), neverAborted)).raw,
    });
  }
});
