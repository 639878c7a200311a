// Clients of Wikidata, Wikipedia and Wikimedia Commons. They share a rate limit, because they share servers. What one
// service says about a subject is taken only if it agrees with the service that led to it.
import { z } from 'zod';
import type { LiveSettings } from '../config/live-settings.ts';
import type { AboutText, PictureCredit, SubjectKind } from '../db/schema.ts';
import { plainText } from '../media/text.ts';
import { createBreaker } from '../outbound/breaker.ts';
import { guardedFetch } from '../outbound/guarded-fetch.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { createServiceClient, ServiceError, type ServiceClient } from '../outbound/service-client.ts';
import { createTokenBucket, waitFor } from '../outbound/token-bucket.ts';
import { httpUrl, listOf, textOfHtml } from './untrusted-text.ts';
import { LANGUAGES } from './texts.ts';
import { bindContext } from '../runtime/bind-context.ts';

const MAX_TEXT_CHARACTERS = 20_000;
const MAX_PICTURE_BYTES = 20 << 20;
const PICTURE_WIDTH_PX = 1_200;
const PICTURE_TIMEOUT_MS = 30_000;
const MAX_CANDIDATES = 30;
const BREAKER_NAMES = ['wikidata', 'wikipedia', 'commons', 'pictures'] as const;

/** The Wikidata property with the mbid of the subject. It confirms that both services describe the same subject. */
const MBID_CLAIMS: Record<SubjectKind, string> = { artist: 'P434', 'release-group': 'P436', label: 'P966' };
const [IMAGE, LOGO, CATEGORY, INSTANCE_OF] = ['P18', 'P154', 'P373', 'P31'];
/** Wikidata types of pages that describe no subject: disambiguation pages and lists. */
const NON_SUBJECT_TYPES = new Set(['Q4167410', 'Q13406463']);

const Claim = z.object({
  rank: z.enum(['preferred', 'normal', 'deprecated']).catch('normal'),
  mainsnak: z.object({
    datavalue: z.object({ value: z.union([z.string().max(2_000), z.object({ id: z.string().max(20) })]) }),
  }),
});
/** A schema for an object by key. MediaWiki sends an empty object as an empty list. */
const recordOf = <T extends z.ZodType>(entry: T) =>
  z.union([z.record(z.string(), entry), z.tuple([]).transform((): Record<string, z.output<T>> => ({}))]);
const Absent = z.object({ missing: z.unknown().refine((value) => value !== undefined) });
const Item = z.object({
  id: z.string().regex(/^Q\d+$/),
  claims: recordOf(listOf(Claim, 50)),
  sitelinks: recordOf(z.object({ title: z.string().min(1).max(500) })),
});
const WikidataAnswer = z.object({ entities: z.record(z.string(), z.unknown()) });
/** Error codes for a page or entity that does not exist. */
const NOT_FOUND_CODE = /^(?:no-such-entity|invalidtitle|missingtitle|invalidcategory)$/;
const ApiFault = z.object({ error: z.object({ code: z.string() }) });
const Page = z.object({
  title: z.string().min(1).max(500),
  missing: z.unknown().optional(),
  extract: z.string().optional(),
  pageprops: z.object({ wikibase_item: z.string().optional(), disambiguation: z.unknown().optional() }).optional(),
});
const Pages = <T extends z.ZodType>(page: T) => z.object({ query: z.object({ pages: listOf(page, 100) }).optional() });

const meta = z
  .object({ value: z.union([z.string(), z.number()]).transform(String) })
  .nullish()
  .catch(undefined)
  .transform((field) => (field ? textOfHtml(field.value) : null));
const link = z
  .object({ value: z.string() })
  .nullish()
  .catch(undefined)
  .transform((field) => (field ? httpUrl(field.value) : undefined));
const FilePage = z.object({
  title: z.string().max(500),
  imageinfo: listOf(
    z.object({
      thumburl: z.string().max(2_000),
      width: z.int().positive().nullish().catch(undefined),
      height: z.int().positive().nullish().catch(undefined),
      mime: z.string().catch(''),
      descriptionurl: z.string().optional().catch(undefined),
      extmetadata: z.object({
        Artist: meta,
        Attribution: meta,
        Credit: meta,
        LicenseShortName: meta,
        LicenseUrl: link,
        NonFree: meta,
      }),
    }),
    1,
  ),
});

/** A picture on Commons that may be shown. */
export interface CommonsFile {
  /** The name of the file, without `File:`. */
  name: string;
  /** Address of a scaled copy of the picture that is large enough to show. */
  url: string;
  width: number | null;
  height: number | null;
  credit: PictureCredit;
}
interface WikidataItem {
  id: string;
  files: string[];
  category: string | null;
  /** Titles of the Wikipedia articles, by language. */
  articles: Map<string, string>;
}

interface WikimediaDeps {
  settings: LiveSettings;
  userAgent: () => string;
  perSecond: number;
  now: () => Date;
}

export type Wikimedia = ReturnType<typeof createWikimedia>;

