// Paths of the parts of the product that tests start.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isFresh } from '../../scripts/built-parts.js';
import { productPaths } from '../../server/paths.ts';

export const root = join(import.meta.dirname, '..', '..');
/** Module for the `--import` option of programs that run from the sources. */
export const quickImports = pathToFileURL(join(root, 'scripts', 'quick-imports.ts')).href;

/**
 * Paths of the worker threads and files: in the bundle if it is as new as the sources, because threads start four times
 * as fast from it.
 */
export const paths = productPaths(root, isFresh('server'));
