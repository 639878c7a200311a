// Tests the walk, which compares a real music folder with known files in memory.
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TrackId } from '../../../server/db/ids.ts';
import type { FolderBatch } from '../../../server/scan/walk/compare-folder.ts';
import type { KnownFile, KnownFileLookup } from '../../../server/scan/walk/known-files.ts';
import { IGNORE_FILES } from '../../../server/files/ignore-rules.ts';
import { walk } from '../../../server/scan/walk/walk.ts';

const onUnix = test.skipIf(process.platform === 'win32');
const onLinux = test.skipIf(process.platform !== 'linux');

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tonearm-walk-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function makeFiles(...files: string[]): void {
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), IGNORE_FILES.includes(basename(file)) ? '' : file);
  }
}

interface KnownFolder {
  path: string;
  imageName: string | null;
  signature: string | null;
  files: KnownFile[];
}

interface KnownFileRow extends KnownFileLookup {
  folders: KnownFolder[];
  queriedFolders: string[];
  /** Begins a walk of these folders, none of which has been seen yet. */
  begin: (folders: string[]) => void;
}

/** Creates the known files that a database would have; a folder's id is its index in the list. */
function knownFiles(folders: KnownFolder[] = []): KnownFileRow {
  const queriedFolders: string[] = [];
  const seenIds = new Set<number>();
  let walkedFolders: string[] = [];
  const listFilesOf = (id: number): KnownFile[] => folders[id]?.files ?? [];
  return {
    folders,
    queriedFolders,
    findFolder(path) {
      const id = folders.findIndex((folder) => folder.path === path);
      const { imageName = null, signature = null } = folders[id] ?? {};
      seenIds.add(id);
      return id < 0 ? undefined : { id, path, imageName, artistImage: null, signature, linkTarget: null };
    },
    listFiles(id) {
      queriedFolders.push(folders[id]?.path ?? '?');
      return listFilesOf(id);
    },
    listUnvisitedFolders: () =>
      folders
        .map(({ path, imageName, signature }, id) => ({
          id,
          path,
          imageName,
          artistImage: null,
          signature,
          linkTarget: null,
        }))
        .filter(({ id }) => !seenIds.has(id))
        .filter(({ path }) =>
          walkedFolders.some((walkedFolder) => walkedFolder === '' || `${path}/`.startsWith(`${walkedFolder}/`)),
        ),
    begin(foldersToWalk) {
      walkedFolders = foldersToWalk;
      seenIds.clear();
    },
    listPlaylists: () => [],
    listPresent: (id) => listFilesOf(id).filter((file) => file.state === 'track' || file.state === 'failed'),
    hasPresent: () => false,
    listLinks: () => [],
  };
}

const OWN_FOLDERS = { data: '/nowhere/data', storageRoot: '/nowhere/stored' };

interface WalkedPart {
  walkRoot?: string;
  folders?: string[];
  restore?: boolean;
}

function* walking(knownFiles: KnownFileRow, { walkRoot = root, folders = [''], restore = false }: WalkedPart = {}) {
  knownFiles.begin(folders);
  yield* walk({
    root: walkRoot,
    folders,
    closedKeys: [],
    ignoredNames: '',
    readsPlaylists: true,
    ownFolders: OWN_FOLDERS,
    knownFiles,
    restore,
    canSplit: true,
  });
}

const walkAll = (knownRows: KnownFileRow = knownFiles(), walkedPart: WalkedPart = {}): FolderBatch[] => [
  ...walking(knownRows, walkedPart),
];

