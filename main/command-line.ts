// The command line, at launch or of a second instance: links, files to open, and whether to show a window.
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

interface LaunchRequests {
  links: string[];
  paths: string[];
  isHidden: boolean;
}

/** Given to the app when it starts at login. */
export const HIDDEN_OPTION = '--hidden';
const MAX_ARGUMENTS = 500;

/**
 * `argv` with the program first; Chromium adds options of its own. `appPath` is the app's folder, which is an argument
 * in development.
 */
export function readCommandLine(
  argv: readonly string[],
  { workingDirectory, appPath }: { workingDirectory: string; appPath: string },
): LaunchRequests {
  const words = argv
    .slice(1)
    .map(asPath)
    .filter((word) => word !== '' && !word.startsWith('-') && !word.includes('\0'))
    .slice(0, MAX_ARGUMENTS);
  // Whatever begins like an address is one, so that a page has no way to name a file; of at least two letters, for C:\.
  const isLink = (word: string): boolean => /^[a-z][a-z\d+.-]+:/i.test(word);
  return {
    links: words.filter(isLink),
    paths: words
      .filter((word) => !isLink(word))
      .map((word) => (isAbsolute(word) ? word : resolve(workingDirectory, word)))
      .filter((path) => path !== appPath),
    isHidden: argv.includes(HIDDEN_OPTION),
  };
}

/** Linux file managers pass file URLs (`%U` of the desktop entry, which links need). */
function asPath(word: string): string {
  if (!/^file:\/\//i.test(word)) return word;
  try {
    return fileURLToPath(word);
  } catch {
    return ''; // on another machine, or no path of this system
  }
}
