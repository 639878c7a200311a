// Reads and writes podcasts, their episodes, and the positions where people stopped in them.
import { and, asc, count, desc, eq, inArray, lt, or, isNull, sql } from 'drizzle-orm';
import { type Db, writtenRow } from '../db/client.ts';
import type { EpisodeId, PodcastId, UserId } from '../db/ids.ts';
import { podcastEpisodes, podcastPositions, podcasts } from '../db/schema.ts';
import type { Page } from '../http/paging.ts';
import type { FeedEpisode } from './feed.ts';

export type PodcastRow = typeof podcasts.$inferSelect;
export type EpisodeRow = typeof podcastEpisodes.$inferSelect;
type PositionRow = typeof podcastPositions.$inferSelect;
/** An episode with the podcast's title, and the position where the user stopped. */
export type EpisodeSummary = EpisodeRow & { podcastTitle: string; positionMs: number | null };

const summary = (db: Db, userId: UserId) =>
  db
    .select({
      episode: podcastEpisodes,
      podcastTitle: podcasts.title,
      positionMs: podcastPositions.positionMs,
    })
    .from(podcastEpisodes)
    .innerJoin(podcasts, eq(podcasts.id, podcastEpisodes.podcastId))
    .leftJoin(
      podcastPositions,
      and(eq(podcastPositions.episodeId, podcastEpisodes.id), eq(podcastPositions.userId, userId)),
    )
    .$dynamic();
type SummaryRow = Awaited<ReturnType<typeof summary>>[number];
const toSummary = ({ episode, ...more }: SummaryRow): EpisodeSummary => ({ ...episode, ...more });

export const listPodcasts = (db: Db): PodcastRow[] => db.select().from(podcasts).orderBy(asc(podcasts.title)).all();
export const findPodcast = (db: Db, id: PodcastId): PodcastRow | undefined =>
  db.select().from(podcasts).where(eq(podcasts.id, id)).get();
export const insertPodcast = (db: Db, url: string, createdAt: Date): PodcastRow | undefined =>
  writtenRow(
    db.insert(podcasts).values({ url, title: url, status: 'new', createdAt }).onConflictDoNothing().returning(),
  );
export const updatePodcast = (db: Db, id: PodcastId, values: Partial<PodcastRow>): void =>
  void db.update(podcasts).set(values).where(eq(podcasts.id, id)).run();
export const deletePodcast = (db: Db, id: PodcastId): boolean =>
  db.delete(podcasts).where(eq(podcasts.id, id)).run().changes > 0;
/** Lists podcasts whose feed was not read since that time. */
export const listDue = (db: Db, refreshedBefore: Date): PodcastId[] =>
  db
    .select({ id: podcasts.id })
    .from(podcasts)
    .where(or(isNull(podcasts.checkedAt), lt(podcasts.checkedAt, refreshedBefore)))
    .all()
    .map(({ id }) => id);

export const countEpisodes = (db: Db, podcastId: PodcastId): number =>
  db.select({ n: count() }).from(podcastEpisodes).where(eq(podcastEpisodes.podcastId, podcastId)).get()?.n ?? 0;
/** Lists episodes, newest first. */
export const listEpisodes = (db: Db, userId: UserId, podcastId: PodcastId, { limit, offset }: Page): EpisodeSummary[] =>
  summary(db, userId)
    .where(eq(podcastEpisodes.podcastId, podcastId))
    .orderBy(desc(podcastEpisodes.publishedAt), desc(podcastEpisodes.id))
    .limit(limit)
    .offset(offset)
    .all()
    .map(toSummary);
export const listNewest = (db: Db, userId: UserId, limit: number): EpisodeSummary[] =>
  summary(db, userId)
    .orderBy(desc(podcastEpisodes.publishedAt), desc(podcastEpisodes.id))
    .limit(limit)
    .all()
    .map(toSummary);
export const findSummary = (db: Db, userId: UserId, id: EpisodeId): EpisodeSummary | undefined => {
  const row = summary(db, userId).where(eq(podcastEpisodes.id, id)).get();
  return row && toSummary(row);
};
export const findEpisode = (db: Db, id: EpisodeId): EpisodeRow | undefined =>
  db.select().from(podcastEpisodes).where(eq(podcastEpisodes.id, id)).get();
export const updateEpisode = (db: Db, id: EpisodeId, values: Partial<EpisodeRow>): void =>
  void db.update(podcastEpisodes).set(values).where(eq(podcastEpisodes.id, id)).run();
export const listWithStatus = (db: Db, status: EpisodeRow['status']): EpisodeRow[] =>
  db
    .select()
    .from(podcastEpisodes)
    .where(eq(podcastEpisodes.status, status))
    .orderBy(asc(podcastEpisodes.downloadedAt), asc(podcastEpisodes.id))
    .all();