/** Creates the clients. Their methods throw a ServiceError, or the reason of `signal`. */
export function createWikimedia(deps: WikimediaDeps) {
  const context = createContext(deps) as Context;
  context.wikidata = client(context, 'Wikidata', 'wikidata', () => context.settings.get('WIKIDATA_BASE_URL'));
  context.commons = client(context, 'Wikimedia Commons', 'commons', () => context.settings.get('COMMONS_BASE_URL'));
  context.wikipedias = new Map(
    LANGUAGES.map((language) => [
      language as string,
      client(context, 'Wikipedia', 'wikipedia', () => wikipediaUrl(context, language)),
    ]),
  );

  return bindContext(context, { reset, findItem, findText, findFiles, listCategory, download });
}

interface Context extends ReturnType<typeof createContext> {
  wikidata: ServiceClient;
  commons: ServiceClient;
  wikipedias: Map<string, ServiceClient>;
}

function createContext({ settings, userAgent, perSecond, now }: WikimediaDeps) {
  const bucket = createTokenBucket({ perSecond });
  const breakers = Object.fromEntries(
    BREAKER_NAMES.map((name) => [name, createBreaker({ now: () => now().getTime() })]),
  ) as Record<(typeof BREAKER_NAMES)[number], ReturnType<typeof createBreaker>>;
  return { settings, userAgent, bucket, breakers };
}

const client = (
  { breakers, userAgent, bucket }: Context,
  name: string,
  breaker: keyof Context['breakers'],
  baseUrl: () => string,
): ServiceClient =>
  createServiceClient({ name, baseUrl, userAgent, bucket, breaker: breakers[breaker], wait: waitFor, saysBusy });

const wikipediaUrl = ({ settings }: Context, language: string): string =>
  settings.get('WIKIPEDIA_BASE_URL').replaceAll('{language}', language);

async function request<T extends z.ZodType>(
  service: ServiceClient,
  params: Record<string, string>,
  shape: T,
  signal: AbortSignal,
): Promise<z.output<T> | undefined> {
  const query = new URLSearchParams({ ...params, format: 'json', formatversion: '2' });
  const { status, body } = await service({ path: `/w/api.php?${query.toString()}` }, signal);
  const fault = ApiFault.safeParse(body).data?.error.code;
  if (fault !== undefined && NOT_FOUND_CODE.test(fault)) return undefined;
  const parsed = status === 200 && fault === undefined ? shape.safeParse(body) : undefined;
  if (!parsed?.success)
    throw new ServiceError('unreachable', `A Wikimedia service sent an invalid answer (${status}).`);
  return parsed.data;
}

async function files(context: Context, params: Record<string, string>, signal: AbortSignal): Promise<CommonsFile[]> {
  const answer = await request(
    context.commons,
    {
      ...params,
      action: 'query',
      prop: 'imageinfo',
      iiprop: 'url|size|mime|extmetadata',
      iiurlwidth: String(PICTURE_WIDTH_PX),
      iiextmetadatafilter: 'Artist|Attribution|Credit|LicenseShortName|LicenseUrl|NonFree',
    },
    Pages(FilePage),
    signal,
  );
  if (answer && !answer.query && 'titles' in params)
    throw new ServiceError('unreachable', 'Wikimedia Commons sent an answer without the files.');
  return (answer?.query?.pages ?? []).flatMap(({ title, imageinfo: [info] }) => {
    const data = info?.extmetadata;
    const url = info && httpUrl(info.thumburl);
    if (!info || !data || url === undefined || !info.mime.startsWith('image/')) return [];
    // the license forbids showing the picture
    if (data.LicenseShortName === null || data.NonFree === 'true') return [];
    return [
      {
        name: title.replace(/^[^:]*:/, ''),
        url,
        width: info.width ?? null,
        height: info.height ?? null,
        credit: {
          author: data.Attribution ?? data.Artist ?? data.Credit,
          licence: data.LicenseShortName,
          licenceUrl: data.LicenseUrl ?? null,
          pageUrl: httpUrl(info.descriptionurl ?? '') ?? null,
        },
      },
    ];
  });
}

/** Resets the circuit breakers after an address was changed in the settings. */
const reset = ({ breakers }: Context): void => Object.values(breakers).forEach((breaker) => breaker.reset());