/** Turns all files that a walk found into tracks. */
function makeTrackRows(state: KnownFile['state'] = 'track'): ReturnType<typeof knownFiles> {
  return knownFiles(
    walkAll().map(({ path, imageName, signature, candidates }) => ({
      path,
      imageName,
      signature: state === 'track' || candidates.length === 0 ? signature : null,
      files: candidates.map(({ name, sizeBytes, mtimeUs, dev, ino, ctimeUs }, n) => ({
        name,
        sizeBytes,
        mtimeUs,
        dev,
        ino,
        ctimeUs,
        state,
        reason: state === 'failed' ? 'it is no audio' : null,
        lyricsMark: null,
        sheetsMark: null,
        trackId: state === 'deleted' ? null : ((n + 1) as TrackId),
      })),
    })),
  );
}

const paths = (batches: FolderBatch[], pickFiles: (batch: FolderBatch) => readonly { name: string }[]): string[] =>
  batches
    .flatMap((batch) => pickFiles(batch).map(({ name }) => (batch.path === '' ? name : `${batch.path}/${name}`)))
    .toSorted();
const candidates = (batches: FolderBatch[]): string[] => paths(batches, (batch) => batch.candidates);
const listGonePaths = (batches: FolderBatch[]): string[] => paths(batches, (batch) => batch.goneFiles);
const listReturnedPaths = (batches: FolderBatch[]): string[] => paths(batches, (batch) => batch.returnedFiles);
const reasons = (
  batches: FolderBatch[],
  pickFiles: (batch: FolderBatch) => readonly { name: string; reason: string }[] = (batch) => batch.skippedFiles,
): Record<string, string> =>
  Object.fromEntries(
    batches.flatMap((batch) =>
      pickFiles(batch).map(({ name, reason }) => [batch.path === '' ? name : `${batch.path}/${name}`, reason]),
    ),
  );
const countUnchanged = (batches: FolderBatch[]): number =>
  batches.reduce((sum, batch) => sum + batch.unchangedCount, 0);
const touch = (file: string, seconds: number): void => utimesSync(join(root, file), seconds, seconds);

describe('what is found', () => {
  test('is audio by its name, whatever the case, in every folder', () => {
    makeFiles('a.mp3', 'B.FLAC', 'x/c.Ogg', 'x/y/z/d.m4a', 'x/notes.txt', 'x/no-extension', 'x/.mp3', 'x/list.mp3.bak');
    const batches = walkAll();
    expect(candidates(batches)).toEqual(['B.FLAC', 'a.mp3', 'x/c.Ogg', 'x/y/z/d.m4a']);
    expect(reasons(batches)).toEqual({
      'x/notes.txt': 'not audio',
      'x/no-extension': 'not audio',
      'x/.mp3': expect.stringMatching(/^hidden/),
      'x/list.mp3.bak': 'not audio',
    });
  });

  test('has its size, its time and its identity on disk', () => {
    makeFiles('a.mp3');
    utimesSync(join(root, 'a.mp3'), 1_000, 1_234.567891);
    const stat = statSync(join(root, 'a.mp3'));
    expect(walkAll()[0]?.candidates).toEqual([
      {
        name: 'a.mp3',
        sizeBytes: 5,
        mtimeUs: expect.closeTo(1_234_567_891, -1) as number,
        dev: stat.dev,
        ino: stat.ino,
        ctimeUs: Math.round(stat.ctimeMs * 1000),
        lyricsMark: null,
        sheetsMark: null,
        knownFile: null,
      },
    ]);
  });

  test('is nothing in an empty folder, which is then known', () => {
    expect(candidates(walkAll())).toEqual([]);
    expect(walkAll(makeTrackRows())).toEqual([]);
  });

  test('excludes folders with an ignore mark, and everything below', () => {
    makeFiles(
      'a.mp3',
      'ignored/.ignore',
      'ignored/b.mp3',
      'ignored/deep/c.mp3',
      'media/.nomedia',
      'media/d.mp3',
      'media/e.txt',
      'fine/ignore/f.mp3',
    );
    const batches = walkAll();
    expect(candidates(batches)).toEqual(['a.mp3', 'fine/ignore/f.mp3']);
    expect(reasons(batches)).toEqual({});
  });

  test('is nothing when the music folder itself is marked', () => {
    makeFiles('a.mp3', '.ignore');
    expect(walkAll()).toEqual([]);
  });

  test('excludes names that start with one dot', () => {
    makeFiles('.hidden.mp3', '.folder/a.mp3', '._a.mp3', '...And.mp3', 'a.mp3');
    const batches = walkAll();
    expect(candidates(batches)).toEqual(['...And.mp3', 'a.mp3']);
    expect(Object.keys(reasons(batches)).toSorted()).toEqual(['._a.mp3', '.folder', '.hidden.mp3']);
  });

  test('includes a folder that is named like a track', () => {
    makeFiles('Live.mp3/a.mp3');
    expect(candidates(walkAll())).toEqual(['Live.mp3/a.mp3']);
  });

  test('is 128 levels deep, and reports where it stops', () => {
    const folderNames = Array.from({ length: 130 }, () => 'd');
    makeFiles(...[1, 128, 129, 130].map((levels) => [...folderNames.slice(0, levels), 'a.mp3'].join('/')));
    const batches = walkAll();
    expect(candidates(batches).map((path) => path.split('/').length - 1)).toEqual([1, 128]);
    expect(Object.entries(reasons(batches))).toEqual([
      [folderNames.slice(0, 129).join('/'), 'the folder is more than 128 levels deep'],
    ]);
  });

  test('is only what is below a requested folder', () => {
    makeFiles('a.mp3', 'x/b.mp3', 'x/y/c.mp3', 'xy/d.mp3');
    expect(candidates(walkAll(knownFiles(), { folders: ['x'] }))).toEqual(['x/b.mp3', 'x/y/c.mp3']);
    expect(candidates(walkAll(knownFiles(), { folders: ['x/y'] }))).toEqual(['x/y/c.mp3']);
  });
});

