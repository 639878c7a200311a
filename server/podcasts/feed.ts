// Reads the feed of a podcast: RSS 2.0, RSS 1.0 and Atom, also if they are not well-formed. Pure functions. Feeds are
// untrusted input: no address in them is requested here, they cannot define entities, and length, depth and number have
// limits.
import type sax from 'sax';
import { isTime } from '../http/times.ts';
import { TEXT_LIMITS } from '../runtime/text-limits.ts';
import { inSlices, mapInSlices } from '../runtime/time-slices.ts';

export interface FeedEpisode {
  guid: string;
  title: string;
  description: string | null;
  publishedAt: Date | null;
  audioUrl: string;
  sizeBytes: number | null;
  durationMs: number | null;
}
interface Feed {
  title: string | null;
  description: string | null;
  imageUrl: string | null;
  /** Episodes in the order of the feed, each guid once. */
  episodes: FeedEpisode[];
}

/** The error for a feed that cannot be read; its message is a sentence for people. */
export class UnreadableFeed extends Error {
  override name = 'UnreadableFeed';
}

const {
  depth: MAX_DEPTH,
  attributes: MAX_ATTRIBUTES,
  episodes: MAX_EPISODES,
  textChars: MAX_TEXT_CHARACTERS,
  totalChars: MAX_KEPT_CHARACTERS,
} = TEXT_LIMITS.feed;
const MAX_DESCRIPTION_CHARACTERS = 10_000;
const MAX_TITLE_CHARACTERS = 500;
const MAX_URL_CHARACTERS = 2_000;
const MAX_DURATION_MS = 48 * 3_600_000;
const ROOT_NAMES = new Set(['rss', 'feed', 'rdf:rdf']);
const ITEM_NAMES = new Set(['item', 'entry']);

interface Element {
  name: string;
  text: string;
}
type Attributes = Record<string, string>;
interface Item {
  texts: Map<string, string>;
  audio: { url: string; size: string | undefined; duration: string | undefined } | undefined;
}

const TITLE_NAMES = ['title', 'itunes:title'];
const DESCRIPTION_NAMES = [
  'description',
  'itunes:summary',
  'summary',
  'content:encoded',
  'content',
  'itunes:subtitle',
  'subtitle',
];
const DATE_NAMES = ['pubdate', 'published', 'dc:date', 'updated', 'date'];
const TEXT_NAMES = new Set([
  ...TITLE_NAMES,
  ...DESCRIPTION_NAMES,
  ...DATE_NAMES,
  'guid',
  'id',
  'itunes:duration',
  'url',
]);

/**
 * Parses a feed. Addresses in it may be relative to `feedUrl`. Large feeds take seconds, so requests are served in
 * between. Throws UnreadableFeed.
 */
