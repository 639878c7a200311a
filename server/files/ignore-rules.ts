// Which names in a music folder are not music. Three things leave a name out: the setting LOCAL_MEDIA_IGNORE, an ignore
// file in the folder or above it, and a dot at the beginning. Ignore files have the patterns of .gitignore, in which
// upper and lower case are the same here; `.nomedia` and ignore files without a pattern leave out the whole folder.

/** The names of ignore files; docs/INSTALL.md lists them. */
export const IGNORE_FILES = ['.ignore', '.nomedia', '.ndignore', '.plexignore'];
const MAX_PATTERNS = 1_000;
const MAX_PATTERN_CHARACTERS = 1_000;

/** One part of a name pattern: any characters (`*`), one character (`?`), or one of the characters of a class. */
type Token = '*' | { matches: (character: string) => boolean };
/** The pattern of one name of a path, or `**`, which stands for any names. */
type Segment = '**' | readonly Token[];

interface Pattern {
  text: string;
  /** The name itself, folded, where the pattern is one name without a wildcard. */
  literal: string | undefined;
  segments: readonly Segment[];
  /** A pattern with `!` takes back what earlier patterns left out. */
  isNegated: boolean;
  /** A pattern with `/` at its end is for folders only. */
  isForFolders: boolean;
}

/** The patterns of one ignore file. */
interface IgnoreFile {
  name: string;
  /** The number of names between the music folder and the folder of the file. */
  depth: number;
  patterns: readonly Pattern[];
}

/** What is left out of one folder. */
export interface IgnoreRules {
  /** Names of LOCAL_MEDIA_IGNORE, folded, and its other patterns. With a negated pattern, all are patterns in order. */
  literals: ReadonlyMap<string, Pattern>;
  patterns: readonly Pattern[];
  /** The names from the music folder to this folder, folded. */
  path: readonly string[];
  /** Ignore files that hold here, the outermost first. */
  files: readonly IgnoreFile[];
  /** The ignore file that leaves out this folder with everything below. */
  ignoredBy: string | undefined;
}

/** Returns the rules of a music folder itself. `names` is the value of LOCAL_MEDIA_IGNORE. */
export function createIgnoreRules(names: string): IgnoreRules {
  const texts = names.split(',').map((text) => text.trim());
  const patterns = texts.flatMap((text) => parsePattern(text) ?? []);
  const isOrdered = patterns.some(({ isNegated }) => isNegated);
  return {
    literals: new Map(
      patterns.flatMap((pattern) => (isOrdered || pattern.literal === undefined ? [] : [[pattern.literal, pattern]])),
    ),
    patterns: patterns.filter(({ literal }) => isOrdered || literal === undefined),
    path: [],
    files: [],
    ignoredBy: undefined,
  };
}

/** Returns the rules of a folder inside the folder of `rules`. */
export const rulesInFolder = (rules: IgnoreRules, name: string): IgnoreRules => ({
  ...rules,
  path: [...rules.path, fold(name)],
});

/** Adds an ignore file of the folder. Throws RangeError when it has too many patterns, or one that is too long. */
export function addIgnoreFile(rules: IgnoreRules, name: string, text: string): IgnoreRules {
  if (name === '.nomedia') return { ...rules, ignoredBy: name };
  const lines = text
    .split(/\r?\n/)
    .map(trimLine)
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length > MAX_PATTERNS) throw new RangeError(`${name} has more than ${MAX_PATTERNS} patterns`);
  if (lines.some((line) => line.length > MAX_PATTERN_CHARACTERS))
    throw new RangeError(`${name} has a pattern of more than ${MAX_PATTERN_CHARACTERS} characters`);
  const patterns = lines.flatMap((line) => parsePattern(line) ?? []);
  if (lines.length === 0) return name === '.plexignore' ? rules : { ...rules, ignoredBy: name };
  return { ...rules, files: [...rules.files, { name, depth: rules.path.length, patterns }] };
}

/** Returns why a file or folder of this folder is left out, as a phrase; undefined when it is not. */
export function findIgnoreReason(rules: IgnoreRules, name: string, isFolder: boolean): string | undefined {
  const foldedName = fold(name);
  let pattern = rules.literals.get(foldedName);
  for (const candidate of rules.patterns)
    if (matchesPath(candidate, [...rules.path, foldedName], isFolder))
      pattern = candidate.isNegated ? undefined : candidate;
  if (pattern) return `left out, because the setting LOCAL_MEDIA_IGNORE contains ${pattern.text}`;
  if (isHiddenName(name)) return 'hidden, because its name begins with a dot';
  let reason: string | undefined;
  for (const { name: fileName, depth, patterns } of rules.files) {
    const path = [...rules.path.slice(depth), foldedName];
    for (const candidate of patterns)
      if (matchesPath(candidate, path, isFolder))
        reason = candidate.isNegated ? undefined : `left out by the pattern ${candidate.text} in ${fileName}`;
  }
  return reason;
}