describe('links', () => {
  onUnix('to a file inside the music folder are followed', () => {
    makeFiles('x/a.mp3', 'x/cover.jpg');
    symlinkSync('x/a.mp3', join(root, 'b.mp3'));
    symlinkSync(join(root, 'b.mp3'), join(root, 'c.mp3'));
    symlinkSync('x/cover.jpg', join(root, 'cover.jpg'));
    const batches = walkAll();
    expect(candidates(batches)).toEqual(['b.mp3', 'c.mp3', 'x/a.mp3']);
    expect(batches.find((batch) => batch.path === '')).toMatchObject({
      imageName: 'cover.jpg',
      candidates: [{ sizeBytes: 7 }, { sizeBytes: 7 }],
    });
  });

  onUnix('to anything else are not, and each is told why', () => {
    makeFiles('music/x/a.mp3', 'outside.mp3', 'outside/b.mp3', 'music-too/c.mp3');
    const linkInMusic = (target: string, linkPath: string): void => symlinkSync(target, join(root, 'music', linkPath));
    linkInMusic('../outside.mp3', 'out.mp3');
    linkInMusic('../music-too/c.mp3', 'sibling.mp3');
    linkInMusic(join(root, 'outside'), 'folder.mp3');
    linkInMusic('.', 'self');
    linkInMusic('nowhere.mp3', 'dangling.mp3');
    linkInMusic('two.mp3', 'one.mp3');
    linkInMusic('one.mp3', 'two.mp3');
    linkInMusic('/dev/null', 'null.mp3');
    linkInMusic('out.mp3', 'further.mp3');
    const batches = walkAll(knownFiles(), { walkRoot: join(root, 'music') });
    expect(candidates(batches)).toEqual(['x/a.mp3']);
    expect(reasons(batches)).toEqual({
      'out.mp3': expect.stringMatching(/leads out/),
      'sibling.mp3': expect.stringMatching(/leads out/),
      'further.mp3': expect.stringMatching(/leads out/),
      'folder.mp3': expect.stringMatching(/to a folder/),
      self: expect.stringMatching(/to a folder/),
      'dangling.mp3': expect.stringMatching(/does not exist/),
      'one.mp3': expect.stringMatching(/leads to itself/),
      'two.mp3': expect.stringMatching(/leads to itself/),
      'null.mp3': expect.stringMatching(/not a file/),
    });
  });

  onUnix('on the way to the music folder do not matter', () => {
    makeFiles('music/a.mp3');
    symlinkSync('music', join(root, 'link'));
    symlinkSync('a.mp3', join(root, 'music/b.mp3'));
    expect(candidates(walkAll(knownFiles(), { walkRoot: join(root, 'link') }))).toEqual(['a.mp3', 'b.mp3']);
  });

  onUnix('and pipes are passed over without waiting', () => {
    makeFiles('a.mp3');
    execFileSync('mkfifo', [join(root, 'pipe.mp3')]);
    const batches = walkAll();
    expect(candidates(batches)).toEqual(['a.mp3']);
    expect(reasons(batches)).toEqual({ 'pipe.mp3': expect.stringMatching(/^not a file/) });
  });
});

