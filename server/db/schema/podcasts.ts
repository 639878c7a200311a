// Podcasts. Their episodes are not tracks: no list, search or statistic of the library contains them.
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { EpisodeId, PodcastId, UserId } from '../ids.ts';
import { id, time } from './columns.ts';
import { users } from './accounts.ts';

export type PodcastStatus = 'new' | 'completed' | 'error';
/** The states of the Subsonic API, except `skipped`, which is not used. */
export type EpisodeStatus = 'new' | 'downloading' | 'completed' | 'error' | 'deleted';

/** podcasts/: a subscribed feed, which all accounts share. */
export const podcasts = sqliteTable(
  'podcasts',
  {
    id: id<PodcastId>(),
    url: text('url').notNull(),
    title: text('title').notNull(), // the title of the feed, or its address until the feed has been read
    description: text('description'),
    imageUrl: text('image_url'),
    status: text('status').$type<PodcastStatus>().notNull(),
    error: text('error'), // the error as a sentence for people
    etag: text('etag'), // this and the next column are headers that the feed's server sent
    lastModified: text('last_modified'),
    checkedAt: time('checked_at'), // when the feed was last read; null if never
    createdAt: time('created_at').notNull(),
  },
  (t) => [uniqueIndex('podcasts_url_unique').on(t.url)],
);

/** podcasts/: an episode that is in the feed, or that was downloaded while it was in the feed. */
export const podcastEpisodes = sqliteTable(
  'podcast_episodes',
  {
    id: id<EpisodeId>(),
    podcastId: integer('podcast_id')
      .$type<PodcastId>()
      .notNull()
      .references(() => podcasts.id, { onDelete: 'cascade' }),
    guid: text('guid').notNull(), // identifies the episode within the feed
    title: text('title').notNull(),
    description: text('description'),
    // if the feed gives no time, the time at which the episode was discovered
    publishedAt: time('published_at').notNull(),
    audioUrl: text('audio_url').notNull(),
    durationMs: integer('duration_ms'), // the duration that the feed gives
    sizeBytes: integer('size_bytes'), // the size that the feed gives, until the episode is downloaded
    status: text('status').$type<EpisodeStatus>().notNull(),
    error: text('error'), // the error as a sentence for people
    format: text('format'), // the format of the downloaded file, which is named by id and format
    validator: text('validator'), // ETag or date of the partial download, for If-Range
    downloadedAt: time('downloaded_at'),
    createdAt: time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('podcast_episodes_guid_unique').on(t.podcastId, t.guid),
    index('podcast_episodes_published').on(t.podcastId, t.publishedAt, t.id),
    index('podcast_episodes_newest').on(t.publishedAt, t.id),
    index('podcast_episodes_status').on(t.status, t.downloadedAt),
  ],
);

/** podcasts/: the position at which a person stopped an episode. */
export const podcastPositions = sqliteTable(
  'podcast_positions',
  {
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    episodeId: integer('episode_id')
      .$type<EpisodeId>()
      .notNull()
      .references(() => podcastEpisodes.id, { onDelete: 'cascade' }),
    positionMs: integer('position_ms').notNull(),
    comment: text('comment'), // the comment of a Subsonic bookmark
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.episodeId] }),
    index('podcast_positions_episode_id').on(t.episodeId),
    index('podcast_positions_updated').on(t.userId, t.updatedAt, t.episodeId),
  ],
);