/** Returns undefined if the item does not exist, or if its claim names another mbid. */
async function findItem(
  { wikidata }: Context,
  id: string,
  { kind, mbids }: { kind: SubjectKind; mbids: readonly string[] },
  signal: AbortSignal,
): Promise<WikidataItem | undefined> {
  const answer = await request(
    wikidata,
    {
      action: 'wbgetentities',
      ids: id,
      props: 'claims|sitelinks',
      sitefilter: LANGUAGES.map((language) => `${language}wiki`).join('|'),
    },
    WikidataAnswer,
    signal,
  );
  if (!answer) return undefined;
  // the answer uses the current id of the item, which may differ from the requested one
  const [entity] = Object.values(answer.entities);
  if (Absent.safeParse(entity).success) return undefined;
  const parsed = Item.safeParse(entity);
  if (!parsed.success) throw new ServiceError('unreachable', 'Wikidata sent an invalid answer.');
  const { claims, sitelinks, id: itemId } = parsed.data;
  const valuesOf = (property = ''): string[] =>
    (claims[property] ?? [])
      .filter(({ rank }) => rank !== 'deprecated')
      .toSorted((a, b) => Number(b.rank === 'preferred') - Number(a.rank === 'preferred'))
      .map(({ mainsnak: { datavalue } }) =>
        typeof datavalue.value === 'string' ? datavalue.value : datavalue.value.id,
      );
  const back = valuesOf(MBID_CLAIMS[kind]).map((value) => value.toLowerCase());
  if (back.length > 0 && !back.some((value) => mbids.includes(value))) return undefined;
  if (valuesOf(INSTANCE_OF).some((value) => NON_SUBJECT_TYPES.has(value))) return undefined;
  return {
    id: itemId,
    files: [...valuesOf(IMAGE), ...(kind === 'label' ? valuesOf(LOGO) : [])].slice(0, 10),
    category: valuesOf(CATEGORY)[0] ?? null,
    articles: new Map(
      LANGUAGES.flatMap((language) => {
        const title = sitelinks[`${language}wiki`]?.title;
        return title === undefined ? [] : [[language, title]];
      }),
    ),
  };
}

/** Returns the beginning of an article; undefined if the article is gone or is about something else. */
async function findText(
  context: Context,
  language: string,
  title: string,
  itemIds: readonly string[],
  signal: AbortSignal,
): Promise<AboutText | undefined> {
  const service = context.wikipedias.get(language);
  if (!service) return undefined;
  const answer = await request(
    service,
    {
      action: 'query',
      prop: 'extracts|pageprops',
      exintro: '1',
      explaintext: '1',
      redirects: '1',
      ppprop: 'wikibase_item|disambiguation',
      titles: title,
    },
    Pages(Page),
    signal,
  );
  const page = answer?.query?.pages[0];
  if (!page) throw new ServiceError('unreachable', 'Wikipedia sent an answer without a page.');
  const { wikibase_item: item = '', disambiguation } = page.pageprops ?? {};
  if (page.missing !== undefined || disambiguation !== undefined || !itemIds.includes(item)) return undefined;
  const text = plainText(page.extract ?? '', MAX_TEXT_CHARACTERS)
    .replace(/\n{2,}/g, '\n')
    .trim();
  if (text === '') throw new ServiceError('unreachable', 'Wikipedia sent an article without its text.');
  const url = `${wikipediaUrl(context, language)}/wiki/${encodeURIComponent(page.title.replaceAll(' ', '_'))}`;
  return { language, text, title: page.title, url };
}

/** Returns the files that exist and may be shown, in the order of `names`. */
async function findFiles(context: Context, names: readonly string[], signal: AbortSignal): Promise<CommonsFile[]> {
  if (names.length === 0) return [];
  const namedFiles = await files(context, { titles: names.map((name) => `File:${name}`).join('|') }, signal);
  const keyOf = (name: string): string => name.replaceAll('_', ' ');
  return names.flatMap((name) => namedFiles.find((file) => keyOf(file.name) === keyOf(name)) ?? []);
}

/** Lists the pictures of a category on Commons. */
const listCategory = (context: Context, category: string, signal: AbortSignal): Promise<CommonsFile[]> =>
  files(
    context,
    {
      generator: 'categorymembers',
      gcmtitle: `Category:${category}`,
      gcmtype: 'file',
      gcmlimit: String(MAX_CANDIDATES),
    },
    signal,
  );

/** Returns the bytes of a file, without checking that they are a picture. */
async function download(
  { breakers, bucket, settings, userAgent }: Context,
  { url }: Pick<CommonsFile, 'url'>,
  signal: AbortSignal,
): Promise<Buffer> {
  const unreachable = (cause?: unknown): ServiceError =>
    new ServiceError('unreachable', 'The picture could not be fetched from Wikimedia Commons.', cause);
  const breaker = breakers.pictures;
  return bucket.run(async () => {
    if (!breaker.enter()) throw unreachable();
    try {
      const answer = await guardedFetch(new URL(url), {
        base: new URL(settings.get('COMMONS_BASE_URL')),
        timeoutMs: PICTURE_TIMEOUT_MS,
        maxBytes: MAX_PICTURE_BYTES,
        signal,
        headers: { 'user-agent': userAgent(), accept: 'image/*' },
      });
      if (answer.status === 429) bucket.pause(10_000);
      if (answer.status !== 200) throw unreachable();
      breaker.noteSuccess();
      return Buffer.from(answer.bytes);
    } catch (error) {
      const isFault = (error instanceof OutboundError || error instanceof ServiceError) && !signal.aborted;
      if (isFault) breaker.noteFailure();
      else breaker.noteAbandoned();
      throw isFault ? (error instanceof ServiceError ? error : unreachable(error)) : error;
    }
  }, signal);
}

/** Whether an answer says that the service is busy. MediaWiki sends such errors with status 200. */
function saysBusy(body: unknown): boolean {
  const { data } = ApiFault.safeParse(body);
  return data !== undefined && /^(?:maxlag|ratelimited|readonly|internal_api_error.*)$/.test(data.error.code);
}
