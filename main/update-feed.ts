import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Whether this copy knows where updates are published: electron-builder writes that file for the repository or the
 * address that the release is built with, see docs/desktop.md.
 */
export function hasUpdateFeed(resources: string): boolean {
  try {
    return /^(?:owner|url): \S/m.test(readFileSync(join(resources, 'app-update.yml'), 'utf8'));
  } catch {
    return false;
  }
}
