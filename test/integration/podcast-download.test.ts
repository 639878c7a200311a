// Tests which parts of a download are kept when the remote file changes, or when nobody wants the episode any more.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { downloadEpisodeTask } from '../../server/podcasts/download.ts';
import {
  findEpisode,
  deleteUnlistedEpisodes,
  insertPodcast,
  listNewestOf,
  putEpisodes,
  updateEpisode,
  type EpisodeRow,
} from '../../server/podcasts/queries.ts';
import { DOWNLOAD_EPISODE } from '../../server/podcasts/tasks.ts';
import { silentMp3 } from '../support/audio-bytes.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';

const audio = silentMp3(50);
const PARTIAL_BYTES = 1_000;
let temp: TempDatabase;
let dir: string;
let episode: EpisodeRow;
let createdCount = 0;
let answer: { status: number; headers: Record<string, string> };
let isFull = false;
let mostBytes = 1e9;
let meanwhile: () => void = () => undefined;

beforeAll(() => {
  temp = openTempDatabase();
  dir = join(temp.dir, 'podcasts');
  mkdirSync(dir);
});
afterAll(() => temp.close());

/** Writes a part of an older version of the file. */
beforeEach(() => {
  isFull = false;
  mostBytes = 1e9;
  meanwhile = () => undefined;
  const { db } = temp;
  const podcast = insertPodcast(db, `https://feeds.example/${++createdCount}`, new Date(0));
  const episodeFields = {
    guid: '1',
    title: 'One',
    description: null,
    publishedAt: new Date(1),
    sizeBytes: null,
    durationMs: null,
  };
  putEpisodes(db, podcast!.id, [{ ...episodeFields, audioUrl: 'https://feeds.example/one.mp3' }], new Date(1));
  episode = listNewestOf(db, podcast!.id, 1)[0]!;
  updateEpisode(db, episode.id, { status: 'downloading', validator: '"old"' });
  writeFileSync(join(dir, `${episode.id}.part`), Buffer.alloc(PARTIAL_BYTES, 1));
});

const download = (attempt = 1) =>
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
    quota: {
      assertFree: async () => {
        if (isFull) throw new Error('full');
      },
    },
    maxBytes: () => mostBytes,
    capBytes: () => 1e9,
    onChange: () => undefined,
  })(
    { episodeId: episode.id },
    {
      jobId: 1 as never,
      attempt,
      signal: new AbortController().signal,
      progress: () => undefined,
    },
  );
const readEpisode = (): Buffer => readFileSync(join(dir, `${episode.id}.mp3`));
const partOf = (): string[] => readdirSync(dir).filter((name) => name === `${episode.id}.part`);

test('a part of the old file is not continued with the new one after the disk was full', async () => {
  answer = { status: 200, headers: { etag: '"new"' } };
  isFull = true;
  await expect(download()).rejects.toThrow('full');
  isFull = false;
  answer.status = 206;
  await expect(download().then(readEpisode)).resolves.toEqual(audio);
});

test('a part of another file from a server that ignores If-Range is not put to what is there', async () => {
  answer = { status: 206, headers: { etag: '"new"' } };
  await expect(download()).rejects.toThrow('another part');
  answer.status = 200;
  await expect(download().then(readEpisode)).resolves.toEqual(audio);
});

test('a part of an episode that is given up is removed, since nothing counts it', async () => {
  answer = { status: 503, headers: {} };
  await expect(download(1)).rejects.toThrow('503');
  expect(partOf()).toHaveLength(1);
  await expect(download(DOWNLOAD_EPISODE.attempts)).rejects.toThrow('503');
  expect([partOf(), findEpisode(temp.db, episode.id)?.status]).toEqual([[], 'error']);
});

test('an episode of unknown length ends where it is larger than allowed, also when it is continued', async () => {
  answer = { status: 206, headers: {} };
  mostBytes = audio.length - 1;
  await expect(download()).rejects.toThrow('larger than');
  expect([partOf(), findEpisode(temp.db, episode.id)?.status]).toEqual([[], 'error']);
});

test('a part that is packed is not put to what is there', async () => {
  answer = { status: 206, headers: { 'content-encoding': 'gzip' } };
  await expect(download()).rejects.toThrow('another part');
  expect(partOf()).toEqual([]);
});

test('a deleted episode stays so when the feed held only a newer one for a while', () => {
  const { db } = temp;
  updateEpisode(db, episode.id, { status: 'deleted' });
  const { podcastId, title, description, audioUrl, durationMs, sizeBytes } = episode;
  const feedEpisode = { title, description, audioUrl, durationMs, sizeBytes };
  putEpisodes(db, podcastId, [{ ...feedEpisode, guid: '2', publishedAt: new Date(2) }], new Date(2));
  deleteUnlistedEpisodes(db, podcastId, ['2']);
  putEpisodes(db, podcastId, [{ ...feedEpisode, guid: '1', publishedAt: new Date(1) }], new Date(3));
  expect(listNewestOf(db, podcastId, 3).map(({ guid, status }) => `${guid} ${status}`)).toEqual(['2 new', '1 deleted']);
});

test('what was deleted while it came does not appear again', async () => {
  answer = { status: 200, headers: {} };
  meanwhile = () => updateEpisode(temp.db, episode.id, { status: 'deleted' });
  await download();
  expect(partOf()).toEqual([]);
  expect(() => readEpisode()).toThrow('ENOENT');
});
