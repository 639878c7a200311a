// A server with a music folder in which a test adds, moves and removes single files.
import { copyFileSync, mkdirSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import type { ScanResult } from '../../server/scan/wire.ts';
import type { ExpectedFile, Manifest } from './library.ts';
import { allTracks } from './served-library.ts';
import { startServer, type TestServer } from './server.ts';

export interface MusicFolder {
  server: TestServer;
  at: (path: string) => string;
  /** Copies a file of the collection to a path of the music folder. */
  put: (path: string, file: ExpectedFile) => void;
  scan: () => Promise<ScanResult>;
  track: (path: string) => Promise<TrackOut>;
}

/** Starts a server that has scanned `files` of the collection in `folder`. */
export async function openMusicFolder(
  folder: string,
  mode: 'copy' | 'reference',
  collection: Manifest,
  files: Record<string, ExpectedFile>,
): Promise<MusicFolder> {
  let time = 1_500_000_000;
  const at = (path: string): string => join(folder, path);
  const writeFile = (path: string, file: ExpectedFile): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    copyFileSync(join(collection.dir, file.path), at(path));
    utimesSync(at(path), time, time++);
  };
  for (const [path, file] of Object.entries(files)) writeFile(path, file);
  const server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: mode } });
  const scan = async (): Promise<ScanResult> => {
    const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
    await server.app.drain();
    return (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body.result;
  };
  await scan();
  return {
    server,
    at,
    put: writeFile,
    scan,
    track: async (path) => (await allTracks(server)).find((track) => track.source_id === path) as TrackOut,
  };
}