describe('names', () => {
  const makeBytes = (...parts: Buffer[]): void =>
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), ...parts]), 'x');
  const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

  onLinux('that are no UTF-8 are written with escapes, of files and of folders', () => {
    mkdirSync(Buffer.concat([Buffer.from(`${root}/`), latin1('d\xfc')]));
    makeBytes(latin1('caf\xe9.mp3'));
    makeBytes(latin1('d\xfc/\xff.mp3'));
    makeBytes(latin1('d\xfc/plain.mp3'));
    const batches = walkAll();
    expect(candidates(batches)).toEqual(['caf\\xe9.mp3', 'd\\xfc/\\xff.mp3', 'd\\xfc/plain.mp3']);
    expect(batches.flatMap((batch) => batch.repeatedFailures)).toEqual([]);
    expect(candidates(walkAll(knownFiles(), { folders: ['d\\xfc'] }))).toHaveLength(2);
  });

  onLinux('that look like escapes are told from those that are', () => {
    makeBytes(latin1('a\xe9.mp3'));
    makeBytes(Buffer.from('a\\xe9.mp3'));
    const batches = walkAll();
    expect(candidates(batches)).toEqual(['a\\x5cxe9.mp3', 'a\\xe9.mp3']);
    expect(new Set(batches[0]?.candidates.map(({ ino }) => ino)).size).toBe(2);
    makeFiles('x/a\\xe9.mp3'); // this folder also has names that are valid text
    expect(candidates(walkAll(knownFiles(), { folders: ['x'] }))).toEqual(['x/a\\x5cxe9.mp3']);
  });

  onLinux('in both Unicode forms are two files', () => {
    makeFiles('Bj\u00f6rk.mp3', 'Bjo\u0308rk.mp3', '\ufffd.mp3', '夜/🎸.mp3');
    expect(candidates(walkAll())).toEqual(['Bj\u00f6rk.mp3', 'Bjo\u0308rk.mp3', '\ufffd.mp3', '夜/🎸.mp3'].toSorted());
  });
});

