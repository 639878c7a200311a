// Where music can come from, and whether each source works right now.
import type { LiveSettings } from '../config/live-settings.ts';
import type { Db } from '../db/client.ts';
import { sql } from 'drizzle-orm';

export interface SourceInfo {
  name: string;
  kind: 'folder' | 'catalogue' | 'upload';
  enabled: boolean;
  /** Why it is not enabled, in words. */
  reason?: string;
  capabilities: ('scan' | 'search' | 'download')[];
  lastScan?: Date | null;
}

export type Sources = ReturnType<typeof createSources>;

export function createSources({ db, settings }: { db: Db; settings: LiveSettings }) {
  /** When the last scan of the music folder ended well. */
  const lastScan = (): Date | null => {
    const row = db.get<{ at: number | null }>(sql`SELECT max(finished_at) AS at FROM jobs WHERE task = 'scan_local_folder' AND status = 'succeeded'`);
    return row.at === null ? null : new Date(row.at);
  };

  function list(): SourceInfo[] {
    const folder = settings.get('LOCAL_MEDIA_IMPORT_PATH');
    const catalogue = settings.get('STREAMSRC_ENABLED');
    return [
      { name: 'upload', kind: 'upload', enabled: true, capabilities: [] },
      {
        name: 'local_folder', kind: 'folder', enabled: folder !== undefined, capabilities: ['scan'], lastScan: lastScan(),
        ...(folder === undefined && { reason: 'No music folder is set.' }),
      },
      {
        name: 'streamsrc', kind: 'catalogue', enabled: false, capabilities: [],
        reason: catalogue ? 'This version has no remote catalogue yet.' : 'The remote catalogue is switched off (STREAMSRC_ENABLED).',
      },
    ];
  }

  return { list, find: (name: string): SourceInfo | undefined => list().find((source) => source.name === name) };
}
