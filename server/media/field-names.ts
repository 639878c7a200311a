// Finds fields by the free-form names of Vorbis comments, APEv2 items, TXXX frames and MP4 `----` atoms. All four use
// the same names, apart from case, spaces and underscores.
import { MAX_CUSTOM_NAME_CHARACTERS, toCustomTag, type CustomTag } from '../db/custom-tags.ts';
import { NAMES_OF_FIELDS } from '../db/tag-names.ts';
import type { TextField } from './tag-builder.ts';

/** Cache of fields by name, including the spellings seen in files, which saves changing case again. */
const byName = new Map<string, TextField | undefined>();
for (const [field, name] of NAMES_OF_FIELDS) byName.set(name, field as TextField);
const MAX_NAME_LENGTH = Math.max(...[...byName.keys()].map((name) => name.length));

/** The tags that a person named, by their names in upper case. */
let customTagsByName: ReadonlyMap<string, CustomTag> = new Map();

/**
 * Sets the tags that a person named, whose values this thread reads from now on. It is a state of the thread because
 * the readers of all formats look up names here.
 */
export function setCustomTags(names: readonly string[]): void {
  customTagsByName = new Map(names.map((name) => [name.toUpperCase(), toCustomTag(name)]));
}

/** Returns the field with this name, in any case. Names such as `RATING:email` are found up to their colon. */
export function fieldOfName(name: string): TextField | undefined {
  const colon = name.indexOf(':');
  const wholeName = colon < 0 ? name : name.slice(0, colon + 1);
  const field =
    wholeName.length > MAX_NAME_LENGTH ? undefined : (byName.get(wholeName) ?? byName.get(wholeName.toUpperCase()));
  if (field !== undefined || customTagsByName.size === 0 || name.length > MAX_CUSTOM_NAME_CHARACTERS) return field;
  return customTagsByName.get(name.toUpperCase());
}

/** Returns the instrument in `PERFORMER:violin`, a name that Quod Libet and others write; undefined for other names. */
export function instrumentInName(name: string): string | undefined {
  const instrument = /^performer:(.+)$/i.exec(name.slice(0, 100))?.[1]?.trim();
  return instrument || undefined;
}
