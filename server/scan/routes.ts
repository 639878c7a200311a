import { z } from 'zod';
import type { MusicFolders } from '../config/music-folders.ts';
import { AppError, notFound } from '../errors.ts';
import { route, type Route } from '../http/route.ts';
import type { Jobs } from '../jobs/service.ts';
import { JobOut, toJobOut } from '../jobs/wire.ts';
import type { Sources } from '../sources/registry.ts';
import { findScanFolders } from './scan-folders.ts';
import { SCAN_LOCAL_FOLDER, assertScannable, scanPayload } from './tasks.ts';
import { ScanQuery } from './wire.ts';

interface ScanRouteDeps {
  sources: Sources;
  musicFolders: MusicFolders;
  jobs: Pick<Jobs, 'enqueue'>;
  /** LOCAL_MEDIA_IGNORE. */
  ignoredNames: () => string;
}

export const scanRoutes = ({ sources, musicFolders, jobs, ignoredNames }: ScanRouteDeps): Route[] => [
  route(
    {
      method: 'post',
      path: '/sources/:source/scan',
      access: 'superuser',
      summary: 'Scan a source, or folders of it, for new and changed files',
      params: z.object({ source: z.string() }),
      query: ScanQuery,
      reply: JobOut,
      status: [202],
    },
    async ({ params, query }) => {
      const source = sources.find(params.source);
      if (!source) throw notFound('source', params.source);
      if (!source.capabilities.includes('scan'))
        throw new AppError('conflict', `The source ${source.name} cannot be scanned.`);
      await assertScannable(musicFolders);
      const folders = await findScanFolders(musicFolders.roots(), query.path, ignoredNames());
      return toJobOut(
        await jobs.enqueue(
          SCAN_LOCAL_FOLDER,
          scanPayload({ folders, restore: query.restore, reread: query.reread, dryRun: query.dry_run }),
        ),
      );
    },
  ),
];
