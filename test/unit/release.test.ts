import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gatherRelease } from '../../scripts/release.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-release-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const feed = (arch: string, version = '1.0.0'): string =>
  `version: ${version}\nfiles:\n  - url: Tonearm-${version}-mac-${arch}.zip\n    sha512: ${arch}\n    size: 7\npath: Tonearm-${version}-mac-${arch}.zip\nsha512: ${arch}\nreleaseDate: '2026-01-01T00:00:00.000Z'\n`;

function machine(name: string, files: Record<string, string>): void {
  mkdirSync(join(dir, 'from', name), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, 'from', name, file), text);
}

const gatherFiles = (): void => gatherRelease(join(dir, 'from'), join(dir, 'to'));
const readGathered = (name: string): string => readFileSync(join(dir, 'to', name), 'utf8');

it('one feed has the packages of both processors of a system, and everything has a checksum', () => {
  machine('mac-arm64', {
    'Tonearm-1.0.0-mac-arm64.zip': 'arm',
    'latest-mac.yml': feed('arm64'),
    'builder-debug.yml': 'no part of it',
  });
  machine('mac-x64', { 'Tonearm-1.0.0-mac-x64.zip': 'x64', 'latest-mac.yml': feed('x64') });
  machine('linux-x64', { 'Tonearm-1.0.0-linux-x86_64.AppImage': 'linux', 'latest-linux.yml': feed('x64') });
  gatherFiles();
  expect(readGathered('latest-mac.yml')).toBe(
    feed('arm64').replace(
      '    size: 7\n',
      '    size: 7\n  - url: Tonearm-1.0.0-mac-x64.zip\n    sha512: x64\n    size: 7\n',
    ),
  );
  expect(readGathered('latest-linux.yml')).toBe(feed('x64'));
  const files = readdirSync(join(dir, 'to'))
    .filter((name) => name !== 'SHA256SUMS')
    .toSorted();
  expect(files).toEqual([
    'Tonearm-1.0.0-linux-x86_64.AppImage',
    'Tonearm-1.0.0-mac-arm64.zip',
    'Tonearm-1.0.0-mac-x64.zip',
    'latest-linux.yml',
    'latest-mac.yml',
  ]);
  expect(readGathered('SHA256SUMS')).toBe(
    files.map((name) => `${createHash('sha256').update(readGathered(name)).digest('hex')}  ${name}\n`).join(''),
  );
});

it('packages of two versions are not one release, and no package replaces another', () => {
  machine('mac-arm64', { 'latest-mac.yml': feed('arm64') });
  machine('mac-x64', { 'latest-mac.yml': feed('x64', '1.0.1') });
  expect(gatherFiles).toThrow('The feeds are of different versions: 1.0.0 and 1.0.1.');
  rmSync(join(dir, 'from', 'mac-x64'), { recursive: true });
  machine('a', { 'Tonearm.dmg': '1' });
  machine('b', { 'Tonearm.dmg': '2' });
  expect(gatherFiles).toThrow('Two machines made Tonearm.dmg.');
});
