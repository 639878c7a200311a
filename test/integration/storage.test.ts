import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAudioStore } from '../../server/storage/audio-store.ts';
import { NO_PATH } from '../../server/storage/music-roots.ts';
import { nameToText, pathBelow, textToName } from '../../server/storage/file-names.ts';
import { audioKey, tempName } from '../../server/storage/local-paths.ts';
import { createLocalStorage } from '../../server/storage/local.ts';
import { sweepTemp } from '../../server/storage/sweep-temp.ts';
import { codeOf, describeStorage, inPieces } from './storage-conformance.ts';

const onUnix = it.skipIf(process.platform === 'win32');

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tonearm-storage-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describeStorage('local', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tonearm-local-'));
  return {
    storage: createLocalStorage({ root: join(root, 'library') }),
    dispose: () => rm(root, { recursive: true, force: true }),
  };
});

describe('local storage on its disk', () => {
  it('never leaves a temp file', async () => {
    const storage = createLocalStorage({ root: dir });
    await storage.put('covers/1.jpg', Buffer.from('x'));
    await storage.putAudio(inPieces(Buffer.from('same')), 'mp3');
    await storage.putAudio(inPieces(Buffer.from('same')), 'mp3');
    await storage.putAudio(inPieces(Buffer.from('other'), new Error('broken')), 'mp3').catch(() => undefined);
    expect(fs.readdirSync(join(dir, 'tmp'))).toEqual([]);
  });

  it('throws storage_full when the disk is full, and removes the incomplete file', async () => {
    const storage = createLocalStorage({ root: dir });
    fs.mkdirSync(join(dir, 'tmp'));
    const diskFullError = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    expect(
      await codeOf(withFailingWrites(diskFullError, () => storage.putAudio(inPieces(Buffer.alloc(50_000)), 'mp3'))),
    ).toBe('storage_full');
    expect(fs.readdirSync(join(dir, 'tmp'))).toEqual([]);
  });

  it('throws unavailable when its folder is a file', async () => {
    fs.writeFileSync(join(dir, 'library'), '');
    const storage = createLocalStorage({ root: join(dir, 'library') });
    expect(await codeOf(storage.put('covers/1.jpg', Buffer.from('x')))).toBe('unavailable');
  });

  it('measures the disk of a folder that does not exist yet', async () => {
    const usage = await createLocalStorage({ root: join(dir, 'not', 'made', 'yet') }).diskUsage();
    expect(usage?.path).toBe(dir);
    expect(usage?.totalBytes).toBeGreaterThan(0);
    expect((usage?.usedBytes ?? 0) + (usage?.freeBytes ?? 0)).toBeLessThanOrEqual(usage?.totalBytes ?? 0);
  });

  it('gives every format a plain extension', () => {
    expect(audioKey('ab12', '.FLAC')).toBe('audio/ab/ab12.flac');
    expect(audioKey('ab12', '../x')).toBe('audio/ab/ab12.bin');
    expect(audioKey('ab12', '')).toBe('audio/ab/ab12.bin');
  });
});

describe('sweepTemp', () => {
  const now = () => new Date();
  const leaveTempFile = (name: string, modifiedAt = new Date()): void => {
    fs.mkdirSync(join(dir, 'tmp'), { recursive: true });
    fs.writeFileSync(join(dir, 'tmp', name), 'half');
    fs.utimesSync(join(dir, 'tmp', name), modifiedAt, modifiedAt);
  };

  it('removes the files of ended processes, and nothing else', async () => {
    const dead = Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));
    const alive = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(alive, 'spawn');
    try {
      leaveTempFile(tempName(dead, 'aa'));
      leaveTempFile(tempName(alive.pid ?? 0, 'bb'));
      leaveTempFile(tempName(process.pid, 'cc'));
      leaveTempFile('notes.txt');
      expect(await sweepTemp({ root: dir, now })).toBe(1);
      expect(fs.readdirSync(join(dir, 'tmp')).sort()).toEqual(
        [tempName(alive.pid ?? 0, 'bb'), tempName(process.pid, 'cc'), 'notes.txt'].sort(),
      );
    } finally {
      alive.kill();
    }
  });

  it('removes the files of an earlier process with the same id, and those a day old', async () => {
    leaveTempFile(tempName(process.pid, 'aa'), new Date(performance.timeOrigin - 60_000));
    expect(await sweepTemp({ root: dir, now })).toBe(1);
    leaveTempFile(tempName(process.ppid, 'bb'));
    expect(await sweepTemp({ root: dir, now })).toBe(0);
    expect(await sweepTemp({ root: dir, now: () => new Date(Date.now() + 25 * 3_600_000) })).toBe(1);
  });

  it('does nothing in an empty storage', async () => {
    expect(await sweepTemp({ root: join(dir, 'none'), now })).toBe(0);
  });
});

