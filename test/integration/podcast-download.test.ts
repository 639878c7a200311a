// What is kept of a download when the file at the other end changes, or nobody wants it any more.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { downloadEpisodeTask } from '../../server/podcasts/download.ts';
import {
  insertPodcast,
  listNewestOf,
  putEpisodes,
  updateEpisode,
  type EpisodeRow,
} from '../../server/podcasts/queries.ts';
import { silentMp3 } from '../support/audio-bytes.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';

const audio = silentMp3(50);
const HERE = 1_000;
let temp: TempDatabase;
let dir: string;
let episode: EpisodeRow;
let made = 0;
let answer: { status: number; headers: Record<string, string> };
let isFull = false;
let meanwhile: () => void = () => undefined;

beforeAll(() => {
  temp = openTempDatabase();
  dir = join(temp.dir, 'podcasts');
  mkdirSync(dir);
});
afterAll(() => temp.close());

/** A part of an older file is there. */
beforeEach(() => {
  isFull = false;
  meanwhile = () => undefined;
  const { db } = temp;
  const podcast = insertPodcast(db, `https://feeds.example/${++made}`, new Date(0));
  const one = {
    guid: '1',
    title: 'One',
    description: null,
    publishedAt: new Date(1),
    sizeBytes: null,
    durationMs: null,
  };
  putEpisodes(db, podcast!.id, [{ ...one, audioUrl: 'https://feeds.example/one.mp3' }], new Date(1));
  episode = listNewestOf(db, podcast!.id, 1)[0]!;
  updateEpisode(db, episode.id, { status: 'downloading', validator: '"old"' });
  writeFileSync(join(dir, `${episode.id}.part`), Buffer.alloc(HERE, 1));
});

const download = () =>
  downloadEpisodeTask({
    db: temp.db,
    now: () => new Date(2),
    dir,
    web: {
      audio: async (url, { headers }) => {
        const { status } = answer;
        const from = status === 206 ? Number(/\d+/.exec(headers['range'] ?? '0')?.[0]) : 0;
        const range = { 'content-range': `bytes ${from}-${audio.length - 1}/${audio.length}` };
        meanwhile();
        const body = Readable.from([audio.subarray(from)], { objectMode: false });
        return { status, headers: new Headers({ ...answer.headers, ...(status === 206 && range) }), url, body };
      },
    },
    room: {
      assertFree: async () => {
        if (isFull) throw new Error('full');
      },
    },
    maxBytes: () => 1e9,
    capBytes: () => 1e9,
    changed: () => undefined,
  })(
    { episodeId: episode.id },
    {
      jobId: 1 as never,
      attempt: 1,
      signal: new AbortController().signal,
      progress: () => undefined,
      yieldToRequests: async () => undefined,
    },
  );
const whole = (): Buffer => readFileSync(join(dir, `${episode.id}.mp3`));
const partOf = (): string[] => readdirSync(dir).filter((name) => name === `${episode.id}.part`);

test('a part of the old file is not continued with the new one after the disk was full', async () => {
  answer = { status: 200, headers: { etag: '"new"' } };
  isFull = true;
  await expect(download()).rejects.toThrow('full');
  isFull = false;
  answer.status = 206;
  await expect(download().then(whole)).resolves.toEqual(audio);
});

test('a part of another file from a server that ignores If-Range is not put to what is there', async () => {
  answer = { status: 206, headers: { etag: '"new"' } };
  await expect(download()).rejects.toThrow('another part');
  answer.status = 200;
  await expect(download().then(whole)).resolves.toEqual(audio);
});

test('what was deleted while it came does not appear again', async () => {
  answer = { status: 200, headers: {} };
  meanwhile = () => updateEpisode(temp.db, episode.id, { status: 'deleted' });
  await download();
  expect(partOf()).toEqual([]);
  expect(() => whole()).toThrow('ENOENT');
});
