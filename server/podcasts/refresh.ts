// Reads the feed of a podcast, if it has changed, and starts to download the newest episodes.
import type { MainDb } from '../db/client.ts';
import type { EpisodeId, PodcastId } from '../db/ids.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { parseFeed, UnreadableFeed } from './feed.ts';
import type { PodcastWeb } from './outbound.ts';
import {
  findPodcast,
  deleteUnlistedEpisodes,
  listNewestOf,
  putEpisodes,
  updateEpisode,
  updatePodcast,
  type PodcastRow,
} from './queries.ts';

interface RefreshDeps {
  db: MainDb;
  now: () => Date;
  web: Pick<PodcastWeb, 'feed'>;
  downloadNewest: () => number;
  download: (id: EpisodeId) => Promise<void>;
  onChange: () => void;
}

type RefreshResult = { outcome: 'read' | 'unchanged' | 'failed' | 'gone' };

export function createRefresh({ db, now, web, downloadNewest, download, onChange }: RefreshDeps) {
  /** Reads the feed and stores its episodes. Returns the error as a sentence; undefined when the feed was read. */
  async function readFeed(
    podcast: PodcastRow,
    signal?: AbortSignal,
  ): Promise<'read' | 'unchanged' | { error: string }> {
    const { status, headers, bytes, url } = await web.feed(
      new URL(podcast.url),
      {
        ...(podcast.etag !== null && { 'if-none-match': podcast.etag }),
        ...(podcast.lastModified !== null && { 'if-modified-since': podcast.lastModified }),
      },
      signal,
    );
    if (status === 304) return 'unchanged';
    if (status !== 200) return { error: `The server of the feed answered with status ${status}.` };
    const feed = await parseFeed(bytes, headers.get('content-type'), url);
    db.transaction(
      (tx) => {
        if (!findPodcast(tx, podcast.id)) return; // the podcast was deleted meanwhile
        putEpisodes(tx, podcast.id, feed.episodes, now());
        deleteUnlistedEpisodes(
          tx,
          podcast.id,
          feed.episodes.map(({ guid }) => guid),
        );
        updatePodcast(tx, podcast.id, {
          title: feed.title ?? podcast.title,
          description: feed.description,
          imageUrl: feed.imageUrl,
          etag: headers.get('etag')?.slice(0, 500) ?? null,
          lastModified: headers.get('last-modified')?.slice(0, 100) ?? null,
        });
      },
      { behavior: 'immediate' },
    );
    return 'read';
  }

  /**
   * Downloads only episodes that were never tried: deleted episodes, and those that failed for good, stay as they are.
   */
  async function downloadNew(id: PodcastId): Promise<void> {
    // the newest comes last, because the episode that was downloaded first is also deleted first
    for (const episode of listNewestOf(db, id, downloadNewest()).toReversed()) {
      if (episode.status !== 'new') continue;
      updateEpisode(db, episode.id, { status: 'downloading', error: null });
      await download(episode.id);
    }
  }

  return async (id: PodcastId, signal?: AbortSignal): Promise<RefreshResult> => {
    const podcast = findPodcast(db, id);
    if (!podcast) return { outcome: 'gone' };
    try {
      const result = await readFeed(podcast, signal);
      const error = typeof result === 'object' ? result.error : null;
      updatePodcast(db, id, { checkedAt: now(), status: error === null ? 'completed' : 'error', error });
      if (error === null) await downloadNew(id);
      onChange();
      return { outcome: typeof result === 'object' ? 'failed' : result };
    } catch (error) {
      if (!(error instanceof OutboundError || error instanceof UnreadableFeed)) throw error;
      updatePodcast(db, id, { checkedAt: now(), status: 'error', error: error.message });
      onChange();
      return { outcome: 'failed' };
    }
  };
}
