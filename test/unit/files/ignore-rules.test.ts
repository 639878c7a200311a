import { describe, expect, it } from 'vitest';
import {
  addIgnoreFile,
  createIgnoreRules,
  findIgnoreReason,
  isHiddenName,
  rulesInFolder,
  type IgnoreRules,
} from '../../../server/files/ignore-rules.ts';

/** Returns whether a path is left out by an ignore file in the music folder, or by one of its folders. */
function isLeftOut(rules: IgnoreRules, path: string): boolean {
  const isFolder = path.endsWith('/');
  const names = path.split('/').filter((name) => name !== '');
  let folderRules = rules;
  return names.some((name, i) => {
    const isIgnored = findIgnoreReason(folderRules, name, isFolder || i < names.length - 1) !== undefined;
    folderRules = rulesInFolder(folderRules, name);
    return isIgnored;
  });
}
const withFile = (text: string, name = '.ndignore'): IgnoreRules => addIgnoreFile(createIgnoreRules(''), name, text);

// the rows follow gitignore(5); upper and lower case are the same
it.each([
  ['*.wav', 'a.wav', true],
  ['*.wav', 'Artist/Album/A.WAV', true],
  ['*.wav', 'a.wave', false],
  ['Demos', 'Artist/Demos/a.mp3', true],
  ['Demos', 'Artist/Demos.mp3', false],
  ['Demos/', 'Demos', false],
  ['Demos/', 'Demos/', true],
  ['/Demos', 'Artist/Demos/a.mp3', false],
  ['/Demos', 'Demos/a.mp3', true],
  ['Artist/Demos', 'Artist/Demos/a.mp3', true],
  ['Artist/Demos', 'Other/Artist/Demos/a.mp3', false],
  ['**/Demos', 'Other/Artist/Demos/a.mp3', true],
  ['Artist/**/Live', 'Artist/Live/', true],
  ['Artist/**/Live', 'Artist/2001/Paris/Live/', true],
  ['Artist/**', 'Artist/', false],
  ['Artist/**', 'Artist/a.mp3', true],
  ['Artist/*', 'Artist/Album/', true],
  ['a?c.mp3', 'abc.mp3', true],
  ['a?c.mp3', 'ac.mp3', false],
  ['disc[12]', 'disc2/a.mp3', true],
  ['disc[!12]', 'disc2/a.mp3', false],
  ['disc[a-c]', 'discB/', true],
  ['[x', '[x/', true],
  ['\\#1 Hits', '#1 Hits/', true],
  ['#1 Hits', '#1 Hits/', false],
  ['\\!Live', '!Live/', true],
  ['*.mp3\n!keep.mp3', 'keep.mp3', false],
  ['*.mp3\n!keep.mp3', 'other.mp3', true],
  ['!keep.mp3\n*.mp3', 'keep.mp3', true],
  ['Demos  ', 'Demos/', true],
  ['/', 'Demos/', false],
  ['!', 'Demos/', false],
  ['Demos\n!', 'Demos/', true],
  ['['.repeat(1_000), 'Demos/', false],
  ['\ufeffDemos\r\n', 'Demos/', true],
  ['Bj\u00f6rk', 'Bjo\u0308rk/', true],
  ['*a*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(255), false],
])('the pattern %j leaves out %j: %s', (pattern, path, isIgnored) => {
  expect(isLeftOut(withFile(pattern), path)).toBe(isIgnored);
});

it('patterns hold from the folder of their file on, and those of inner files count more', () => {
  const rules = withFile('*.flac\n/Live');
  const inner = addIgnoreFile(rulesInFolder(rules, 'Artist'), '.ignore', '!best.flac');
  expect(findIgnoreReason(inner, 'a.flac', false)).toBe('left out by the pattern *.flac in .ndignore');
  expect(findIgnoreReason(inner, 'best.flac', false)).toBeUndefined();
  expect(findIgnoreReason(inner, 'Live', true)).toBeUndefined();
});

it.each([
  ['.nomedia', '*.wav', true],
  ['.ignore', '', true],
  ['.ndignore', '# nothing\n\n', true],
  ['.plexignore', '', false],
  ['.ignore', '*.wav', false],
])('%s with the text %j leaves out its folder: %s', (name, text, isIgnored) => {
  expect(withFile(text, name).ignoredBy !== undefined).toBe(isIgnored);
});

it('refuses a file with too many patterns', () => {
  expect(() => withFile('a\n'.repeat(1_001))).toThrow('.ndignore has more than 1000 patterns');
});

describe('LOCAL_MEDIA_IGNORE', () => {
  const rules = createIgnoreRules('#recycle, @eaDir,/RECYCLER, *.part');

  it.each([
    ['#Recycle/', true],
    ['Artist/@EADIR/', true],
    ['RECYCLER/', true],
    ['Artist/Recycler/', false],
    ['Artist/a.mp3.part', true],
    ['Artist/#recycled/', false],
  ])('%s is left out: %s', (path, isIgnored) => expect(isLeftOut(rules, path)).toBe(isIgnored));

  it('may be empty', () => expect(isLeftOut(createIgnoreRules(''), '#recycle/')).toBe(false));

  it('is named as the reason', () =>
    expect(findIgnoreReason(rules, '#recycle', true)).toBe(
      'left out, because the setting LOCAL_MEDIA_IGNORE contains #recycle',
    ));
});

it.each([
  ['...And Justice for All', false],
  ['...Baby One More Time.flac', false],
  ['..Featuring Norah Jones', false],
  ['...', false],
  ['.5 The Gray Chapter', false],
  ['.38 Special', false],
  ['.hidden', true],
  ['.Trash-1000', true],
  ['._01 Song.mp3', true],
  ['.5.1.mp3', true],
  ['Song.mp3', false],
])('the name %s is hidden: %s', (name, isHidden) => expect(isHiddenName(name)).toBe(isHidden));

it('a later pattern of the setting with ! takes back an earlier one', () => {
  const rules = createIgnoreRules('*.tmp, Live*, !Live at Leeds, !Keep');
  const reasons = ['a.tmp', 'Live', 'Live at Leeds', 'Keep'].map((name) => findIgnoreReason(rules, name, true));
  expect(reasons.map((reason) => reason !== undefined)).toEqual([true, true, false, false]);
});

it('a pattern that is too long is refused', () => {
  expect(() => withFile('a'.repeat(1_001))).toThrow('1000 characters');
});
