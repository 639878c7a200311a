// The source `streamsrc`: the catalogue in use, with time limits and results cached for minutes. Hits are remembered,
// because only results of this server's own searches can be downloaded.
import type { WatchedSettings } from '../config/live-settings.ts';
import { SETTING_NAMES } from '../config/settings.ts';
import { conflict, messageOf } from '../errors.ts';
import type { FindTool } from '../media/tools.ts';
import { userAgentOf } from '../outbound/user-agent.ts';
import {
  CatalogueError,
  toAppError,
  type CatalogueHit,
  type CatalogueProvider,
  type DownloadOptions,
} from './catalogue.ts';
import { createExtractor } from './extractor.ts';
import { createInternetArchive } from './internet-archive.ts';
import type { CataloguePace } from './provider-http.ts';
import { createSubsonicCatalogue } from './subsonic-catalogue.ts';

export const STREAMSRC = 'streamsrc';
const CATALOGUE_SETTINGS = SETTING_NAMES.filter((name) => name.startsWith('STREAMSRC_'));

/** The Internet Archive wants about one request per second; a search makes a few at once, then none for minutes. */
const DEFAULT_PACE: CataloguePace = {
  perSecond: 2,
  checkMs: 4_000,
  searchMs: 5_000,
  requestMs: 30_000,
  stallMs: 30_000,
  downloadMs: 3_600_000,
};
const MAX_CHECK_AGE_MS = 60_000;
const MAX_SEARCH_AGE_MS = 5 * 60_000;
const MAX_CACHED_SEARCHES = 200;
const MAX_CACHED_HITS = 5_000;

/** A hit with its id in the library. */
export interface RemoteHit extends CatalogueHit {
  sourceId: string;
}

interface RemoteCatalogueDeps {
  settings: WatchedSettings;
  version: string;
  now: () => Date;
  findTool: FindTool;
  tmpDir: string;
  /** Overrides the limits in tests. */
  pace?: Partial<CataloguePace>;
}

export type RemoteCatalogue = ReturnType<typeof createRemoteCatalogue>;

interface Cached<T> {
  answer: Promise<T>;
  until: number;
}