export const idsOfEpisodes = (db: Db, podcastId: PodcastId): EpisodeId[] =>
  db
    .select({ id: podcastEpisodes.id })
    .from(podcastEpisodes)
    .where(eq(podcastEpisodes.podcastId, podcastId))
    .all()
    .map(({ id }) => id);

/** Adds new episodes, and updates existing ones from the feed; downloaded audio stays. */
export function putEpisodes(db: Db, podcastId: PodcastId, episodes: readonly FeedEpisode[], time: Date): void {
  for (const { publishedAt, ...episode } of episodes)
    db.insert(podcastEpisodes)
      .values({ ...episode, podcastId, publishedAt: publishedAt ?? time, status: 'new', createdAt: time })
      .onConflictDoUpdate({
        target: [podcastEpisodes.podcastId, podcastEpisodes.guid],
        set: {
          title: episode.title,
          description: episode.description,
          audioUrl: episode.audioUrl,
          durationMs: episode.durationMs,
          ...(publishedAt && { publishedAt }),
          sizeBytes: sql`iif(status = 'completed', size_bytes, ${episode.sizeBytes})`,
        },
      })
      .run();
}

/** Maximum number of deleted episodes whose rows are kept, per podcast; more than are read from a feed. */
const MAX_DELETED_EPISODES = 2_000;

/**
 * Deletes episodes that are no longer in the feed, were not downloaded, and that nobody began to play. Deleted episodes
 * keep their row, because feeds are incomplete at times: the episodes would be downloaded again when they reappear.
 */
export function deleteUnlistedEpisodes(db: Db, podcastId: PodcastId, guids: readonly string[]): void {
  if (guids.length === 0) return;
  const listedGuids = sql`(SELECT value FROM json_each(${JSON.stringify(guids)}))`;
  db.delete(podcastEpisodes)
    .where(
      and(
        eq(podcastEpisodes.podcastId, podcastId),
        inArray(podcastEpisodes.status, ['new', 'error', 'deleted']),
        sql`guid NOT IN ${listedGuids}`,
        sql`(status <> 'deleted' OR id NOT IN (SELECT d.id FROM podcast_episodes d
          WHERE d.podcast_id = ${podcastId} AND d.status = 'deleted'
          ORDER BY d.published_at DESC, d.id DESC LIMIT ${MAX_DELETED_EPISODES}))`,
        sql`NOT EXISTS (SELECT 1 FROM podcast_positions p WHERE p.episode_id = podcast_episodes.id)`,
      ),
    )
    .run();
}

/**
 * Lists the newest episodes with their state. Deleted episodes are included, because older ones would take their place.
 */
export const listNewestOf = (db: Db, podcastId: PodcastId, limit: number): EpisodeRow[] =>
  db
    .select()
    .from(podcastEpisodes)
    .where(eq(podcastEpisodes.podcastId, podcastId))
    .orderBy(desc(podcastEpisodes.publishedAt), desc(podcastEpisodes.id))
    .limit(limit)
    .all();

export function putPosition(
  db: Db,
  key: { userId: UserId; episodeId: EpisodeId },
  { positionMs, comment }: Pick<PositionRow, 'positionMs'> & { comment?: string | null },
  time: Date,
): void {
  const values = { positionMs, updatedAt: time, ...(comment !== undefined && { comment }) };
  db.insert(podcastPositions)
    .values({ ...key, createdAt: time, ...values })
    .onConflictDoUpdate({ target: [podcastPositions.userId, podcastPositions.episodeId], set: values })
    .run();
}
export const removePosition = (db: Db, { userId, episodeId }: { userId: UserId; episodeId: EpisodeId }): boolean =>
  db
    .delete(podcastPositions)
    .where(and(eq(podcastPositions.userId, userId), eq(podcastPositions.episodeId, episodeId)))
    .run().changes > 0;
export const listPositions = (db: Db, userId: UserId): (PositionRow & { episode: EpisodeSummary })[] =>
  db
    .select({ position: podcastPositions, episode: podcastEpisodes, podcastTitle: podcasts.title })
    .from(podcastPositions)
    .innerJoin(podcastEpisodes, eq(podcastEpisodes.id, podcastPositions.episodeId))
    .innerJoin(podcasts, eq(podcasts.id, podcastEpisodes.podcastId))
    .where(eq(podcastPositions.userId, userId))
    .orderBy(desc(podcastPositions.updatedAt), desc(podcastPositions.episodeId))
    .all()
    .map(({ position, episode, podcastTitle }) => ({
      ...position,
      episode: { ...episode, podcastTitle, positionMs: position.positionMs },
    }));