describe('file names', () => {
  const rows: [name: Buffer, text: string][] = [
    [Buffer.from('plain.mp3'), 'plain.mp3'],
    [Buffer.from('Björk/東京 🎵.mp3'), 'Björk/東京 🎵.mp3'],
    [Buffer.from('e\u0301.mp3'), 'e\u0301.mp3'],
    [Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x2e, 0x6d, 0x70, 0x33]), 'caf\\xe9.mp3'],
    [Buffer.from([0xff, 0xfe, 0x41]), '\\xff\\xfeA'],
    [Buffer.from([0xc3, 0xa9, 0xc3]), 'é\\xc3'],
    [Buffer.from([0xed, 0xa0, 0x80]), '\\xed\\xa0\\x80'],
    [Buffer.from([0xc0, 0xaf]), '\\xc0\\xaf'],
    [Buffer.from([0xf0, 0x9f, 0x8e]), '\\xf0\\x9f\\x8e'],
    [Buffer.from('back\\slash.mp3'), 'back\\slash.mp3'],
    [Buffer.from('looks like \\xe9.mp3'), 'looks like \\x5cxe9.mp3'],
    [Buffer.from('looks like \\xE9.mp3'), 'looks like \\x5cxE9.mp3'],
    [Buffer.from('\\x5c'), '\\x5cx5c'],
    [Buffer.from('\\xzz \\x1'), '\\xzz \\x1'],
  ];
  it.each(rows)('%j is written as %j, and back', (name, text) => {
    expect(nameToText(name)).toBe(text);
    expect(Buffer.from(textToName(text) as string)).toEqual(name);
  });

  onUnix('opens a file whose name is not UTF-8', () => {
    const name = Buffer.from([0x61, 0xff, 0x2e, 0x6d, 0x70, 0x33]);
    fs.writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), name]), 'audio');
    expect(fs.readFileSync(pathBelow(dir, nameToText(name)), 'utf8')).toBe('audio');
  });
});

describe('audio store', () => {
  const makeStore = (importPath?: string) => {
    const storage = createLocalStorage({ root: join(dir, 'library') });
    return { storage, audio: createAudioStore({ storage, musicRoots: () => importPath ?? NO_PATH }) };
  };
  const music = (): string => {
    const path = join(dir, 'music');
    fs.mkdirSync(join(path, 'Artist'), { recursive: true });
    fs.writeFileSync(join(path, 'Artist', 'a.mp3'), '0123456789');
    return path;
  };

  it('finds an object of the storage', async () => {
    const { storage, audio } = makeStore();
    const { key } = await storage.putAudio(inPieces(Buffer.from('0123456789')), 'mp3');
    const file = await audio.resolve(`local:${key}`);
    expect((await file.stat()).size).toBe(10);
    expect((await buffer((await file.open({ start: 2, end: 4 })).stream)).toString()).toBe('234');
    expect(fs.readFileSync(file.path ?? '', 'utf8')).toBe('0123456789');
  });

  it('finds a file below the import path', async () => {
    const { audio } = makeStore(music());
    const file = await audio.resolve('file:Artist/a.mp3');
    expect((await file.stat()).size).toBe(10);
    expect((await buffer((await file.open({ start: 8, end: 9 })).stream)).toString()).toBe('89');
    expect((await buffer((await file.open()).stream)).toString()).toBe('0123456789');
  });

  it('throws gone for missing audio', async () => {
    const { audio } = makeStore(music());
    const object = await audio.resolve(`local:${audioKey('ab', 'mp3')}`);
    expect(await codeOf(object.stat())).toBe('gone');
    expect(await codeOf(object.open())).toBe('gone');
    expect(await codeOf(audio.resolve('file:Artist/b.mp3'))).toBe('gone');
    expect(await codeOf(audio.resolve('file:Artist/a.mp3/b.mp3'))).toBe('gone');
    expect(await codeOf((await audio.resolve('file:Artist')).stat())).toBe('gone');
  });

  it('throws unavailable when the music folder does not exist, since its files are not gone then', async () => {
    expect(await codeOf(makeStore(join(dir, 'unmounted')).audio.resolve('file:a.mp3'))).toBe('unavailable');
    expect(await codeOf(makeStore().audio.resolve('file:a.mp3'))).toBe('unavailable');
    expect(await codeOf(makeStore().audio.resolve('s3:audio/ab/ab.mp3'))).toBe('unavailable');
  });

  it('never leaves the music folder', async () => {
    const { audio } = makeStore(music());
    fs.writeFileSync(join(dir, 'secret'), 'x');
    for (const path of ['../secret', 'Artist/../../secret', join(dir, 'secret'), '', 'a\0b']) {
      expect(await codeOf(audio.resolve(`file:${path}`))).toBe('gone');
    }
  });

  onUnix('follows a link inside the music folder, and none out of it', async () => {
    const path = music();
    fs.mkdirSync(join(dir, 'music-elsewhere'));
    fs.writeFileSync(join(dir, 'music-elsewhere', 'x.mp3'), 'x');
    fs.symlinkSync('Artist', join(path, 'inside'));
    fs.symlinkSync(join(dir, 'music-elsewhere'), join(path, 'outside'));
    fs.symlinkSync('loop', join(path, 'loop'));
    const { audio } = makeStore(path);
    expect((await (await audio.resolve('file:inside/a.mp3')).stat()).size).toBe(10);
    expect(await codeOf(audio.resolve('file:outside/x.mp3'))).toBe('gone');
    expect(await codeOf(audio.resolve('file:loop'))).toBe('gone');
  });

  onUnix('takes a music folder that is a link itself', async () => {
    fs.symlinkSync(music(), join(dir, 'link'));
    const { audio } = makeStore(join(dir, 'link'));
    expect((await (await audio.resolve('file:Artist/a.mp3')).stat()).size).toBe(10);
  });
});

/** Makes every write to an open file fail while the work runs. */
async function withFailingWrites<T>(error: Error, work: () => Promise<T>): Promise<T> {
  const probe = await fs.promises.open(join(dir, 'probe'), 'w');
  const prototype = Object.getPrototypeOf(probe) as { write: unknown };
  await probe.close();
  const original = prototype.write;
  prototype.write = async () => {
    throw error;
  };
  try {
    return await work();
  } finally {
    prototype.write = original;
  }
}