/**
 * Returns whether a name is hidden. Names that begin with two dots, or with a dot and a number, are names of albums,
 * artists and songs: `...And Justice for All`, `.5 The Gray Chapter`, `.38 Special`.
 */
export const isHiddenName = (name: string): boolean => name.startsWith('.') && !/^\.(?:\.|\d+(?:\s|$))/.test(name);

const trimLine = (line: string): string => trimEndUnescaped(line.startsWith('\ufeff') ? line.slice(1) : line);

/** Returns undefined for a pattern without a name, such as `/` and `!`: it matches nothing. */
function parsePattern(text: string): Pattern | undefined {
  const isNegated = text.startsWith('!');
  const withoutMark = isNegated ? text.slice(1) : text;
  const isForFolders = withoutMark.endsWith('/');
  const names = (isForFolders ? withoutMark.slice(0, -1) : withoutMark).split('/');
  const isAnchored = names.length > 1;
  const segments = names.filter((name) => name !== '').map(parseSegment);
  if (segments.length === 0) return undefined;
  if (!isAnchored) segments.unshift('**');
  if (segments.at(-1) === '**') segments.push(['*']); // `a/**` is everything in `a`, without `a` itself
  const isLiteral = !isAnchored && !isNegated && !isForFolders && !/[*?[\\]/.test(text);
  return { text, literal: isLiteral ? fold(text) : undefined, segments, isNegated, isForFolders };
}

/** Blanks at the end do not count, unless a backslash stands before them. */
function trimEndUnescaped(line: string): string {
  const text = line.trimEnd();
  return text.endsWith('\\') && text.length < line.length ? `${text} ` : text;
}

function parseSegment(text: string): Segment {
  if (text === '**') return '**';
  const characters = [...fold(text)];
  const lastBracket = characters.lastIndexOf(']');
  const tokens: Token[] = [];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] as string;
    const end = character === '[' && i + 2 <= lastBracket ? characters.indexOf(']', i + 2) : -1;
    if (character === '*') {
      if (tokens.at(-1) !== '*') tokens.push('*');
    } else if (character === '?') tokens.push({ matches: () => true });
    else if (end > 0) {
      tokens.push(parseClass(characters.slice(i + 1, end)));
      i = end;
    } else {
      const literal = character === '\\' && i + 1 < characters.length ? (characters[++i] as string) : character;
      tokens.push({ matches: (candidate) => candidate === literal });
    }
  }
  return tokens;
}

/** Parses the inside of `[a-z]` or `[!a-z]`. */
function parseClass(characters: readonly string[]): Token {
  const isNegated = characters[0] === '!' || characters[0] === '^';
  const members = isNegated ? characters.slice(1) : characters;
  const ranges: [string, string][] = [];
  for (let i = 0; i < members.length; i++) {
    const [first, dash, last] = members.slice(i, i + 3) as [string, string?, string?];
    const isRange = dash === '-' && last !== undefined;
    ranges.push([first, isRange ? last : first]);
    if (isRange) i += 2;
  }
  return {
    matches: (candidate) => ranges.some(([first, last]) => candidate >= first && candidate <= last) !== isNegated,
  };
}

function matchesPath(pattern: Pattern, path: readonly string[], isFolder: boolean): boolean {
  if (pattern.isForFolders && !isFolder) return false;
  return matchesSequence(pattern.segments, path, '**', (segment, name) =>
    matchesSequence(segment as readonly Token[], [...name], '*', (token, character) =>
      (token as Exclude<Token, '*'>).matches(character),
    ),
  );
}

/**
 * Returns whether the items match the pattern, in which `wildcard` stands for any number of items. Takes at most as
 * many steps as the product of both lengths, since only the last wildcard has to be tried again.
 */
function matchesSequence<P, T>(
  pattern: readonly P[],
  items: readonly T[],
  wildcard: P,
  matches: (part: P, item: T) => boolean,
): boolean {
  let patternIndex = 0;
  let itemIndex = 0;
  let wildcardIndex = -1;
  let wildcardEnd = 0;
  while (itemIndex < items.length) {
    const part = pattern[patternIndex];
    if (patternIndex < pattern.length && part === wildcard) {
      wildcardIndex = patternIndex++;
      wildcardEnd = itemIndex;
    } else if (patternIndex < pattern.length && matches(part as P, items[itemIndex] as T)) {
      patternIndex++;
      itemIndex++;
    } else if (wildcardIndex >= 0) {
      patternIndex = wildcardIndex + 1;
      itemIndex = ++wildcardEnd;
    } else return false;
  }
  return pattern.slice(patternIndex).every((part) => part === wildcard);
}

const fold = (name: string): string => name.normalize('NFC').toLowerCase();
