import { describe, expect, it } from 'vitest';
import { parseFeed, UnreadableFeed } from '../../../server/podcasts/feed.ts';
import { ODD_FEEDS } from '../../support/odd-feeds.ts';

const AT = new URL('https://feeds.example/cast/rss.xml');

describe('a feed with', () => {
  it.each(ODD_FEEDS)('$about', async ({ feed, contentType = null, titles, first, head }) => {
    const bytes = typeof feed === 'string' ? Buffer.from(feed) : feed;
    if (titles === null) return void (await expect(parseFeed(bytes, contentType, AT)).rejects.toThrow(UnreadableFeed));
    const read = await parseFeed(bytes, contentType, AT);
    expect(read.episodes.map(({ title }) => title)).toEqual(titles);
    if (first) expect(read.episodes[0]).toMatchObject(first);
    if (head) expect(read).toMatchObject(head);
  });
});
