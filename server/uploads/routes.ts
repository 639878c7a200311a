import type { TrackId } from '../db/ids.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { Reply, route, type Principal, type Route } from '../http/route.ts';
import type { TrackOut } from '../library/wire.ts';
import type { UploadService } from './service.ts';
import { UploadOut } from './wire.ts';

interface UploadRouteDeps {
  uploads: UploadService;
  trackOut: (user: Principal, id: TrackId) => TrackOut;
}

/** What is said of the whole upload when it is true of each file. */
const IS_OF_ALL = new Set<ErrorCode>(['too_large', 'storage_full']);

export const uploadRoutes = ({ uploads, trackOut }: UploadRouteDeps): Route[] => [
  route(
    {
      method: 'post',
      path: '/tracks/upload',
      access: 'user',
      right: 'canUpload',
      summary: 'Upload one or more audio files (multipart field "files")',
      consumes: 'multipart/form-data',
      reply: UploadOut,
      status: [201, 200],
    },
    async ({ user, req, signal }) => {
      const { uploaded, errors } = await uploads.receive(user.id, req, signal);
      if (uploaded.length === 0) {
        const [code = 'invalid', ...others] = new Set(errors.map((e) => e.code));
        throw new AppError(
          others.length === 0 && IS_OF_ALL.has(code) ? code : 'invalid',
          errors.map((e) => `${e.filename}: ${e.detail}`).join(' '),
          {
            fields: errors.flatMap((e) => e.fields ?? [{ field: e.filename, message: e.detail }]),
          },
        );
      }
      const isNew = uploaded.some((one) => one.isNew);
      const ids = [...new Set(uploaded.map((one) => one.trackId))];
      return new Reply(isNew ? 201 : 200, {
        items: ids.map((id) => trackOut(user, id)),
        errors: errors.map(({ filename, detail }) => ({ filename, detail })),
      });
    },
  ),
];
