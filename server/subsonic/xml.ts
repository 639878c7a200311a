// Writes values as XML: scalars are attributes, objects are child elements, lists repeat the element. The key `value`
// is the text of an element.

import { Pieces } from '../http/streamed-lists.ts';

/** A text that is a child element in XML, and a plain string in JSON (`artistInfo`, `albumInfo`). */
export class TextElement {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toJSON(): string {
    return this.text;
  }
}

type Scalar = string | number | boolean | Date;
type Value = Scalar | TextElement | undefined | Fields | Pieces<Fields> | readonly (Scalar | Fields)[];
export interface Fields {
  [name: string]: Value;
}

/** Elements whose `value` is an attribute instead of their text. */
const VALUE_IS_ATTRIBUTE = new Set(['cueLine']);
/** Fields that are sent even if empty in JSON, to show that they are supported, but left out in XML. */
const OMITTED_WHEN_EMPTY = new Set([
  'bpm',
  'comment',
  'sortName',
  'musicBrainzId',
  'displayArtist',
  'displayAlbumArtist',
  'displayComposer',
  'explicitStatus',
  'version',
  'disambiguation',
  'replayGain',
  'originalReleaseDate',
  'releaseDate',
  'bitDepth',
  'samplingRate',
  'channelCount',
  'errorReason',
]);

/** Marks where a list that is still being read will be written. */
interface ListPlaceholder {
  name: string;
  list: Pieces<Fields>;
}
type XmlParts = (string | ListPlaceholder)[];

/** Yields the document piece by piece. */
export async function* xmlText(root: string, namespace: string, fields: Fields): AsyncGenerator<string> {
  const xmlParts: XmlParts = ['<?xml version="1.0" encoding="UTF-8"?>\n'];
  writeElement(xmlParts, root, fields, ` xmlns="${namespace}"`);
  xmlParts.push('\n');
  let text = '';
  for (const part of xmlParts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    for await (const items of part.list.parts) {
      const itemParts: XmlParts = [];
      for (const item of items) writeElement(itemParts, part.name, item);
      yield text + itemParts.filter((itemPart) => typeof itemPart === 'string').join('');
      text = '';
    }
  }
  yield text;
}

function writeElement(xmlParts: XmlParts, name: string, fields: Fields, extra = ''): void {
  xmlParts.push('<', name, extra);
  let text = '';
  const children: [string, Exclude<Value, Scalar | undefined>][] = [];
  for (const key in fields) {
    const value = fields[key];
    if (value === undefined || (OMITTED_WHEN_EMPTY.has(key) && isEmpty(value))) continue;
    if (typeof value === 'object' && !(value instanceof Date)) {
      if (!Array.isArray(value) || value.length > 0) children.push([key, value]);
    } else if (key === 'value' && !VALUE_IS_ATTRIBUTE.has(name)) text = scalarText(value);
    else xmlParts.push(' ', key, '="', escape(scalarText(value)), '"');
  }
  if (text === '' && children.length === 0) return void xmlParts.push('/>');
  xmlParts.push('>', escape(text));
  for (const [key, value] of children) writeChild(xmlParts, key, value);
  xmlParts.push('</', name, '>');
}

function writeChild(xmlParts: XmlParts, name: string, value: Exclude<Value, Scalar | undefined>): void {
  if (value instanceof TextElement) xmlParts.push('<', name, '>', escape(value.text), '</', name, '>');
  else if (value instanceof Pieces) xmlParts.push({ name, list: value });
  else if (isList(value)) for (const item of value) writeItem(xmlParts, name, item);
  else writeElement(xmlParts, name, value);
}

function writeItem(xmlParts: XmlParts, name: string, item: Scalar | Fields): void {
  if (typeof item === 'object' && !(item instanceof Date)) writeElement(xmlParts, name, item);
  else xmlParts.push('<', name, '>', escape(scalarText(item)), '</', name, '>');
}

const isList = (
  value: Exclude<Value, Scalar | TextElement | Pieces<Fields> | undefined>,
): value is readonly (Scalar | Fields)[] => Array.isArray(value);
const scalarText = (value: Scalar): string => (value instanceof Date ? value.toISOString() : String(value));
const isEmpty = (value: Value): boolean =>
  value === '' ||
  value === 0 ||
  (typeof value === 'object' &&
    !(value instanceof Date) &&
    !(value instanceof TextElement) &&
    !(value instanceof Pieces) &&
    Object.keys(value).length === 0);

const XML_ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
const NEEDS_CLEANING = /[&<>"\u0000-\u001f\ufffe\uffff\ud800-\udfff]/;
const ESCAPED_CHARACTERS = /[&<>"\t\n\r]/g;
/** Characters that XML 1.0 forbids even when escaped. */
const FORBIDDEN_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

function escape(text: string): string {
  if (!NEEDS_CLEANING.test(text)) return text;
  return text
    .toWellFormed()
    .replace(FORBIDDEN_CHARACTERS, '')
    .replace(ESCAPED_CHARACTERS, (sign) => XML_ESCAPES[sign] ?? sign);
}
