import { describe, expect, it } from 'vitest';
import { parseFeed, UnreadableFeed } from '../../../server/podcasts/feed.ts';
import { ODD_FEEDS } from '../../support/odd-feeds.ts';

const FEED_URL = new URL('https://feeds.example/cast/rss.xml');

describe('a feed with', () => {
  it.each(ODD_FEEDS)('$about', async ({ feed, contentType = null, titles, first: firstEpisode, head: feedFields }) => {
    const bytes = typeof feed === 'string' ? Buffer.from(feed) : feed;
    if (titles === null)
      return void (await expect(parseFeed(bytes, contentType, FEED_URL)).rejects.toThrow(UnreadableFeed));
    const parsedFeed = await parseFeed(bytes, contentType, FEED_URL);
    expect(parsedFeed.episodes.map(({ title }) => title)).toEqual(titles);
    if (firstEpisode) expect(parsedFeed.episodes[0]).toMatchObject(firstEpisode);
    if (feedFields) expect(parsedFeed).toMatchObject(feedFields);
  });
});