describe('the cover image in a folder', () => {
  test.each([
    [['cover.jpg', 'folder.jpg'], 'cover.jpg'],
    [['front.png', 'folder.webp', 'album.jpg'], 'folder.webp'],
    [['AlbumArtSmall.jpg', 'AlbumArt.jpg'], 'AlbumArt.jpg'],
    [
      ['AlbumArtSmall.jpg', 'AlbumArt_{B5020207-474E-4720}_Large.jpg', 'AlbumArt_{B5020207-474E-4720}_Small.jpg'],
      'AlbumArt_{B5020207-474E-4720}_Large.jpg',
    ],
    [['cover.avif'], 'cover.avif'],
    [['Front.PNG'], 'Front.PNG'],
    [['COVER.JPEG', 'booklet.jpg'], 'COVER.JPEG'],
    [['booklet.jpg', 'back.png'], null],
    [['cover.txt', 'cover'], null],
    [['cover.jpg.mp3'], null],
  ])('of %j is %j', (images, expectedImage) => {
    makeFiles('a.mp3', ...images);
    expect(walkAll()[0]).toMatchObject({ imageName: expectedImage, imageChanged: expectedImage !== null });
  });

  test('is reported when it is added, renamed and removed', () => {
    makeFiles('x/a.mp3');
    const knownRows = makeTrackRows();
    expect(walkAll(knownRows).map((batch) => batch.imageChanged)).toEqual([false]);
    makeFiles('x/cover.jpg');
    expect(walkAll(knownRows)).toMatchObject([
      { path: 'x', imageName: 'cover.jpg', imageChanged: true, unchangedCount: 1 },
    ]);
    (knownRows.folders.find((folder) => folder.path === 'x') as KnownFolder).imageName = 'cover.jpg';
    expect(walkAll(knownRows)).toMatchObject([{ imageChanged: false }]);
    unlinkSync(join(root, 'x/cover.jpg'));
    expect(walkAll(knownRows)).toMatchObject([{ path: 'x', imageName: null, imageChanged: true }]);
  });
});

describe('a known file', () => {
  test('that is unchanged is only counted, and no row of its folder is read', () => {
    makeFiles('a.mp3', 'b.mp3', 'x/c.mp3');
    const knownRows = makeTrackRows();
    knownRows.listFiles = () => {
      throw new Error('a row was read');
    };
    const batches = walkAll(knownRows);
    expect(batches).toHaveLength(1);
    expect(countUnchanged(batches)).toBe(3);
    expect(candidates(batches)).toEqual([]);
  });

  test.each<[string, () => void]>([
    [
      'another size',
      () => {
        writeFileSync(join(root, 'x/a.mp3'), 'longer than before');
        touch('x/a.mp3', 1_000);
      },
    ],
    ['a later time', () => touch('x/a.mp3', 2_000)],
    ['an earlier time', () => touch('x/a.mp3', 500)],
    ['a time that differs by a thousandth of a second', () => touch('x/a.mp3', 1_000.001)],
  ])('with %s is read again, and its neighbours are not', (_, change) => {
    makeFiles('x/a.mp3', 'x/b.mp3', 'y/c.mp3');
    for (const file of ['x/a.mp3', 'x/b.mp3']) touch(file, 1_000);
    const knownRows = makeTrackRows();
    change();
    const batches = walkAll(knownRows);
    expect(candidates(batches)).toEqual(['x/a.mp3']);
    expect(batches[0]?.candidates[0]?.knownFile).toMatchObject({ name: 'a.mp3', state: 'track' });
    expect(countUnchanged(batches)).toBe(2);
    expect(knownRows.queriedFolders).toEqual(['x']);
    expect(batches[0]?.signature).toEqual(expect.any(String));
  });

  test('that failed is reported again, and its folder is not skipped', () => {
    makeFiles('x/a.mp3');
    const batches = walkAll(makeTrackRows('failed'));
    expect(reasons(batches, (batch) => batch.repeatedFailures)).toEqual({ 'x/a.mp3': 'it is no audio' });
    expect(batches).toMatchObject([{ signature: null, unchangedCount: 1, candidates: [] }]);
  });

  test('of a deleted track stays deleted until it changes or deleted ones are requested', () => {
    makeFiles('x/a.mp3');
    const knownRows = makeTrackRows('deleted');
    expect(walkAll(knownRows)).toMatchObject([
      { unchangedCount: 1, candidates: [], goneFiles: [], repeatedFailures: [] },
    ]);
    expect(candidates(walkAll(knownRows, { restore: true }))).toEqual(['x/a.mp3']);
    touch('x/a.mp3', 99);
    expect(candidates(walkAll(knownRows))).toEqual(['x/a.mp3']);
  });

  test('that is a track is not read again when deleted ones are requested', () => {
    makeFiles('x/a.mp3');
    expect(candidates(walkAll(makeTrackRows(), { restore: true }))).toEqual([]);
  });

  test('that was missing and is back unchanged has returned', () => {
    makeFiles('x/a.mp3', 'x/b.mp3');
    const batches = walkAll(makeTrackRows('gone'));
    expect(listReturnedPaths(batches)).toEqual(['x/a.mp3', 'x/b.mp3']);
    expect(candidates(batches)).toEqual([]);
  });

  test('that was missing and is back changed is read again', () => {
    makeFiles('x/a.mp3');
    const knownRows = makeTrackRows('gone');
    touch('x/a.mp3', 99);
    expect(candidates(walkAll(knownRows))).toEqual(['x/a.mp3']);
  });

  test('that cannot be read is not missing', () => {
    makeFiles('x/a.mp3', 'x/b.mp3');
    const knownRows = makeTrackRows();
    const { findFolder } = knownRows;
    knownRows.findFolder = (path) => {
      // the file disappears after the listing and before its stat
      if (path === 'x') rmSync(join(root, 'x/a.mp3'));
      return findFolder(path);
    };
    const batches = walkAll(knownRows);
    expect(listGonePaths(batches)).toEqual([]);
    expect(reasons(batches, (batch) => batch.repeatedFailures)).toEqual({
      'x/a.mp3': 'the file cannot be looked at (ENOENT)',
    });
    expect(batches[0]?.signature).toBeNull();
  });
});

