import { z } from 'zod';
import type { LiveSettings } from '../config/live-settings.ts';
import type { TrackId } from '../db/ids.ts';
import { AppError, notFound } from '../errors.ts';
import { Reply, route, type Principal, type Route } from '../http/route.ts';
import type { Jobs } from '../jobs/service.ts';
import { JobOut, toJobOut } from '../jobs/wire.ts';
import type { TrackOut } from '../library/wire.ts';
import type { Sources } from '../sources/registry.ts';
import { findScanFolders } from './scan-folders.ts';
import { scanPayload } from './scan-payload.ts';
import { assertScannable } from './task.ts';
import type { UploadService } from './upload.ts';
import { ScanQuery, UploadOut } from './wire.ts';

export interface IngestRouteDeps {
  uploads: UploadService;
  sources: Sources;
  settings: LiveSettings;
  jobs: Pick<Jobs, 'enqueue'>;
  trackOut: (user: Principal, id: TrackId) => TrackOut;
}

export const ingestRoutes = ({ uploads, sources, settings, jobs, trackOut }: IngestRouteDeps): Route[] => [
  route(
    {
      method: 'post',
      path: '/tracks/upload',
      access: 'user',
      summary: 'Upload one or more audio files (multipart field "files")',
      consumes: 'multipart/form-data',
      reply: UploadOut,
      status: [201, 200],
    },
    async ({ user, req, signal }) => {
      const { uploaded, errors } = await uploads.receive(req, signal);
      if (uploaded.length === 0) {
        const code = errors.every((e) => e.tooLarge) ? 'too_large' : 'invalid';
        throw new AppError(code, errors.map((e) => `${e.filename}: ${e.detail}`).join(' '), {
          fields: errors.map((e) => ({ field: e.filename, message: e.detail })),
        });
      }
      const isNew = uploaded.some((one) => one.isNew);
      const ids = [...new Set(uploaded.map((one) => one.trackId))];
      return new Reply(isNew ? 201 : 200, {
        items: ids.map((id) => trackOut(user, id)),
        errors: errors.map(({ filename, detail }) => ({ filename, detail })),
      });
    },
  ),
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
      await assertScannable(settings);
      const folders = await findScanFolders(settings.get('LOCAL_MEDIA_IMPORT_PATH') ?? '', query.path);
      return toJobOut(
        await jobs.enqueue(
          'scan_local_folder',
          scanPayload({ folders, restore: query.restore, dryRun: query.dry_run }),
        ),
      );
    },
  ),
];