export async function parseFeed(bytes: Uint8Array, contentType: string | null, feedUrl: URL): Promise<Feed> {
  const channel = new Map<string, string>();
  const items: Item[] = [];
  const stack: Element[] = [];
  let item: Item | undefined;
  let image: string | undefined;
  let isFeed = false;

  const { default: reader } = await import('sax');
  const parser = reader.parser(false, { lowercase: true });
  let attributeCount = 0;
  let keptChars = 0;
  const refuse = (fault: string): never => {
    throw new UnreadableFeed(`Line ${parser.line + 1} of the feed: ${fault}`);
  };
  const onopentagstart = (): void => void (attributeCount = 0);
  const onattribute = (): void => {
    if (++attributeCount > MAX_ATTRIBUTES) refuse(`an element has more than ${MAX_ATTRIBUTES} attributes.`);
  };
  const onopentag = ({ name, attributes }: sax.Tag | sax.QualifiedTag): void => {
    if (stack.length === 0) isFeed ||= ROOT_NAMES.has(name);
    if (stack.length >= MAX_DEPTH) refuse(`elements are nested more than ${MAX_DEPTH} levels deep.`);
    stack.push({ name, text: '' });
    if (ITEM_NAMES.has(name)) item = { texts: new Map(), audio: undefined };
    const attributeTexts = attributes as Attributes;
    if (item) item.audio ??= audioOf(name, attributeTexts);
    else if (name === 'itunes:image') image ??= attributeTexts['href'];
  };
  const addText = (text: string): void => {
    const element = stack.at(-1);
    if (element && element.text.length < MAX_TEXT_CHARACTERS) element.text += text;
  };
  const onclosetag = (name: string): void => {
    const element = stack.pop();
    if (!element) return;
    if (ITEM_NAMES.has(name)) {
      if (item && items.length < MAX_EPISODES) items.push(item);
      item = undefined;
      return;
    }
    const text = element.text.trim();
    if (text === '' || !TEXT_NAMES.has(name)) return;
    const parent = stack.at(-1)?.name ?? '';
    keptChars += text.length;
    if (keptChars > MAX_KEPT_CHARACTERS) refuse(`its texts have more than ${MAX_KEPT_CHARACTERS} characters.`);
    if (item) {
      if (ITEM_NAMES.has(parent) && !item.texts.has(name)) item.texts.set(name, text);
    } else if (parent === 'image' && name === 'url') image ??= text;
    else if ((parent === 'channel' || parent === 'feed') && !channel.has(name)) channel.set(name, text);
  };
  /** Continues after errors: feeds are seldom well-formed, and everything that can be parsed is used. */
  const onerror = ({ message }: Error): void => {
    if (message.startsWith('Max buffer length exceeded') && !/comment|doctype|procInst/.test(message))
      refuse('a name or an attribute has no end.');
    Object.assign(parser, { comment: '', doctype: '', procInstBody: '' }); // discards what the parser has buffered
    Object.assign(parser, { error: null });
    parser.resume();
  };
  Object.assign(parser, {
    onopentagstart,
    onattribute,
    onopentag,
    onclosetag,
    ontext: addText,
    oncdata: addText,
    onerror,
  });
  const text = decode(bytes, contentType).replace(DECLARATION, '<?_?>');
  await inSlices(chunksOf(text), (chunk) => void parser.write(chunk));
  parser.close();

  if (!isFeed) throw new UnreadableFeed('There is no podcast feed at this address.');
  return {
    title: toPlainText(firstOf(channel, TITLE_NAMES))?.slice(0, MAX_TITLE_CHARACTERS) ?? null,
    description: toPlainText(firstOf(channel, DESCRIPTION_NAMES))?.slice(0, MAX_DESCRIPTION_CHARACTERS) ?? null,
    imageUrl: webAddress(image, feedUrl) ?? null,
    episodes: unique(
      (await mapInSlices(items, (feedItem) => toEpisode(feedItem, feedUrl))).filter((episode) => episode !== undefined),
    ),
  };
}

/** Feeds are parsed in chunks of this size, which is smaller than the limit of the parser's buffer. */
const CHUNK_CHARACTERS = 16 << 10;
function* chunksOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += CHUNK_CHARACTERS) yield text.slice(start, start + CHUNK_CHARACTERS);
}

/**
 * Matches the beginning of a declaration, such as of an entity: the time that the parser takes for a declaration grows
 * with the square of its length. The match ends before a possible end of a comment or CDATA around it.
 */
