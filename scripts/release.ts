// Combines the packages that several machines built: node scripts/release.ts FROM TO. FROM contains a folder for each
// machine, TO receives the published files. Machines of one system write an update feed of the same name, each with its
// own packages; the feeds are merged. SHA256SUMS is written last.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PUBLISHED_FILE = /\.(AppImage|deb|dmg|zip|tar\.gz|exe|blockmap|json)$|^latest.*\.yml$/;

export function gatherRelease(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const machine of readdirSync(from).toSorted()) {
    for (const name of readdirSync(join(from, machine)).filter((file) => PUBLISHED_FILE.test(file))) {
      const [source, target] = [join(from, machine, name), join(to, name)];
      if (!existsSync(target)) copyFileSync(source, target);
      else if (name.endsWith('.yml'))
        writeFileSync(target, mergeFeeds(readFileSync(target, 'utf8'), readFileSync(source, 'utf8')));
      else throw new Error(`Two machines made ${name}.`);
    }
  }
  const sums = readdirSync(to)
    .toSorted()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(to, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(join(to, 'SHA256SUMS'), sums.join(''));
}

/**
 * Returns the first feed with the second feed's packages added under `files:`. Feeds are YAML of one fixed shape: only
 * packages are indented.
 */
function mergeFeeds(feed: string, otherFeed: string): string {
  const versionOf = (text: string): string | undefined => /^version: (.+)$/m.exec(text)?.[1];
  if (versionOf(feed) !== versionOf(otherFeed))
    throw new Error(`The feeds are of different versions: ${versionOf(feed)} and ${versionOf(otherFeed)}.`);
  const packages = otherFeed.split('\n').filter((line) => line.startsWith('  '));
  return feed.replace(/^files:\n(?: {2}.*\n)*/m, (ownPackages) => `${ownPackages}${packages.join('\n')}\n`);
}

if (import.meta.main) {
  const [from, to] = process.argv.slice(2);
  if (from === undefined || to === undefined) throw new Error('node scripts/release.ts FROM TO');
  gatherRelease(from, to);
}