export function createRemoteCatalogue({ settings, version, now, findTool, tmpDir, ...deps }: RemoteCatalogueDeps) {
  const pace = { ...DEFAULT_PACE, ...deps.pace };
  const commonDeps = { settings, pace, now, userAgent: () => userAgentOf(version, settings.get('CONTACT')) };
  const providers: Record<'ia' | 'ext' | 'sub', CatalogueProvider> = {
    ia: createInternetArchive(commonDeps),
    ext: createExtractor({ ...commonDeps, findTool, tmpDir }),
    sub: createSubsonicCatalogue(commonDeps),
  };
  const current = (): CatalogueProvider => providers[settings.get('STREAMSRC_PROVIDER')];

  const searches = new Map<string, Cached<RemoteHit[]>>();
  const hits = new Map<string, RemoteHit>();
  let cachedStatus: Cached<{ ok: boolean; detail: string }> | undefined;
  settings.onChange(CATALOGUE_SETTINGS, () => {
    searches.clear();
    cachedStatus = undefined;
  });

  /** Returns why the catalogue cannot be used; undefined if it can. */
  function whyOff(): string | undefined {
    if (!settings.get('STREAMSRC_ENABLED')) return 'The remote catalogue is switched off (STREAMSRC_ENABLED).';
    return current().whyNot();
  }

  function assertOn(): void {
    const reason = whyOff();
    if (reason !== undefined) throw conflict(reason);
  }

  async function check(): Promise<{ ok: boolean; detail: string }> {
    try {
      return { ok: true, detail: await current().check(AbortSignal.timeout(pace.checkMs)) };
    } catch (error) {
      return { ok: false, detail: error instanceof CatalogueError ? error.message : 'No response in time.' };
    }
  }

  async function searchCatalogue(query: string, limit: number): Promise<RemoteHit[]> {
    const { name, search } = current();
    const timeout = AbortSignal.timeout(pace.searchMs);
    try {
      const results = await search(query, { limit, signal: timeout });
      return results.map((hit) => remember({ ...hit, sourceId: `${name}:${hit.id}` }));
    } catch (error) {
      throw timeout.aborted
        ? new CatalogueError('timeout', `No response within ${pace.searchMs / 1_000} s.`, { cause: error })
        : error;
    }
  }

  function remember(hit: RemoteHit): RemoteHit {
    hits.delete(hit.sourceId);
    if (hits.size >= MAX_CACHED_HITS) hits.delete(hits.keys().next().value as string);
    hits.set(hit.sourceId, hit);
    return hit;
  }

  /** Returns the catalogue's own id. Throws CatalogueError if the id does not belong to the catalogue in use. */
  function idOf(sourceId: string): string {
    const { name, isId } = current();
    if (!sourceId.startsWith(`${name}:`)) {
      const [provider, ...idParts] = sourceId.split(':');
      throw new CatalogueError(
        'misconfigured',
        idParts.length === 0
          ? `“${sourceId.slice(0, 100)}” is no id of a catalogue; one of “${name}” begins with “${name}:”.`
          : `It comes from the catalogue “${provider?.slice(0, 100)}”, and “${name}” is the one in use ` +
              '(STREAMSRC_PROVIDER).',
      );
    }
    const id = sourceId.slice(name.length + 1);
    if (!isId(id)) throw new CatalogueError('not_found', `“${id.slice(0, 100)}” is no id of the catalogue “${name}”.`);
    return id;
  }

  return {
    whyOff,
    /** Throws `conflict` with the reason if the catalogue is off. */
    assertOn,

    /** Throws `conflict` if the catalogue is off, or if the id belongs to another catalogue than the one in use. */
    assertInUse(sourceId: string): void {
      assertOn();
      try {
        idOf(sourceId);
      } catch (error) {
        throw toAppError(error);
      }
    },

    /** Returns whether the catalogue responds, and a description; checked at most once a minute. */
    status(): Promise<{ ok: boolean; detail: string }> {
      if (!cachedStatus || cachedStatus.until < now().getTime())
        cachedStatus = { answer: check(), until: now().getTime() + MAX_CHECK_AGE_MS };
      return cachedStatus.answer;
    },

    /**
     * Searches the catalogue; best matches first. Throws `conflict` if the catalogue is off, CatalogueError if it fails
     * or takes too long.
     */
    async search(query: string, limit: number): Promise<RemoteHit[]> {
      assertOn();
      const key = `${settings.get('STREAMSRC_PROVIDER')} ${limit} ${query.trim().toLowerCase()}`;
      const cachedSearch = searches.get(key);
      if (cachedSearch && cachedSearch.until > now().getTime()) return cachedSearch.answer;
      searches.delete(key);
      if (searches.size >= MAX_CACHED_SEARCHES) searches.delete(searches.keys().next().value as string);
      const answer = searchCatalogue(query.trim(), limit); // simultaneous equal searches share one request
      searches.set(key, { answer, until: now().getTime() + MAX_SEARCH_AGE_MS });
      answer.catch(() => {
        if (searches.get(key)?.answer === answer) searches.delete(key);
      });
      return answer;
    },

    /** Returns the remembered hit with this id. */
    recall: (sourceId: string): RemoteHit | undefined => hits.get(sourceId),

    async resolve(sourceId: string): Promise<RemoteHit> {
      const cachedHit = hits.get(sourceId);
      return (
        cachedHit ??
        remember({
          ...(await current().resolve({ id: idOf(sourceId) }, AbortSignal.timeout(pace.requestMs))),
          sourceId,
        })
      );
    },

    /** Downloads a hit. Throws CatalogueError, the signal's reason, or an error of the file system. */
    async download(
      { sourceId, pageUrl }: { sourceId: string; pageUrl: string | null },
      dir: string,
      options: DownloadOptions,
    ): Promise<string> {
      const reason = whyOff();
      if (reason !== undefined) throw new CatalogueError('misconfigured', reason);
      return current().download({ id: idOf(sourceId), pageUrl: pageUrl ?? undefined }, dir, options);
    },

    /** Returns the bytes of a picture, not validated; undefined if the catalogue is off or fails. */
    async cover(url: string): Promise<Uint8Array | undefined> {
      if (whyOff() !== undefined) return undefined;
      return current()
        .cover(url, AbortSignal.timeout(pace.requestMs))
        .catch(() => undefined);
    },
  };
}

/** Returns the message of a failed search. */
export const searchFault = (error: unknown): string =>
  error instanceof CatalogueError ? error.message : messageOf(error);
