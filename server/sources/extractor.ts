// An external extractor, yt-dlp or a compatible program, as a catalogue. It gets searches, and pages that are on the
// public internet, or on the site of a search template that is a URL. The administrator who enables it is responsible
// for what may legally be downloaded.
import { copyFile, chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { LiveSettings } from '../config/live-settings.ts';
import { messageOf } from '../errors.ts';
import type { FindTool } from '../media/tools.ts';
import { assertPublic } from '../outbound/public-addresses.ts';
import { createTokenBucket } from '../outbound/token-bucket.ts';
import { CatalogueError, type CatalogueHit, type CatalogueProvider, type CatalogueRef } from './catalogue.ts';
import { fillTemplate, SearchOutput, toFault, toHit } from './extractor-items.ts';
import { runExtractor, type RunResult, type RunOptions } from './extractor-run.ts';
import { createProviderHttp, withCatalogueErrors, tooLarge, type CataloguePace } from './provider-http.ts';
import { parseLimitedJson } from '../runtime/text-limits.ts';
import { bindContext } from '../runtime/bind-context.ts';

const DEFAULT_TEMPLATE = 'ytsearch{limit}:{query}';
/**
 * Arguments of every call. Without --ignore-config, a user's configuration could make the extractor run or write
 * anything.
 */
const COMMON_ARGUMENTS = ['--ignore-config', '--no-warnings', '--no-cache-dir', '--socket-timeout', '15', '-q'];
/** Matches the extractor's name, which may have parts, and its id: `youtube:tab:PL123`. */
const ID = /^[\w.-]{1,80}:[^\u0000-\u001f]{1,700}$/;
/** First version with the option for a JavaScript runtime, which some sites require. */
const MIN_RUNTIME_VERSION = '2025.11.12';
const PROGRESS_TEMPLATE = 'download:PROG {"d":%(progress.downloaded_bytes)j,"t":%(progress.total_bytes)j}';

interface ExtractorDeps {
  settings: LiveSettings;
  userAgent: () => string;
  pace: CataloguePace;
  findTool: FindTool;
  tmpDir: string;
}

export function createExtractor(deps: ExtractorDeps): CatalogueProvider {
  const context = createContext(deps);
  const http = createProviderHttp({ base: () => base(context), userAgent: context.userAgent, pace: context.pace });
  return {
    ...bindContext(context, { check, resolve }),
    name: 'ext',
    whyNot: () => undefined,
    isId: (id) => ID.test(id),
    async search(query, { limit, signal }) {
      const address = fillTemplate(context.settings.get('STREAMSRC_SEARCH_TEMPLATE') ?? DEFAULT_TEMPLATE, query, limit);
      const parsedOutput = SearchOutput.safeParse(
        await readJson(context, ['--flat-playlist', '--playlist-items', `1:${limit}`], address, signal),
      );
      if (!parsedOutput.success)
        throw new CatalogueError(
          'misconfigured',
          'The extractor’s search returned no list; check STREAMSRC_SEARCH_TEMPLATE.',
        );
      return parsedOutput.data.entries.slice(0, limit).flatMap((entry) => toHit(entry) ?? []);
    },
    async download({ pageUrl }, dir, { signal, maxBytes, onProgress }) {
      if (pageUrl === undefined)
        throw new CatalogueError('not_found', 'The URL of this track has expired. Search for it again.');
      await assertVisitable(context, pageUrl);
      let file: string | undefined;
      const onLine = (line: string): void => {
        if (!line.startsWith('PROG ')) file = line === '' ? file : line;
        else report(line.slice('PROG '.length), onProgress);
      };
      const { code, stderr } = await runCommand(
        context,
        [
          '--no-playlist',
          '--no-simulate',
          '--newline',
          '--progress',
          '-f',
          'bestaudio/best',
          '--match-filter',
          '!is_live',
          '--max-filesize',
          String(maxBytes),
          '--progress-template',
          PROGRESS_TEMPLATE,
          '--print',
          'after_move:filepath',
          '-o',
          'item.%(ext)s', // a fixed name, since names from the site must not be part of a path
        ],
        pageUrl,
        { cwd: dir, signal, timeLimitMs: context.pace.downloadMs, onLine },
      );
      if (code !== 0) throw toFault(stderr, code);
      const path = file === undefined ? undefined : join(dir, basename(file));
      const size = path === undefined ? undefined : (await stat(path).catch(() => undefined))?.size;
      if (path === undefined || size === undefined)
        throw new CatalogueError(
          'too_large',
          `Nothing was saved: the file is larger than ${maxBytes} bytes (MAX_UPLOAD_BYTES), or a live stream.`,
        );
      if (size > maxBytes) throw tooLarge(maxBytes);
      return path;
    },
    cover: (url, signal) => http.picture(new URL(url), signal),
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ settings, userAgent, pace, findTool, tmpDir }: ExtractorDeps) {
  const bucket = createTokenBucket({ perSecond: pace.perSecond });
  return { settings, userAgent, pace, findTool, tmpDir, bucket };
}

const base = ({ settings }: Context): URL => siteOf(settings.get('STREAMSRC_SEARCH_TEMPLATE'));

async function program(context: Context): Promise<{ path: string; version: string }> {
  const configuredCommand = context.settings.get('STREAMSRC_COMMAND');
  const tool = await context.findTool('yt-dlp', configuredCommand).catch((cause: unknown) => {
    throw new CatalogueError('misconfigured', messageOf(cause), { cause });
  });
  if (!tool)
    throw new CatalogueError(
      'misconfigured',
      'yt-dlp is not installed. Install it, or set STREAMSRC_COMMAND to another extractor.',
    );
  return tool;
}

async function runCommand(context: Context, args: string[], address: string, options: RunOptions): Promise<RunResult> {
  const { path, version } = await program(context);
  const extractors = context.settings.get('STREAMSRC_EXTRACTORS');
  return withCookies(context, (cookies) =>
    runExtractor(
      path,
      [
        ...COMMON_ARGUMENTS,
        ...cookies,
        ...(extractors === undefined ? [] : ['--use-extractors', extractors]),
        ...(version >= MIN_RUNTIME_VERSION && !process.versions['electron']
          ? ['--js-runtimes', `node:${process.execPath}`]
          : []),
        ...args,
        '--',
        address,
      ],
      options,
    ),
  );
}

/** Passes a copy of the cookies file, since the extractor overwrites or creates it. */
async function withCookies<T>(context: Context, work: (args: string[]) => Promise<T>): Promise<T> {
  const file = context.settings.get('STREAMSRC_COOKIES_FILE');
  if (file === undefined) return work([]);
  await mkdir(context.tmpDir, { recursive: true });
  const dir = await mkdtemp(join(context.tmpDir, 'cookies-'));
  const copy = join(dir, 'cookies.txt');
  try {
    await copyFile(file, copy).catch((cause: unknown) => {
      throw new CatalogueError('misconfigured', 'The cookies file (STREAMSRC_COOKIES_FILE) cannot be read.', {
        cause,
      });
    });
    await chmod(copy, 0o600);
    return await work(['--cookies', copy]);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function readJson(context: Context, args: string[], address: string, signal: AbortSignal): Promise<unknown> {
  await mkdir(context.tmpDir, { recursive: true });
  const { code, stdout, stderr } = await context.bucket.run(
    () =>
      runCommand(context, [...args, '-J'], address, {
        cwd: context.tmpDir,
        signal,
        timeLimitMs: context.pace.requestMs,
      }),
    signal,
  );
  const value = parseJson(stdout);
  if (value == null)
    throw code === 0
      ? new CatalogueError('unavailable', 'The response of the extractor is invalid.')
      : toFault(stderr, code);
  return value; // the exit code is ignored, because single results may fail
}

/** Checks that a page may be requested: its address may have come with a library from elsewhere. */
async function assertVisitable(context: Context, pageUrl: string): Promise<void> {
  const page = new URL(pageUrl);
  if (page.host !== base(context).host) await withCatalogueErrors(() => assertPublic(page));
}

async function resolve(context: Context, { pageUrl }: CatalogueRef, signal: AbortSignal): Promise<CatalogueHit> {
  if (pageUrl === undefined)
    throw new CatalogueError('not_found', 'The URL of this result has expired. Search for it again.');
  await assertVisitable(context, pageUrl);
  const hit = toHit(await readJson(context, ['--no-playlist', '-f', 'bestaudio/best'], pageUrl, signal));
  if (!hit) throw new CatalogueError('invalid_media', 'It is a live stream, or there is nothing to download.');
  return hit;
}

async function check(context: Context) {
  const { version } = await program(context);
  const file = context.settings.get('STREAMSRC_COOKIES_FILE');
  if (
    file !== undefined &&
    !(await stat(file).then(
      (entry) => entry.isFile(),
      () => false,
    ))
  )
    throw new CatalogueError('misconfigured', 'The cookies file (STREAMSRC_COOKIES_FILE) does not exist.');
  return `yt-dlp ${version}`;
}

/**
 * Returns the site of a search template that is a URL. Its pages and pictures may be fetched even from the local
 * network.
 */
const siteOf = (template = ''): URL =>
  new URL(/^https?:/i.test(template) ? fillTemplate(template, '', 1) : 'http://unset.invalid');

function parseJson(text: string): unknown {
  try {
    return parseLimitedJson(text);
  } catch {
    return undefined;
  }
}

function report(json: string, onProgress: (doneBytes: number, total: number | null) => void): void {
  const { d, t } = (parseJson(json) ?? {}) as { d?: unknown; t?: unknown };
  if (typeof d === 'number') onProgress(d, typeof t === 'number' ? t : null);
}
