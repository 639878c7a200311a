// Languages of lyrics, as tags and file names give them.

const LANGUAGE_TAG = /^([a-z]{2,3})(?:[-_]([a-z]{4}|[a-z]{2}))?$/i;
const LANGUAGE_NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
/** Codes that say nothing about a language. */
const NO_LANGUAGE: ReadonlySet<string> = new Set(['und', 'xxx', 'mul', 'zxx', 'mis']);

/** Returns the language that a text names, such as `eng` or `pt-BR`; undefined if it names none. */
export function lyricsLanguage(text: string): string | undefined {
  const [, code = '', region] = LANGUAGE_TAG.exec(text.trim()) ?? [];
  const language = code.toLowerCase();
  if (code === '' || NO_LANGUAGE.has(language) || LANGUAGE_NAMES.of(language) === undefined) return undefined;
  return region === undefined ? language : `${language}-${region}`;
}

/** Returns the language in the name of a lyrics file, such as `Song.en.lrc`. */
export const languageInFileName = (name: string): string | undefined =>
  lyricsLanguage(/\.([^.]{2,8})\.[^.]+$/.exec(name)?.[1] ?? '');
