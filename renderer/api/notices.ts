// What an administrator is told once.
import { queryOptions } from '@tanstack/react-query';
import type { NoticeOut } from '../../server/auth/wire.ts';
import { request } from './client.ts';

export const noticesQuery = () =>
  queryOptions({
    queryKey: ['notices'] as const,
    queryFn: ({ signal }) => request<NoticeOut[]>('/notices', { signal }),
  });
export const dismissNotice = (name: NoticeOut['name']): Promise<void> =>
  request<void>(`/notices/${name}`, { method: 'DELETE' });
