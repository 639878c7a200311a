// Tags that a person named in the setting CUSTOM_TAGS: their values are read from files and stored with the track.
// Names are in upper case, since case does not matter in tags.

/** A custom tag among the fields of a file: `custom:OCCASION`. */
export type CustomTag = `custom:${string}`;
const PREFIX = 'custom:';

export const MAX_CUSTOM_TAGS = 20;
export const MAX_CUSTOM_NAME_CHARACTERS = 60;

export const toCustomTag = (name: string): CustomTag => `${PREFIX}${name.toUpperCase()}`;
export const isCustomTag = (field: string): field is CustomTag => field.startsWith(PREFIX);
/** Returns the name of a custom tag, in upper case. */
export const nameOfCustomTag = (tag: CustomTag): string => tag.slice(PREFIX.length);

/** Returns the names in the setting, which has commas between them: in upper case, each once. */
export const parseCustomTags = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim().toUpperCase())
      .filter((name) => name !== ''),
  ),
];
