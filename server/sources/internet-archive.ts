// The Internet Archive as a catalogue. Its search finds items, which contain tracks; the items are requested one by one
// and cached, since the archive limits the request rate.
import { createReadStream } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { LiveSettings } from '../config/live-settings.ts';
import { CatalogueError, type CatalogueHit, type CatalogueProvider } from './catalogue.ts';
import { findFile, IaItem, IaSearch, isSafeName, searchWords, tracksOf } from './internet-archive-items.ts';
import { createProviderHttp, deletePartialFile, type CataloguePace } from './provider-http.ts';

const DEFAULT_BASE_URL = 'https://archive.org';
const MAX_SEARCHED_ITEMS = 5;
const MAX_CACHED_ITEMS = 300;
const MAX_ITEM_AGE_MS = 3_600_000;
const IDENTIFIER = /^[A-Za-z0-9][\w.-]{0,100}$/;

interface InternetArchiveDeps {
  settings: LiveSettings;
  userAgent: () => string;
  pace: CataloguePace;
  now: () => Date;
}

export function createInternetArchive({ settings, userAgent, pace, now }: InternetArchiveDeps): CatalogueProvider {
  const base = (): URL => new URL(`${settings.get('STREAMSRC_BASE_URL') ?? DEFAULT_BASE_URL}/`);
  const http = createProviderHttp({ base, userAgent, pace });
  const cachedItems = new Map<string, { item: IaItem; until: number }>();

  const urlOf = (path: string): URL => new URL(path, base());
  const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

  async function itemOf(identifier: string, signal: AbortSignal, isFresh = false): Promise<IaItem> {
    const url = urlOf(`metadata/${encodeURIComponent(identifier)}`);
    const cached = cachedItems.get(url.href);
    if (!isFresh && cached && cached.until > now().getTime()) return cached.item;
    const item = IaItem.parse(await http.json(url, signal));
    if (cachedItems.size >= MAX_CACHED_ITEMS) cachedItems.delete(cachedItems.keys().next().value as string);
    if (item.metadata) cachedItems.set(url.href, { item, until: now().getTime() + MAX_ITEM_AGE_MS });
    return item;
  }

  const hitsOf = (item: IaItem, identifier: string): CatalogueHit[] =>
    tracksOf(item, {
      coverUrl: urlOf(`services/img/${encodeURIComponent(identifier)}`).href,
      pageUrl: urlOf(`details/${encodeURIComponent(identifier)}`).href,
    });

  async function search(
    query: string,
    { limit, signal }: { limit: number; signal: AbortSignal },
  ): Promise<CatalogueHit[]> {
    const words = searchWords(query);
    const url = urlOf('advancedsearch.php');
    const params: [string, string][] = [
      ['q', `mediatype:audio AND (title:(${words}) OR creator:(${words}))`],
      ['fl[]', 'identifier'],
      ['sort[]', 'downloads desc'],
      ['rows', String(Math.min(MAX_SEARCHED_ITEMS, limit))],
      ['page', '1'],
      ['output', 'json'],
    ];
    url.search = new URLSearchParams(params).toString();
    const result = IaSearch.safeParse(await http.json(url, signal));
    if (!result.success)
      throw new CatalogueError('unavailable', `The response of ${url.host} is invalid.`, {
        cause: result.error,
      });
    const identifiers = result.data.response.docs
      .map(({ identifier }) => identifier)
      .filter((text) => IDENTIFIER.test(text));
    const items = await Promise.all(
      identifiers.map((identifier) =>
        itemOf(identifier, signal).then((item) => hitsOf(item, identifier), asOneOfSeveral),
      ),
    );
    const hits = items.filter((item) => Array.isArray(item)).flat();
    if (hits.length === 0 && identifiers.length > 0) {
      // nothing was found because no item could be read
      for (const item of items) if (!Array.isArray(item)) throw item.error;
    }
    return sortByMatch(hits, query).slice(0, limit);
  }

  async function fileOf(id: string, signal: AbortSignal) {
    const [identifier, name] = split(id);
    const item = await itemOf(identifier, signal, true); // uncached, since the file may have changed
    if (item.is_dark) throw new CatalogueError('forbidden', 'The Internet Archive has removed it.');
    const file = findFile(item, name);
    if (!item.metadata || !file) throw new CatalogueError('not_found', 'The Internet Archive no longer has it.');
    if (file.private === 'true')
      throw new CatalogueError('forbidden', 'The Internet Archive only allows it to be played on its own site.');
    return { identifier, item, file };
  }

  return {
    name: 'ia',
    whyNot: () => undefined,
    isId: (id) => IDENTIFIER.test(split(id)[0]) && isSafeName(split(id)[1]),

    async check(signal) {
      const url = urlOf('advancedsearch.php');
      url.search = new URLSearchParams([
        ['q', 'mediatype:audio'],
        ['rows', '0'],
        ['output', 'json'],
      ]).toString();
      await http.json(url, signal);
      return `Internet Archive (${url.host})`;
    },

    search,

    async resolve({ id }, signal) {
      const { identifier, item } = await fileOf(id, signal);
      const hit = hitsOf(item, identifier).find((candidate) => candidate.id === id);
      if (!hit)
        throw new CatalogueError(
          'not_found',
          'The Internet Archive now has it in another format. Search for it again.',
        );
      return hit;
    },

    async download({ id }, dir, options) {
      const { identifier, file } = await fileOf(id, options.signal);
      const path = join(dir, 'item');
      await http.save(urlOf(`download/${encodeURIComponent(identifier)}/${encodePath(file.name)}`), path, {
        ...options,
        expectedBytes: Number(file.size) || undefined,
      });
      if (file.md5 !== undefined && (await md5Of(path, options.signal)) !== file.md5.toLowerCase()) {
        await deletePartialFile(path);
        throw new CatalogueError('unavailable', 'The checksum of the download is wrong; it is restarted.');
      }
      return path;
    },

    cover: (url, signal) => http.picture(new URL(url), signal),
  };
}

const split = (id: string): [identifier: string, name: string] => {
  const slash = id.indexOf('/');
  return slash < 0 ? ['', ''] : [id.slice(0, slash), id.slice(slash + 1)];
};

/** Returns an error as a result: an item that fails or times out does not affect the others. */
const asOneOfSeveral = (error: unknown): { error: unknown } => ({ error });

/** Sorts hits: tracks whose title matches come before those whose album or artist matches. */
function sortByMatch(hits: CatalogueHit[], query: string): CatalogueHit[] {
  const words = query.toLowerCase().split(/\s+/);
  const mismatchOf = (text: string): number => (words.every((word) => text.toLowerCase().includes(word)) ? 0 : 1);
  return hits.toSorted(
    (a, b) =>
      mismatchOf(a.title) - mismatchOf(b.title) ||
      mismatchOf(`${a.title} ${a.artist ?? ''}`) - mismatchOf(`${b.title} ${b.artist ?? ''}`),
  );
}

async function md5Of(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('md5');
  await pipeline(createReadStream(path), hash, { signal });
  return hash.digest('hex');
}
