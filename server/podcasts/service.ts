// Podcasts for the REST and Subsonic APIs. Everybody can listen to all podcasts; a right decides who may add and remove
// them.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MainDb } from '../db/client.ts';
import type { EpisodeId, PodcastId, UserId } from '../db/ids.ts';
import { AppError, conflict, invalid, notFound } from '../errors.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { Jobs } from '../jobs/service.ts';
import { fileOf, removeFiles } from './download.ts';
import type { PodcastWeb } from './outbound.ts';
import {
  countEpisodes,
  deletePodcast,
  findEpisode,
  findPodcast,
  findSummary,
  idsOfEpisodes,
  insertPodcast,
  listDue,
  listEpisodes,
  listNewest,
  listPodcasts,
  listPositions,
  listWithStatus,
  putPosition,
  removePosition,
  updateEpisode,
  type EpisodeRow,
  type EpisodeSummary,
  type PodcastRow,
} from './queries.ts';
import { DOWNLOAD_EPISODE, REFRESH_PODCAST } from './tasks.ts';

interface PodcastDeps {
  db: MainDb;
  now: () => Date;
  jobs: Pick<Jobs, 'enqueue' | 'tryEnqueue'>;
  dir: string;
  refreshHours: () => number;
  web: Pick<PodcastWeb, 'picture'>;
  onChange: () => void;
}

const MAX_URL_CHARACTERS = 2_000;
const MAX_PODCASTS = 1_000;
const HOUR_MS = 3_600_000;

export type PodcastService = ReturnType<typeof createPodcastService>;

