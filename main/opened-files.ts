// Imports files and folders that were opened with the app or dropped on its icon, one after the other.
import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { ServerClient } from './server-client.ts';
import { AUDIO_EXTENSIONS } from '../server/media/audio-formats.ts';
import { PLAYLIST_FORMATS } from '../server/playlists/playlist-formats.ts';

interface OpenedFilesDeps {
  client: Pick<ServerClient, 'upload' | 'importPlaylist'>;
  onDone(outcome: ImportOutcome): void;
}

export interface ImportOutcome {
  total: number;
  trackIds: number[];
  playlistIds: number[];
  failures: { name: string; reason: string }[];
}

/** Maximum number of imported files, more than anybody drags; whole collections belong in the music folder. */
const MAX_FILES = 5_000;

type FileKind = 'playlist' | 'audio';

/** Returns the kind of a file by its extension; the server checks the content. */
export function kindOf(path: string): FileKind | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  if (Object.hasOwn(PLAYLIST_FORMATS, extension)) return 'playlist';
  return AUDIO_EXTENSIONS.has(extension) ? 'audio' : undefined;
}

export function createOpenedFiles({ client, onDone }: OpenedFilesDeps) {
  let previousImports: Promise<unknown> = Promise.resolve();

  async function importPaths(paths: readonly string[]): Promise<void> {
    const openedFiles = (await Promise.all(paths.map(filesAt))).flat().slice(0, MAX_FILES);
    // Playlists come after the files that they may refer to.
    const files = [
      ...openedFiles.filter((file) => kindOf(file) !== 'playlist'),
      ...openedFiles.filter((file) => kindOf(file) === 'playlist'),
    ];
    const outcome: ImportOutcome = { total: files.length, trackIds: [], playlistIds: [], failures: [] };
    for (const file of files) {
      try {
        if (kindOf(file) === 'playlist') outcome.playlistIds.push(await client.importPlaylist(file));
        else outcome.trackIds.push(...(await client.upload(file)));
      } catch (error) {
        outcome.failures.push({ name: basename(file), reason: error instanceof Error ? error.message : String(error) });
      }
    }
    if (files.length > 0) onDone(outcome);
  }

  return {
    /** Imports files after those of earlier calls. Resolves when all are imported. */
    open(paths: readonly string[]): Promise<unknown> {
      previousImports = previousImports.then(() => importPaths(paths));
      return previousImports;
    },
  };
}

/** Returns a file itself whatever its extension, or the audio and playlist files in a folder. */
async function filesAt(path: string): Promise<string[]> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isFile()) return [path];
  if (!stats?.isDirectory()) return [];
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && kindOf(entry.name) !== undefined)
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
