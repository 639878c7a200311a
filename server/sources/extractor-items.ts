// Parses the extractor's output into hits, and its errors into faults. Pure functions.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { toOneLine } from '../media/text.ts';
import { CatalogueError, type CatalogueHit } from './catalogue.ts';
import { trimEnd } from '../runtime/trim-text.ts';

const MAX_NAME_CHARACTERS = 300;

const Name = z
  .string()
  .transform((text) => toOneLine(text, MAX_NAME_CHARACTERS) || undefined)
  .optional()
  .catch(undefined);
const Positive = z.number().positive().optional().catch(undefined);
const Key = z
  .string()
  .regex(/^[\w:.-]{1,80}$/)
  .optional()
  .catch(undefined);

const Entry = z.object({
  id: z.string().min(1).max(300).optional().catch(undefined),
  extractor_key: Key,
  ie_key: Key,
  title: Name,
  track: Name,
  artist: Name,
  artists: z.array(z.string()).optional().catch(undefined),
  album: Name,
  uploader: Name,
  channel: Name,
  duration: Positive,
  track_number: Positive,
  release_year: Positive,
  upload_date: z.string().optional().catch(undefined),
  webpage_url: z.string().max(4_000).optional().catch(undefined),
  url: z.string().max(4_000).optional().catch(undefined),
  thumbnail: z.string().max(4_000).optional().catch(undefined),
  thumbnails: z
    .array(z.object({ url: z.string().max(4_000) }).catch({ url: '' }))
    .optional()
    .catch(undefined),
  is_live: z.boolean().optional().catch(undefined),
});
export const SearchOutput = z.object({ entries: z.array(z.unknown()) });

/** Converts a result; returns undefined for results that cannot be downloaded: without a URL, or live. */
export function toHit(value: unknown): CatalogueHit | undefined {
  const { data: entry } = Entry.safeParse(value);
  const pageUrl = webAddress(entry?.webpage_url) ?? webAddress(entry?.url);
  if (!entry || pageUrl === undefined || entry.is_live) return undefined;
  const key = entry.extractor_key ?? entry.ie_key ?? 'Generic';
  // the ids of the generic extractor are just file names
  const id = key === 'Generic' || entry.id === undefined ? hash('sha256', pageUrl, 'hex').slice(0, 32) : entry.id;
  return {
    id: `${key}:${id}`,
    pageUrl,
    title: entry.track ?? entry.title ?? 'Untitled',
    artist:
      (entry.artists && toOneLine(entry.artists.join('; '), MAX_NAME_CHARACTERS)) ??
      entry.artist ??
      entry.uploader ??
      entry.channel,
    album: entry.album,
    durationMs: entry.duration === undefined ? undefined : Math.round(entry.duration * 1_000),
    trackNumber: wholeOf(entry.track_number),
    year: wholeOf(entry.release_year) ?? (Number(/^(19|20)\d\d/.exec(entry.upload_date ?? '')?.[0]) || undefined),
    coverUrl: webAddress(entry.thumbnail) ?? webAddress(entry.thumbnails?.at(-1)?.url),
  };
}

const wholeOf = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isInteger(value) && value < 10_000 ? value : undefined;

/** Returns an http URL without the data that extractors pass to each other in the fragment. */
function webAddress(text: string | undefined): string | undefined {
  const url = text?.replace(/#__youtubedl_smuggle.*$/s, '');
  return url !== undefined && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : undefined;
}

/** Fills in `{limit}` and `{query}`; URL-encodes the query in a URL. */
export function fillTemplate(template: string, query: string, limit: number): string {
  const words = /^https?:/i.test(template) ? encodeURIComponent(query) : query;
  return template.replaceAll(/\{(limit|query)\}/g, (_, name) => (name === 'limit' ? String(limit) : words));
}

const FAULT_PATTERNS: readonly [RegExp, ConstructorParameters<typeof CatalogueError>[0], string][] = [
  [
    /HTTP Error 404|HTTP Error 410|Video unavailable|has been removed|does not exist|not available/i,
    'not_found',
    'The site no longer has it',
  ],
  [/HTTP Error 429|Too Many Requests|rate.?limit/i, 'rate_limited', 'Too many requests to the site'],
  [
    /HTTP Error 40[13]|HTTP Error 451|Private video|Sign in|login required|members-only|confirm your age|DRM/i,
    'forbidden',
    'The site denies access; a cookies file (STREAMSRC_COOKIES_FILE) may help',
  ],
  [
    /Unsupported URL|no suitable extractor|Requested format is not available|No video formats/i,
    'invalid_media',
    'The extractor found no audio',
  ],
  [/No space left on device/i, 'unavailable', 'The disk is full'],
  [/timed out|timeout/i, 'timeout', 'The site did not answer in time'],
];

/** Converts the last line of the error output to an error, without URLs and paths. */
export function toFault(stderr: string, code: number | null): CatalogueError {
  const lines = stderr.split('\n').filter((line) => line.startsWith('ERROR:'));
  const errorText = toOneLine(
    (lines.at(-1) ?? '').replace(/^ERROR:\s*/, '').replace(/https?:\/\/\S+|(?<![\w.])\/\S+|[A-Z]:\\\S+/g, '…'),
    200,
  );
  const exitText = code === null ? 'ended by a signal' : `exit code ${code}`;
  const detail = errorText === '' ? exitText : trimEnd(errorText, /[.;]/);
  if (code === 2)
    return new CatalogueError(
      'misconfigured',
      `The extractor does not support the options used; try another version (${detail}).`,
    );
  for (const [pattern, fault, meaning] of FAULT_PATTERNS)
    if (pattern.test(stderr)) return new CatalogueError(fault, `${meaning} (${detail}).`);
  return new CatalogueError('unavailable', `The extractor failed (${detail}).`);
}
