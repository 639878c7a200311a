// Converts items of the Internet Archive (albums, concerts) to tracks. Pure functions. Numbers are text, any name may
// be a list, and each track has files in several formats.
import { z } from 'zod';
import { toOneLine } from '../media/text.ts';
import type { CatalogueHit } from './catalogue.ts';

const MAX_FILES = 3_000;
const MAX_NAME_CHARACTERS = 300;

/** A text, or a list whose first text is used. */
const Name = z
  .union([
    z.string(),
    z
      .array(z.unknown())
      .transform(([firstName]) => firstName)
      .pipe(z.string()),
  ])
  .transform((text) => toOneLine(text, MAX_NAME_CHARACTERS) || undefined)
  .optional()
  .catch(undefined);

const IaFile = z.object({
  name: z.string().min(1).max(1_000),
  format: z.string().catch(''),
  original: z.string().optional().catch(undefined),
  private: z.string().optional().catch(undefined),
  size: z.string().optional().catch(undefined),
  length: z.string().optional().catch(undefined),
  md5: z
    .string()
    .regex(/^[0-9a-f]{32}$/i)
    .optional()
    .catch(undefined),
  title: Name,
  track: Name,
  artist: Name,
  creator: Name,
  album: Name,
  date: Name,
});
type IaFile = z.output<typeof IaFile>;

export const IaItem = z.object({
  is_dark: z.boolean().optional().catch(undefined),
  metadata: z.object({ identifier: z.string(), title: Name, creator: Name, date: Name }).optional().catch(undefined),
  files: z
    .array(z.unknown())
    .transform((files) => files.slice(0, MAX_FILES).flatMap((file) => IaFile.safeParse(file).data ?? []))
    .catch([]),
});
export type IaItem = z.output<typeof IaItem>;

export const IaSearch = z.object({
  response: z.object({ docs: z.array(z.object({ identifier: z.string() }).catch({ identifier: '' })) }),
});

/** Formats by preference; the best comes first. */
const FORMATS_BY_PREFERENCE = [
  'flac',
  'vbr mp3',
  'mp3',
  'ogg vorbis',
  '24bit flac',
  '320kbps mp3',
  '256kbps mp3',
  '192kbps mp3',
  '128kbps mp3',
  'opus',
  'apple lossless audio',
  'wave',
  'aiff',
  '64kbps mp3',
];

const rankOf = ({ format }: IaFile): number => FORMATS_BY_PREFERENCE.indexOf(format.toLowerCase());

/**
 * Returns the tracks of an item in order, each in its best available format. Their ids consist of `prefix` and the file
 * name.
 */
export function tracksOf(
  item: IaItem,
  { coverUrl, pageUrl }: Pick<CatalogueHit, 'coverUrl' | 'pageUrl'>,
): CatalogueHit[] {
  const { metadata } = item;
  if (!metadata || item.is_dark) return [];
  const audio = item.files.filter((file) => rankOf(file) >= 0 && file.private !== 'true' && isSafeName(file.name));
  const recordings = Map.groupBy(audio, (file) => file.original ?? file.name);
  return [...recordings].map(([original, files]) => {
    const bestFile = files.toSorted((a, b) => rankOf(a) - rankOf(b))[0] as IaFile;
    const source = item.files.find((file) => file.name === original) ?? bestFile;
    return {
      id: `${metadata.identifier}/${bestFile.name}`,
      title: source.title ?? bestFile.title ?? nameOf(original),
      artist: source.artist ?? bestFile.artist ?? source.creator ?? metadata.creator,
      album: source.album ?? bestFile.album ?? metadata.title,
      albumId: metadata.identifier,
      durationMs: lengthMs(bestFile.length ?? source.length),
      trackNumber: wholeNumber(source.track ?? bestFile.track),
      year: yearOf(source.date ?? metadata.date),
      coverUrl,
      pageUrl,
    };
  });
}

export const findFile = (item: IaItem, name: string): IaFile | undefined =>
  item.files.find((file) => file.name === name && rankOf(file) >= 0);

/** Returns whether a name is a relative path that does not leave the item. */
export const isSafeName = (name: string): boolean =>
  name.length <= 500 &&
  !/[\u0000-\u001f\\]/.test(name) &&
  name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/** Parses `214.05`, `03:34` or `1:02:03` to milliseconds. */
export function lengthMs(length: string | undefined): number | undefined {
  if (length === undefined || !/^\d{1,7}(?::\d{1,2}){0,2}(?:\.\d+)?$/.test(length)) return undefined;
  const ms = Math.round(length.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0) * 1_000);
  return ms > 0 ? ms : undefined;
}

/** Parses `3`, `03` or `3/12`. */
const wholeNumber = (text: string | undefined): number | undefined =>
  Number(/^\d{1,4}/.exec(text ?? '')?.[0]) || undefined;
const yearOf = (date: string | undefined): number | undefined =>
  Number(/^(1[89]|20)\d\d/.exec(date ?? '')?.[0]) || undefined;
const nameOf = (file: string): string =>
  toOneLine(
    file
      .slice(file.lastIndexOf('/') + 1)
      .replace(/\.\w{1,5}$/, '')
      .replaceAll('_', ' '),
    MAX_NAME_CHARACTERS,
  ) || file;

/** Escapes a query for the archive's search; lower-cases its operators. */
export const searchWords = (query: string): string =>
  query.replace(/[+\-&|!(){}[\]^"~*?:\\/]/g, '\\$&').replace(/\b(?:AND|OR|NOT|TO)\b/g, (word) => word.toLowerCase());