describe('missing', () => {
  test('is a file whose name is no longer in its folder', () => {
    makeFiles('x/a.mp3', 'x/b.mp3');
    const knownRows = makeTrackRows();
    unlinkSync(join(root, 'x/a.mp3'));
    const batches = walkAll(knownRows);
    expect(listGonePaths(batches)).toEqual(['x/a.mp3']);
    expect(countUnchanged(batches)).toBe(1);
  });

  test.each(['gone', 'deleted'] as const)('is not reported again for one that is %s', (state) => {
    makeFiles('x/a.mp3', 'y/b.mp3');
    const knownRows = makeTrackRows(state);
    rmSync(join(root, 'x'), { recursive: true });
    unlinkSync(join(root, 'y/b.mp3'));
    expect(listGonePaths(walkAll(knownRows))).toEqual([]);
  });

  test('is everything below a folder that no longer exists', () => {
    makeFiles('a.mp3', 'x/b.mp3', 'x/y/c.mp3', 'xy/d.mp3');
    const knownRows = makeTrackRows();
    renameSync(join(root, 'x'), join(root, 'z'));
    const batches = walkAll(knownRows);
    expect(listGonePaths(batches)).toEqual(['x/b.mp3', 'x/y/c.mp3']);
    expect(candidates(batches)).toEqual(['z/b.mp3', 'z/y/c.mp3']);
  });

  test('is everything below a folder that was replaced by a file or a hidden folder', () => {
    makeFiles('x/b.mp3', 'y/c.mp3');
    const knownRows = makeTrackRows();
    rmSync(join(root, 'x'), { recursive: true });
    makeFiles('x');
    renameSync(join(root, 'y'), join(root, '.y'));
    expect(listGonePaths(walkAll(knownRows))).toEqual(['x/b.mp3', 'y/c.mp3']);
  });

  test('is nothing outside of the walked folders', () => {
    makeFiles('x/a.mp3', 'y/b.mp3');
    const knownRows = makeTrackRows();
    rmSync(join(root, 'y'), { recursive: true });
    unlinkSync(join(root, 'x/a.mp3'));
    expect(listGonePaths(walkAll(knownRows, { folders: ['x'] }))).toEqual(['x/a.mp3']);
  });

  test.each(['.ignore', '.nomedia'])('is everything below a folder that has %s now', (markName) => {
    makeFiles('x/a.mp3', 'x/y/b.mp3', 'xy/c.mp3');
    const knownRows = makeTrackRows();
    makeFiles(`x/${markName}`);
    expect(listGonePaths(walkAll(knownRows))).toEqual(['x/a.mp3', 'x/y/b.mp3']);
    expect(listGonePaths(walkAll(knownRows, { folders: ['x'] }))).toEqual(['x/a.mp3', 'x/y/b.mp3']);
    unlinkSync(join(root, 'x', markName));
    expect(listGonePaths(walkAll(knownRows))).toEqual([]);
  });

  test('is everything when the music folder itself is ignored now', () => {
    makeFiles('a.mp3', 'x/b.mp3');
    const knownRows = makeTrackRows();
    makeFiles('.nomedia');
    expect(listGonePaths(walkAll(knownRows))).toEqual(['a.mp3', 'x/b.mp3']);
  });

  test('is nothing below a folder that cannot be listed', () => {
    makeFiles('a.mp3', 'x/b.mp3', 'x/y/c.mp3', 'xy/d.mp3');
    const knownRows = makeTrackRows();
    makeFiles('new.mp3'); // the music folder has a new file, so that the walk pauses there
    const steps = walking(knownRows);
    const batches = [steps.next().value as FolderBatch];
    rmSync(join(root, 'x'), { recursive: true }); // the folder was in the listing, and cannot be opened now
    batches.push(...steps);
    expect(listGonePaths(batches)).toEqual([]);
    expect(reasons(batches, (batch) => batch.repeatedFailures)).toEqual({
      'x/': 'the folder cannot be listed (ENOENT); its tracks stay as they are',
    });
  });

  test('is nothing when the music folder itself does not exist', () => {
    makeFiles('a.mp3', 'x/b.mp3');
    const knownRows = makeTrackRows();
    rmSync(root, { recursive: true });
    const batches = walkAll(knownRows);
    expect(listGonePaths(batches)).toEqual([]);
    expect(reasons(batches, (batch) => batch.repeatedFailures)).toEqual({
      '': 'the folder cannot be listed (ENOENT); its tracks stay as they are',
    });
  });
});