export function createPodcastService({ db, now, jobs, dir, refreshHours, web, onChange }: PodcastDeps) {
  function getPodcast(id: PodcastId): PodcastRow {
    const podcast = findPodcast(db, id);
    if (!podcast) throw notFound('podcast', id);
    return podcast;
  }

  function getEpisode(userId: UserId, id: EpisodeId): EpisodeSummary {
    const episode = findSummary(db, userId, id);
    if (!episode) throw notFound('podcast episode', id);
    return episode;
  }

  return {
    list: (): PodcastRow[] => listPodcasts(db),
    get: getPodcast,
    episode: getEpisode,
    episodes: (userId: UserId, podcastId: PodcastId, page: Page): Paged<EpisodeSummary> => ({
      items: listEpisodes(db, userId, getPodcast(podcastId).id, page),
      total: countEpisodes(db, podcastId),
    }),
    newest: (userId: UserId, count: number): EpisodeSummary[] => listNewest(db, userId, count),
    podcastOf: (id: EpisodeId): PodcastId | undefined => findEpisode(db, id)?.podcastId,
    /**
     * Returns the podcast's picture, as the feed names it; undefined without a picture. `key` identifies its content.
     */
    pictureOf(id: PodcastId): { key: string; read: () => Promise<Uint8Array | undefined> } | undefined {
      const url = findPodcast(db, id)?.imageUrl ?? undefined;
      return url === undefined ? undefined : { key: url, read: () => web.picture(new URL(url)) };
    },
    /** Returns the path of the downloaded audio. */
    pathOf: (episode: Pick<EpisodeRow, 'id' | 'format' | 'status'>): string | undefined =>
      episode.status === 'completed' ? fileOf(dir, episode) : undefined,

    /**
     * Adds a podcast; its feed is read soon after. Throws `invalid` for a text that is not an address, and `conflict`
     * for a podcast that exists.
     */
    async add(text: string): Promise<PodcastRow> {
      const url = text.trim().replace(/^(?:feed|pcast|itpc|podcast):(?:\/\/)?(?=https?:)/i, '');
      const httpUrl = url.replace(/^(?:feed|pcast|itpc|podcast):\/\//i, 'https://');
      if (httpUrl.length > MAX_URL_CHARACTERS || !URL.canParse(httpUrl) || !/^https?:$/.test(new URL(httpUrl).protocol))
        throw invalid([{ field: 'url', message: 'must be an http or https address' }]);
      if (listPodcasts(db).length >= MAX_PODCASTS)
        throw conflict(`There are ${MAX_PODCASTS} podcasts, which is the limit.`);
      const podcast = insertPodcast(db, new URL(httpUrl).href, now());
      if (!podcast) throw conflict('This podcast already exists.');
      try {
        await jobs.enqueue(REFRESH_PODCAST, { podcastId: podcast.id });
      } catch (error) {
        deletePodcast(db, podcast.id);
        throw error;
      }
      onChange();
      return podcast;
    },

    /** Deletes a podcast with all of its downloads. */
    async remove(id: PodcastId): Promise<void> {
      getPodcast(id);
      const episodes = idsOfEpisodes(db, id).flatMap((episodeId) => findEpisode(db, episodeId) ?? []);
      deletePodcast(db, id);
      for (const episode of episodes) await removeFiles(dir, episode);
      onChange();
    },

    /** Reads the feed of one podcast, or the feeds of all. */
    async refresh(id?: PodcastId): Promise<void> {
      const ids = id === undefined ? listPodcasts(db).map((podcast) => podcast.id) : [getPodcast(id).id];
      for (const podcastId of ids) await jobs.enqueue(REFRESH_PODCAST, { podcastId });
    },

    /** Reads the feeds that are due. */
    async refreshDue(): Promise<void> {
      const hours = refreshHours();
      if (hours === 0) return;
      for (const podcastId of listDue(db, new Date(now().getTime() - hours * HOUR_MS)))
        await jobs.tryEnqueue(REFRESH_PODCAST, { podcastId });
    },

    async download(userId: UserId, id: EpisodeId): Promise<EpisodeSummary> {
      const { status } = getEpisode(userId, id);
      if (status === 'completed') return getEpisode(userId, id);
      updateEpisode(db, id, { status: 'downloading', error: null });
      try {
        await jobs.enqueue(DOWNLOAD_EPISODE, { episodeId: id });
      } catch (error) {
        updateEpisode(db, id, { status });
        throw error;
      }
      onChange();
      return getEpisode(userId, id);
    },

    /** Deletes the audio of an episode. The episode stays in the list, and is not downloaded again automatically. */
    async removeDownload(userId: UserId, id: EpisodeId): Promise<void> {
      const episode = getEpisode(userId, id);
      updateEpisode(db, id, { status: 'deleted', format: null, downloadedAt: null, validator: null, error: null });
      await removeFiles(dir, episode);
      onChange();
    },

    positions: (userId: UserId): ReturnType<typeof listPositions> => listPositions(db, userId),
    setPosition(userId: UserId, episodeId: EpisodeId, position: { positionMs: number; comment?: string | null }): void {
      getEpisode(userId, episodeId);
      putPosition(db, { userId, episodeId }, position, now());
    },
    removePosition(userId: UserId, episodeId: EpisodeId): void {
      if (!removePosition(db, { userId, episodeId })) throw notFound('position in podcast episode', episodeId);
    },

    /** Resumes downloads whose job was lost. */
    async resume(): Promise<void> {
      for (const { id } of listWithStatus(db, 'downloading'))
        await jobs.tryEnqueue(DOWNLOAD_EPISODE, { episodeId: id });
    },

    /** Deletes files of podcasts that were removed during the download. */
    async sweep(): Promise<void> {
      const names = await readdir(dir).catch(() => []);
      for (const name of names) {
        const id = Number(name.split('.', 1)[0]) as EpisodeId;
        const episode = Number.isSafeInteger(id) ? findEpisode(db, id) : undefined;
        const isKept = episode && (name === `${id}.${episode.format}` || episode.status === 'downloading');
        if (!isKept) await rm(join(dir, name), { force: true });
      }
    },
  };
}

/** Returns the error for an episode that is not downloaded and that its server does not deliver. */
export const notHere = (status: number): AppError =>
  new AppError('unavailable', `The server of the episode answered with status ${status}.`);
