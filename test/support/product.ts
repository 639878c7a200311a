// Paths of the parts of the product that tests start.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isFresh } from '../../scripts/built-parts.js';
import { productPaths } from '../../server/paths.ts';

export const root = join(import.meta.dirname, '..', '..');
/** For `--import` of programs that run from the sources. */
export const quickImports = pathToFileURL(join(root, 'scripts', 'quick-imports.ts')).href;

/** Threads start four times as fast from the bundle, so it is used whenever it is as new as the sources. */
export const paths = productPaths(root, isFresh('server'));
