// Tests reading chapters of audiobooks as various programs write them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openByteSource } from '../../../server/media/byte-source.ts';
import { readNeroChapters } from '../../../server/media/formats/mp4-chapters.ts';
import { readAudioSync } from '../../../server/media/read.ts';
import type { Chapter, ByteSource } from '../../../server/media/types.ts';
import { Window } from '../../../server/media/buffered-source.ts';
import { toolOrWarn } from '../../support/tools.ts';

const EXPECTED_CHAPTERS = [
  { startMs: 0, title: 'Début' },
  { startMs: 1_250, title: 'Zweites Kapitel' },
  { startMs: 2_000, title: '結' },
];
const METADATA_TEXT = [
  ';FFMETADATA1',
  ...EXPECTED_CHAPTERS.flatMap(({ startMs, title }, i) => [
    '[CHAPTER]',
    'TIMEBASE=1/1000',
    `START=${startMs}`,
    `END=${EXPECTED_CHAPTERS[i + 1]?.startMs ?? 3_000}`,
    `title=${title}`,
  ]),
].join('\n');

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-chapters-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const ffmpeg = toolOrWarn('ffmpeg', 'chapters are');

function writeAndReadChapters(name: string, ...options: string[]): Chapter[] | undefined {
  const [path, metadata] = [join(dir, name), join(dir, 'metadata.txt')];
  writeFileSync(metadata, METADATA_TEXT);
  const inputOptions = ['-f', 'lavfi', '-i', 'sine=duration=3', '-i', metadata, '-map', '0:a'];
  const { status, stderr } = spawnSync('ffmpeg', [
    '-v',
    'error',
    '-y',
    ...inputOptions,
    '-map_chapters',
    '1',
    ...options,
    path,
  ]);
  if (status !== 0) throw new Error(stderr.toString());
  const source = openByteSource(path);
  try {
    return readAudioSync(source)?.tags.chapters;
  } finally {
    source.close();
  }
}

test.skipIf(!ffmpeg).each([
  ['book.m4b', ['-f', 'ipod', '-c:a', 'aac']],
  ['book.m4a', ['-c:a', 'aac', '-movflags', '+faststart']],
  ['book.opus', ['-c:a', 'libopus']],
] as const)('of %s are read', (name, options) => {
  expect(writeAndReadChapters(name, ...options)).toEqual(EXPECTED_CHAPTERS);
});

test("of Nero's list are read, and a list that is cut off keeps its beginning", () => {
  const entries = EXPECTED_CHAPTERS.map(({ startMs, title }) => {
    const text = Buffer.from(title);
    const entryHead = Buffer.alloc(9);
    entryHead.writeBigUInt64BE(BigInt(startMs) * 10_000n);
    entryHead.writeUInt8(text.length, 8);
    return Buffer.concat([entryHead, text]);
  });
  const bytes = Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, entries.length]), ...entries]);
  const openWindow = (windowBytes: Buffer): Window => {
    const source: ByteSource = {
      size: windowBytes.length,
      read: (position, length) => windowBytes.subarray(position, position + length),
    };
    return new Window(source);
  };
  expect(readNeroChapters(openWindow(bytes), 0, bytes.length)).toEqual(EXPECTED_CHAPTERS);
  const truncated = bytes.subarray(0, -2);
  expect(readNeroChapters(openWindow(truncated), 0, truncated.length)).toEqual(EXPECTED_CHAPTERS.slice(0, 2));
});
