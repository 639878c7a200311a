// The source `streamsrc`: the catalogue in use, with time limits and results cached for minutes. Hits are remembered,
// so that only results of this server's own searches can be downloaded.
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
import { createExt } from './extractor.ts';
import { createIa } from './internet-archive.ts';
import type { CataloguePace } from './provider-http.ts';
import { createSub } from './subsonic-catalogue.ts';

export const STREAMSRC = 'streamsrc';
const SETTINGS_IN_USE = SETTING_NAMES.filter((name) => name.startsWith('STREAMSRC_'));

/** The archive wants about one request per second; a search makes a few at once, then none for minutes. */
const PACE: CataloguePace = {
  perSecond: 2,
  checkMs: 4_000,
  searchMs: 5_000,
  requestMs: 30_000,
  stallMs: 30_000,
  downloadMs: 3_600_000,
};
const KEEP_CHECK_MS = 60_000;
const KEEP_SEARCH_MS = 5 * 60_000;
const MOST_SEARCHES = 200;
const MOST_HITS = 5_000;

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
  /** For tests. */
  pace?: Partial<CataloguePace>;
}

export type RemoteCatalogue = ReturnType<typeof createRemoteCatalogue>;

interface Kept<T> {
  answer: Promise<T>;
  until: number;
}

export function createRemoteCatalogue({ settings, version, now, findTool, tmpDir, ...deps }: RemoteCatalogueDeps) {
  const pace = { ...PACE, ...deps.pace };
  const common = { settings, pace, now, userAgent: () => userAgentOf(version, settings.get('CONTACT')) };
  const providers: Record<'ia' | 'ext' | 'sub', CatalogueProvider> = {
    ia: createIa(common),
    ext: createExt({ ...common, findTool, tmpDir }),
    sub: createSub(common),
  };
  const current = (): CatalogueProvider => providers[settings.get('STREAMSRC_PROVIDER')];

  const searches = new Map<string, Kept<RemoteHit[]>>();
  const hits = new Map<string, RemoteHit>();
  let checked: Kept<{ ok: boolean; detail: string }> | undefined;
  settings.onChange(SETTINGS_IN_USE, () => {
    searches.clear();
    checked = undefined;
  });

  /** Why the catalogue cannot be used. */
  function whyOff(): string | undefined {
    if (!settings.get('STREAMSRC_ENABLED')) return 'The remote catalogue is switched off (STREAMSRC_ENABLED).';
    return current().whyNot();
  }

  function assertOn(): void {
    const why = whyOff();
    if (why !== undefined) throw conflict(why);
  }

  async function check(): Promise<{ ok: boolean; detail: string }> {
    try {
      return { ok: true, detail: await current().check(AbortSignal.timeout(pace.checkMs)) };
    } catch (error) {
      return { ok: false, detail: error instanceof CatalogueError ? error.message : 'No response in time.' };
    }
  }

  async function ask(query: string, limit: number): Promise<RemoteHit[]> {
    const { name, search } = current();
    const limited = AbortSignal.timeout(pace.searchMs);
    try {
      const found = await search(query, { limit, signal: limited });
      return found.map((hit) => remember({ ...hit, sourceId: `${name}:${hit.id}` }));
    } catch (error) {
      throw limited.aborted
        ? new CatalogueError('timeout', `No response within ${pace.searchMs / 1_000} s.`, { cause: error })
        : error;
    }
  }

  function remember(hit: RemoteHit): RemoteHit {
    hits.delete(hit.sourceId);
    if (hits.size >= MOST_HITS) hits.delete(hits.keys().next().value as string);
    hits.set(hit.sourceId, hit);
    return hit;
  }

  /** The catalogue's id. Throws CatalogueError if it is none of the catalogue in use. */
  function idOf(sourceId: string): string {
    const { name, isId } = current();
    if (!sourceId.startsWith(`${name}:`)) {
      const [other, ...rest] = sourceId.split(':');
      throw new CatalogueError(
        'misconfigured',
        rest.length === 0
          ? `“${sourceId.slice(0, 100)}” is no id of a catalogue; one of “${name}” begins with “${name}:”.`
          : `It comes from the catalogue “${other?.slice(0, 100)}”, and “${name}” is the one in use ` +
              '(STREAMSRC_PROVIDER).',
      );
    }
    const id = sourceId.slice(name.length + 1);
    if (!isId(id)) throw new CatalogueError('not_found', `“${id.slice(0, 100)}” is no id of the catalogue “${name}”.`);
    return id;
  }

  return {
    whyOff,
    /** Throws `conflict` with the reason if it is off. */
    assertOn,

    /** Throws `conflict` also if the id belongs to another catalogue than the one in use. */
    assertInUse(sourceId: string): void {
      assertOn();
      try {
        idOf(sourceId);
      } catch (error) {
        throw toAppError(error);
      }
    },

    /** Whether it responds, and a description; checked at most once a minute. */
    status(): Promise<{ ok: boolean; detail: string }> {
      if (!checked || checked.until < now().getTime())
        checked = { answer: check(), until: now().getTime() + KEEP_CHECK_MS };
      return checked.answer;
    },

    /** Best matches first. Throws `conflict` if it is off, CatalogueError if it fails or takes too long. */
    async search(query: string, limit: number): Promise<RemoteHit[]> {
      assertOn();
      const key = `${settings.get('STREAMSRC_PROVIDER')} ${limit} ${query.trim().toLowerCase()}`;
      const known = searches.get(key);
      if (known && known.until > now().getTime()) return known.answer;
      searches.delete(key);
      if (searches.size >= MOST_SEARCHES) searches.delete(searches.keys().next().value as string);
      const answer = ask(query.trim(), limit); // shared by simultaneous equal searches
      searches.set(key, { answer, until: now().getTime() + KEEP_SEARCH_MS });
      answer.catch(() => {
        if (searches.get(key)?.answer === answer) searches.delete(key);
      });
      return answer;
    },

    /** The remembered hit with this id. */
    recall: (sourceId: string): RemoteHit | undefined => hits.get(sourceId),

    async resolve(sourceId: string): Promise<RemoteHit> {
      const known = hits.get(sourceId);
      return (
        known ??
        remember({
          ...(await current().resolve({ id: idOf(sourceId) }, AbortSignal.timeout(pace.requestMs))),
          sourceId,
        })
      );
    },

    /** Throws CatalogueError, the signal's reason, or an error of the file system. */
    async download(
      { sourceId, pageUrl }: { sourceId: string; pageUrl: string | null },
      dir: string,
      options: DownloadOptions,
    ): Promise<string> {
      const why = whyOff();
      if (why !== undefined) throw new CatalogueError('misconfigured', why);
      return current().download({ id: idOf(sourceId), pageUrl: pageUrl ?? undefined }, dir, options);
    },

    /** The bytes of a picture, not validated; undefined if the catalogue is off or fails. */
    async cover(url: string): Promise<Uint8Array | undefined> {
      if (whyOff() !== undefined) return undefined;
      return current()
        .cover(url, AbortSignal.timeout(pace.requestMs))
        .catch(() => undefined);
    },
  };
}

/** The message of a failed search. */
export const searchFault = (error: unknown): string =>
  error instanceof CatalogueError ? error.message : messageOf(error);
