import type { TrackId } from '../db/ids.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { Reply, route, type Principal, type Route } from '../http/route.ts';
import type { TrackOut } from '../library/wire.ts';
import type { UploadService } from './service.ts';
import { UploadLimitsOut, UploadQuery, UploadReply } from './wire.ts';

interface UploadRouteDeps {
  uploads: UploadService;
  trackOut: (user: Principal, id: TrackId) => TrackOut;
}

/** Errors that are reported for the whole upload when every file has the same one. */
const WHOLE_UPLOAD_ERRORS = new Set<ErrorCode>(['too_large', 'storage_full']);

export const uploadRoutes = ({ uploads, trackOut }: UploadRouteDeps): Route[] => [
  route(
    {
      method: 'post',
      path: '/tracks/upload',
      aliases: ['/upload', '/tracks'],
      access: 'user',
      right: 'canUpload',
      summary: 'Upload audio: one file (multipart field "file") gives its track, others (field "files") a list',
      query: UploadQuery,
      accepts: { extraForms: ['an audio file as the body, named by Content-Disposition or ?filename='] },
      consumes: 'multipart/form-data',
      reply: UploadReply,
      status: [201, 200],
    },
    async ({ user, query, req, signal }) => {
      const { uploaded, errors, isSingle } = await uploads.receive(user.id, req, { filename: query.filename, signal });
      if (uploaded.length === 0) {
        const [code = 'invalid', ...otherCodes] = new Set(errors.map((e) => e.code));
        throw new AppError(
          otherCodes.length === 0 && WHOLE_UPLOAD_ERRORS.has(code) ? code : 'invalid',
          errors.map((e) => `${e.filename}: ${e.detail}`).join(' '),
          {
            fields: errors.flatMap((e) => e.fields ?? [{ field: e.filename, message: e.detail }]),
          },
        );
      }
      const isNew = uploaded.some((file) => file.isNew);
      const ids = [...new Set(uploaded.map((file) => file.trackId))];
      if (isSingle && ids[0] !== undefined) return new Reply(isNew ? 201 : 200, trackOut(user, ids[0]));
      return new Reply(isNew ? 201 : 200, {
        items: ids.map((id) => trackOut(user, id)),
        errors: errors.map(({ filename, detail }) => ({ filename, detail })),
      });
    },
  ),
  route(
    {
      method: 'get',
      path: '/uploads/limits',
      access: 'user',
      right: 'canUpload',
      summary: 'The largest file that can be uploaded, and what is left of the quota of the account',
      reply: UploadLimitsOut,
    },
    ({ user }) => uploads.limitsOf(user.id),
  ),
];
