// The sources of music, and their current status.
import type { MusicFolders } from '../config/music-folders.ts';
import type { Db } from '../db/client.ts';
import { createEndedScans, type EndedScan } from './ended-scans.ts';
import { STREAMSRC, type RemoteCatalogue } from './remote-catalogue.ts';

export interface SourceInfo {
  name: string;
  kind: 'folder' | 'catalogue' | 'upload';
  enabled: boolean;
  /** Why the source is off, or does not respond although it is on. */
  reason?: string;
  /** Description of the source, such as a program and its version. */
  detail?: string;
  capabilities: ('scan' | 'search' | 'download')[];
  /** End of the last successful scan. */
  lastScan?: Date | null;
  /** The last scan that ended, successful or not. */
  endedScan?: EndedScan | null;
}

export type Sources = ReturnType<typeof createSources>;

export function createSources({
  db,
  musicFolders,
  catalogue,
}: {
  db: Db;
  musicFolders: Pick<MusicFolders, 'list'>;
  catalogue: Pick<RemoteCatalogue, 'whyOff' | 'status'>;
}) {
  const scans = createEndedScans(db);

  function listConfigured(): SourceInfo[] {
    const hasFolder = musicFolders.list().length > 0;
    const reasonOff = catalogue.whyOff();
    return [
      { name: 'upload', kind: 'upload', enabled: true, capabilities: [] },
      {
        name: 'local_folder',
        kind: 'folder',
        enabled: hasFolder,
        capabilities: ['scan'],
        lastScan: scans.goodAt(),
        endedScan: scans.latest(),
        ...(!hasFolder && { reason: 'No music folder is set.' }),
      },
      {
        name: STREAMSRC,
        kind: 'catalogue',
        enabled: reasonOff === undefined,
        capabilities: ['search', 'download'],
        ...(reasonOff !== undefined && { reason: reasonOff }),
      },
    ];
  }

  /** Lists all sources, with the current status of the catalogue. */
  async function list(): Promise<SourceInfo[]> {
    const sources = listConfigured();
    const remote = sources.find(({ name, enabled }) => name === STREAMSRC && enabled);
    if (!remote) return sources;
    const { ok, detail } = await catalogue.status();
    return sources.map((source) =>
      source === remote ? { ...source, ...(ok ? { detail } : { reason: detail }) } : source,
    );
  }

  return {
    list,
    scannedFolder: scans.folder,
    find: (name: string): SourceInfo | undefined => listConfigured().find((source) => source.name === name),
  };
}