const DECLARATION = /<\s*!(?!--|\[CDATA\[)[^<>\]-]*>?/gi;

function audioOf(name: string, attributeTexts: Attributes): Item['audio'] {
  const isEnclosure = name === 'enclosure' || (name === 'link' && attributeTexts['rel'] === 'enclosure');
  if (!isEnclosure && name !== 'media:content') return undefined;
  const url = attributeTexts['url'] ?? attributeTexts['href'];
  const type = attributeTexts['type'] ?? attributeTexts['medium'] ?? '';
  if (url === undefined || /^(?:image|text|video)\b/i.test(type)) return undefined;
  return { url, size: attributeTexts['length'] ?? attributeTexts['filesize'], duration: attributeTexts['duration'] };
}

function toEpisode({ texts, audio }: Item, feedUrl: URL): FeedEpisode | undefined {
  const audioUrl = webAddress(audio?.url, feedUrl);
  if (!audio || audioUrl === undefined) return undefined;
  const size = Number(audio.size?.trim() || Number.NaN);
  return {
    guid: (texts.get('guid') ?? texts.get('id') ?? audioUrl).slice(0, MAX_URL_CHARACTERS),
    title: toPlainText(firstOf(texts, TITLE_NAMES))?.slice(0, MAX_TITLE_CHARACTERS) ?? lastPart(audioUrl),
    description: toPlainText(firstOf(texts, DESCRIPTION_NAMES))?.slice(0, MAX_DESCRIPTION_CHARACTERS) ?? null,
    publishedAt: parseDate(firstOf(texts, DATE_NAMES)),
    audioUrl,
    sizeBytes: Number.isSafeInteger(size) && size > 0 ? size : null,
    durationMs: parseDuration(texts.get('itunes:duration') ?? audio.duration),
  };
}

const firstOf = (texts: ReadonlyMap<string, string>, names: readonly string[]): string | undefined =>
  names.map((name) => texts.get(name)).find((text) => text !== undefined);

const unique = (episodes: readonly FeedEpisode[]): FeedEpisode[] =>
  [...new Map(episodes.toReversed().map((episode) => [episode.guid, episode])).values()].toReversed();

const lastPart = (url: string): string =>
  new URL(url).pathname.split('/').at(-1)?.slice(0, MAX_TITLE_CHARACTERS) || url;

function webAddress(text: string | undefined, baseUrl: URL): string | undefined {
  const trimmedText = text?.trim() ?? '';
  if (trimmedText === '' || !URL.canParse(trimmedText, baseUrl.href)) return undefined;
  const url = new URL(trimmedText, baseUrl);
  return /^https?:$/.test(url.protocol) && url.href.length <= MAX_URL_CHARACTERS ? url.href : undefined;
}

/** Returns the text without markup. */
function toPlainText(text: string | undefined): string | undefined {
  const withoutMarkup = text
    ?.slice(0, MAX_TEXT_CHARACTERS)
    .replace(/<(?:br|\/p|\/li|\/div)\b[^<>]*>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi, (_, decimal, hex, name) =>
      name === undefined ? codePoint(decimal, hex) : (NAMED_ENTITIES[String(name).toLowerCase()] ?? ''),
    )
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim();
  return withoutMarkup === '' ? undefined : withoutMarkup;
}

const NAMED_ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
function codePoint(decimal: string | undefined, hex: string | undefined): string {
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return code > 31 && code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
}

function parseDate(text: string | undefined): Date | null {
  const ms = Date.parse((text ?? '').slice(0, 100).replace(/\bSept\b/, 'Sep'));
  return ms > 0 && isTime(ms) ? new Date(ms) : null;
}

/** Parses `1:02:03`, `62:03`, or seconds. */
function parseDuration(text: string | undefined): number | null {
  const parts = /^(?:(\d{1,3}):)?(?:(\d{1,4}):)?(\d{1,6})(?:\.\d*)?$/.exec(text?.trim() ?? '');
  if (!parts) return null;
  const [firstPart, secondPart, thirdPart] = parts
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  const minutes = secondPart === undefined ? (firstPart ?? 0) : (firstPart ?? 0) * 60 + secondPart;
  const ms = (minutes * 60 + (thirdPart ?? 0)) * 1_000;
  return ms > 0 && ms <= MAX_DURATION_MS ? ms : null;
}

/** Decodes a feed by the byte order mark, else by the XML declaration, else by the Content-Type; UTF-8 by default. */
function decode(bytes: Uint8Array, contentType: string | null): string {
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const xmlEncoding = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w:-]{1,40})/i.exec(head)?.[1];
  const declaredCharset = /\bcharset\s*=\s*"?([\w:-]{1,40})/i.exec(contentType ?? '')?.[1];
  const mark = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff;
  const name = typeof mark === 'string' ? mark : mark ? 'utf-16be' : (xmlEncoding ?? declaredCharset ?? 'utf-8');
  return decoderOf(name).decode(bytes);
}

function decoderOf(name: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(name);
  } catch {
    return new TextDecoder();
  }
}
