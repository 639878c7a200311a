// Notices that an administrator sees once.
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';
import type { NoticeOut } from './routes.ts';

export const noticesQuery = () =>
  queryOptions({
    queryKey: ['notices'] as const,
    queryFn: ({ signal }) => request('GET /notices', { signal }),
  });
export const dismissNotice = (name: NoticeOut['name']): Promise<void> =>
  request('DELETE /notices/{name}', { path: { name } });
