// Decides which links to folders scans and watches follow. A music folder has to allow it. Links into a music folder
// are not followed, because their folders are scanned anyway. Of several links to one folder, the one that the last
// scan followed counts, or else the first one. So each folder is scanned once, and links that form a loop end.
import fs from 'node:fs';
import { dirname, join as joinOnDisk } from 'node:path';
import type { Sqlite } from '../db/client.ts';
import { findUnsuitableReason, type OwnFolders } from '../runtime/unsuitable-folders.ts';
import { isInside } from '../runtime/system-folders.ts';
import {
  keyOfPath,
  locateInRoots,
  pathInRoot,
  rootKeysOf,
  rootPathOf,
  type MusicRoots,
} from '../storage/music-roots.ts';
import { absoluteOf, join } from './relative-path.ts';

/** A link that a scan followed. */
export interface FolderLink {
  /** Relative path of the link, as spelled on disk. */
  path: string;
  /** The folder to which it leads: an absolute path without links. */
  target: string;
}

/**
 * Where a link leads. `lost`: nowhere, for example because a disk is not connected. `refused`: it is not followed. The
 * reasons continue a sentence such as "left out: …".
 */
export type LinkEnd =
  | { kind: 'file' }
  | { kind: 'folder'; target: string }
  | { kind: 'lost'; reason: string }
  | { kind: 'refused'; reason: string };

export type FolderLinks = ReturnType<typeof createFolderLinks>;

/** Reads the links that the last scan followed. */
export const listFollowedLinks = (client: Pick<Sqlite, 'prepare'>, source: string): FolderLink[] =>
  client
    .prepare<[string], FolderLink>(
      `SELECT path, link_target AS target FROM source_folders
        WHERE source = ? AND link_target IS NOT NULL ORDER BY path`,
    )
    .all(source);

/** `lastLinks` are the links that the last scan followed. */
export function createFolderLinks(options: {
  roots: MusicRoots;
  ownFolders: OwnFolders;
  lastLinks: readonly FolderLink[];
}) {
  const { roots } = options;
  const realRoots = rootKeysOf(roots).flatMap((key) => realPathOf(locateInRoots(roots, rootPathOf(key)).root) ?? []);
  const ownFolders = {
    data: realPathOf(options.ownFolders.data) ?? options.ownFolders.data,
    storageRoot: realPathOf(options.ownFolders.storageRoot) ?? options.ownFolders.storageRoot,
  };
  const targets = new Map(options.lastLinks.map(({ path, target }) => [path, target]));

  /** Returns why a folder outside is not followed from the link at `path`. */
  function findRefusal(target: string, path: string): string | undefined {
    if (!locateInRoots(roots, path).followsLinks)
      return 'a link to a folder, and its music folder does not allow to follow these';
    if (realRoots.some((root) => isInside(target, root))) return 'a link to a folder that is scanned without it';
    if (realRoots.some((root) => isInside(root, target))) return 'a link to a folder that contains the music folder';
    const reason = findUnsuitableReason(target, ownFolders);
    if (reason !== undefined) return `a link to a folder that ${reason}`;
    const otherPath = findLink((otherTarget) => isInside(target, otherTarget), path);
    return otherPath === undefined ? undefined : `a link to a folder that is scanned as ${otherPath}`;
  }

  /** Finds another link whose target fulfills the condition, and which still leads there. */
  function findLink(isWanted: (target: string) => boolean, exceptPath: string): string | undefined {
    for (const [path, target] of targets) {
      if (path === exceptPath || !isWanted(target)) continue;
      if (locateInRoots(roots, path).followsLinks && realPathOf(absoluteOf(roots, path)) === target) return path;
      targets.delete(path);
    }
    return undefined;
  }

  /** Finds out where the link at `path` leads. */
  function resolve(path: string): LinkEnd {
    let target: string;
    let stat: fs.Stats;
    try {
      target = fs.realpathSync.native(absoluteOf(roots, path));
      stat = fs.statSync(target);
    } catch (error) {
      const isLoop = error instanceof Error && 'code' in error && error.code === 'ELOOP';
      return isLoop
        ? { kind: 'refused', reason: 'a link that leads to itself' }
        : { kind: 'lost', reason: 'a link to something that does not exist' };
    }
    if (stat.isDirectory()) {
      const reason = findRefusal(target, path);
      if (reason !== undefined) return { kind: 'refused', reason };
      targets.set(path, target);
      return { kind: 'folder', target };
    }
    if (!stat.isFile()) return { kind: 'refused', reason: 'a link to something that is not a file' };
    const { root, followsLinks } = locateInRoots(roots, path);
    if (isInside(target, realPathOf(root) ?? root)) return { kind: 'file' };
    if (!followsLinks) return { kind: 'refused', reason: 'a link that leads out of the music folder' };
    const reason = findUnsuitableReason(dirname(target), ownFolders);
    return reason === undefined ? { kind: 'file' } : { kind: 'refused', reason: `a link into a folder that ${reason}` };
  }

  return {
    resolve,

    /** Returns where the link at `path` leads, as resolved before. */
    targetOf: (path: string): string | undefined => targets.get(path),

    /**
     * Returns the absolute path of the folder at `path` if it is reached by links; undefined for an ordinary folder,
     * and the reason if one of the links is not followed.
     */
    enter(path: string): LinkEnd | undefined {
      const key = keyOfPath(rootKeysOf(roots), path);
      let folder = rootPathOf(key);
      let target: string | undefined;
      for (const name of path === folder ? [] : pathInRoot(key, path).split('/')) {
        folder = join(folder, name);
        if (fs.lstatSync(absoluteOf(roots, folder), { throwIfNoEntry: false })?.isSymbolicLink()) {
          const end = resolve(folder);
          if (end.kind !== 'folder') return end;
          ({ target } = end);
        } else if (target !== undefined) target = joinOnDisk(target, name);
      }
      return target === undefined ? undefined : { kind: 'folder', target };
    },

    /** Returns the link, other than the one at `path`, that leads to this folder and is followed. */
    findOtherLink: (target: string, path: string): string | undefined =>
      findLink((otherTarget) => otherTarget === target, path),
  };
}

/** Returns the path without links; undefined if nothing is there. */
function realPathOf(path: string | Buffer): string | undefined {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return undefined;
  }
}