describe('reports', () => {
  test('contain a folder with changes at once, and count the others at the end', () => {
    makeFiles('a/1.mp3', 'b/1.mp3', 'b/2.mp3', 'c/1.mp3');
    const knownRows = makeTrackRows();
    makeFiles('b/3.mp3');
    const batches = walkAll(knownRows);
    expect(batches.map(({ path, candidates: found, unchangedCount: same }) => [path, found.length, same])).toEqual([
      ['b', 1, 2],
      ['', 0, 2],
    ]);
  });

  test('are sent from time to time by a walk that finds nothing', () => {
    makeFiles(...Array.from({ length: 24 }, (_, n) => Array.from({ length: 100 }, (__, k) => `${n}/${k}.mp3`)).flat());
    const batches = walkAll(makeTrackRows());
    expect(countUnchanged(batches)).toBe(2_400);
    expect(batches.length).toBeGreaterThan(1);
    expect(Math.max(...batches.map((batch) => batch.unchangedCount))).toBeLessThanOrEqual(2_100);
  });

  test('have a signature only if every file can become a track', () => {
    makeFiles('good/a.mp3', 'mixed/a.mp3', 'mixed/b.mp3', 'lost/a.mp3', 'lost/b.mp3');
    const knownRows = makeTrackRows();
    for (const folder of knownRows.folders) folder.signature = null;
    const listFiles = (path: string): KnownFile[] =>
      knownRows.folders.find((folder) => folder.path === path)?.files ?? [];
    (listFiles('mixed')[0] as KnownFile).state = 'failed';
    unlinkSync(join(root, 'lost/a.mp3'));
    expect(Object.fromEntries(walkAll(knownRows).map(({ path, signature }) => [path, signature !== null]))).toEqual({
      '': true,
      good: true,
      mixed: false,
      lost: false,
    });
  });
});
