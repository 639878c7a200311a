// Parses the command line of the app at launch or of a second instance: links, files to open, and whether to show a
// window.
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

interface LaunchRequests {
  links: string[];
  paths: string[];
  isHidden: boolean;
}

/** The option with which the system starts the app at login. */
export const HIDDEN_OPTION = '--hidden';
const MAX_ARGUMENTS = 500;

/**
 * Parses `argv`, which begins with the program and contains options that Chromium added. `appPath` is the app's folder,
 * which is an argument in development.
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
  // Everything that begins like a URL counts as a link, so that a web page cannot name a file. The scheme has at least
  // two letters, unlike the drive in C:\.
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

/**
 * Returns the path of a file URL. Linux file managers pass such URLs, because the desktop entry needs `%U` for links.
 */
function asPath(word: string): string {
  if (!/^file:\/\//i.test(word)) return word;
  try {
    return fileURLToPath(word);
  } catch {
    return ''; // the file is on another machine, or the URL has no path on this system
  }
}
