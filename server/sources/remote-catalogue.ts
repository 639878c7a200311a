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
import { bindContext } from '../runtime/bind-context.ts';

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

export function createRemoteCatalogue(deps: RemoteCatalogueDeps) {
  const context = createContext(deps);
  context.settings.onChange(CATALOGUE_SETTINGS, () => {
    context.searches.clear();
    context.cachedStatus = undefined;
  });
  return bindContext(context, { assertInUse, status, search, recall, resolve, download, cover, whyOff, assertOn });
}

type Context = ReturnType<typeof createContext>;

function createContext({ settings, version, now, findTool, tmpDir, ...deps }: RemoteCatalogueDeps) {
  const pace = { ...DEFAULT_PACE, ...deps.pace };
  const commonDeps = { settings, pace, now, userAgent: () => userAgentOf(version, settings.get('CONTACT')) };
  const providers: Record<'ia' | 'ext' | 'sub', CatalogueProvider> = {
    ia: createInternetArchive(commonDeps),
    ext: createExtractor({ ...commonDeps, findTool, tmpDir }),
    sub: createSubsonicCatalogue(commonDeps),
  };
  const searches = new Map<string, Cached<RemoteHit[]>>();
  const hits = new Map<string, RemoteHit>();
  return {
    settings,
    now,
    pace,
    providers,
    searches,
    hits,
    cachedStatus: undefined as Cached<{ ok: boolean; detail: string }> | undefined,
  };
}

const current = ({ providers, settings }: Context): CatalogueProvider => providers[settings.get('STREAMSRC_PROVIDER')];

/** Returns why the catalogue cannot be used; undefined if it can. */
function whyOff(context: Context): string | undefined {
  if (!context.settings.get('STREAMSRC_ENABLED')) return 'The remote catalogue is switched off.';
  return current(context).whyNot();
}

function assertOn(context: Context): void {
  const reason = whyOff(context);
  if (reason !== undefined) throw conflict(reason);
}

async function check(context: Context): Promise<{ ok: boolean; detail: string }> {
  try {
    return { ok: true, detail: await current(context).check(AbortSignal.timeout(context.pace.checkMs)) };
  } catch (error) {
    return { ok: false, detail: error instanceof CatalogueError ? error.message : 'No response in time.' };
  }
}

async function searchCatalogue(context: Context, query: string, limit: number): Promise<RemoteHit[]> {
  const { name, search } = current(context);
  const timeout = AbortSignal.timeout(context.pace.searchMs);
  try {
    const results = await search(query, { limit, signal: timeout });
    return results.map((hit) => remember(context, { ...hit, sourceId: `${name}:${hit.id}` }));
  } catch (error) {
    throw timeout.aborted
      ? new CatalogueError('timeout', `No response within ${context.pace.searchMs / 1_000} s.`, { cause: error })
      : error;
  }
}

function remember(context: Context, hit: RemoteHit): RemoteHit {
  context.hits.delete(hit.sourceId);
  if (context.hits.size >= MAX_CACHED_HITS) context.hits.delete(context.hits.keys().next().value as string);
  context.hits.set(hit.sourceId, hit);
  return hit;
}

/** Returns the catalogue's own id. Throws CatalogueError if the id does not belong to the catalogue in use. */
function idOf(context: Context, sourceId: string): string {
  const { name, isId } = current(context);
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

/** Throws `conflict` if the catalogue is off, or if the id belongs to another catalogue than the one in use. */
function assertInUse(context: Context, sourceId: string): void {
  assertOn(context);
  try {
    idOf(context, sourceId);
  } catch (error) {
    throw toAppError(error);
  }
}

/** Returns whether the catalogue responds, and a description; checked at most once a minute. */
function status(context: Context): Promise<{ ok: boolean; detail: string }> {
  if (!context.cachedStatus || context.cachedStatus.until < context.now().getTime())
    context.cachedStatus = { answer: check(context), until: context.now().getTime() + MAX_CHECK_AGE_MS };
  return context.cachedStatus.answer;
}

/**
 * Searches the catalogue; best matches first. Throws `conflict` if the catalogue is off, CatalogueError if it fails
 * or takes too long.
 */
async function search(context: Context, query: string, limit: number): Promise<RemoteHit[]> {
  assertOn(context);
  const key = `${context.settings.get('STREAMSRC_PROVIDER')} ${limit} ${query.trim().toLowerCase()}`;
  const cachedSearch = context.searches.get(key);
  if (cachedSearch && cachedSearch.until > context.now().getTime()) return cachedSearch.answer;
  context.searches.delete(key);
  if (context.searches.size >= MAX_CACHED_SEARCHES)
    context.searches.delete(context.searches.keys().next().value as string);
  const answer = searchCatalogue(context, query.trim(), limit); // simultaneous equal searches share one request
  context.searches.set(key, { answer, until: context.now().getTime() + MAX_SEARCH_AGE_MS });
  answer.catch(() => {
    if (context.searches.get(key)?.answer === answer) context.searches.delete(key);
  });
  return answer;
}

/** Returns the remembered hit with this id. */
const recall = ({ hits }: Context, sourceId: string): RemoteHit | undefined => hits.get(sourceId);

async function resolve(context: Context, sourceId: string): Promise<RemoteHit> {
  const cachedHit = context.hits.get(sourceId);
  return (
    cachedHit ??
    remember(context, {
      ...(await current(context).resolve({ id: idOf(context, sourceId) }, AbortSignal.timeout(context.pace.requestMs))),
      sourceId,
    })
  );
}

/** Downloads a hit. Throws CatalogueError, the signal's reason, or an error of the file system. */
async function download(
  context: Context,
  { sourceId, pageUrl }: { sourceId: string; pageUrl: string | null },
  dir: string,
  options: DownloadOptions,
): Promise<string> {
  const reason = whyOff(context);
  if (reason !== undefined) throw new CatalogueError('misconfigured', reason);
  return current(context).download({ id: idOf(context, sourceId), pageUrl: pageUrl ?? undefined }, dir, options);
}

/** Returns the bytes of a picture, not validated; undefined if the catalogue is off or fails. */
async function cover(context: Context, url: string): Promise<Uint8Array | undefined> {
  if (whyOff(context) !== undefined) return undefined;
  return current(context)
    .cover(url, AbortSignal.timeout(context.pace.requestMs))
    .catch(() => undefined);
}

/** Returns the message of a failed search. */
export const searchFault = (error: unknown): string =>
  error instanceof CatalogueError ? error.message : messageOf(error);
