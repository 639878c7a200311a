// Tells why a folder cannot be scanned for music, whatever is in it.
import { isInside, isPrivate, isSystemOrCrowded } from './system-folders.ts';

/** Tonearm's own folders. */
export interface OwnFolders {
  data: string;
  storageRoot: string;
}

/** Returns the reason as the rest of a sentence. All paths are absolute and without links. */
export function findUnsuitableReason(folder: string, { data, storageRoot }: OwnFolders): string | undefined {
  for (const [ownFolder, name] of [
    [data, 'data folder'],
    [storageRoot, 'stored library'],
  ] as const) {
    if (isInside(folder, ownFolder)) return `is inside Tonearm’s own ${name}`;
    if (isInside(ownFolder, folder)) return `contains Tonearm’s own ${name}; choose a folder with only music`;
  }
  if (isSystemOrCrowded(folder)) return 'belongs to the operating system or contains many other files';
  if (isPrivate(folder)) return 'is hidden or contains program data; choose a folder with only music';
  return undefined;
}
