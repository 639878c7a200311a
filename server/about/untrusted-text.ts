// Makes the data of online services safe: text without markup, addresses that may be linked, lists without invalid
// items.
import { z } from 'zod';
import { toOneLine } from '../media/text.ts';
import { unescapeXml } from '../media/xml-text.ts';

/** Limit of the parsed HTML; a credit is a name with a link. */
const MAX_HTML_CHARACTERS = 4_000;
const MAX_TEXT_CHARACTERS = 300;

/** Returns the text of a piece of HTML on one line; null if it contains no text. */
export function textOfHtml(html: string): string | null {
  const withoutTags = html
    .slice(0, MAX_HTML_CHARACTERS)
    .replace(/<(script|style)\b[^<]*<\/\1>/gi, ' ')
    .replace(/<[^<>]*(?:>|$)/g, ' ');
  const text = toOneLine(
    unescapeXml(withoutTags)
      .replaceAll('&nbsp;', ' ')
      .replace(/\s+/g, ' ')
      .replace(/ ([,.;:)])/g, '$1')
      .trim(),
    MAX_TEXT_CHARACTERS,
  );
  return text === '' ? null : text;
}

/** Returns undefined for anything but an http or https address without credentials. */
export function httpUrl(text: string): string | undefined {
  if (text.length > 1_000 || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url.href : undefined;
}

/** A schema for a list, which drops invalid items and items beyond `max`. */
export const listOf = <T extends z.ZodType>(item: T, max: number) =>
  z.array(z.unknown()).transform((values): z.output<T>[] =>
    values.slice(0, max).flatMap((value) => {
      const parsed = item.safeParse(value);
      return parsed.success ? [parsed.data] : [];
    }),
  );
