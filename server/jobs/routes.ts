import { JobIdIn } from '../db/ids.ts';
import { invalid } from '../errors.ts';
import { idParam, toPaged } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import type { Jobs } from './service.ts';
import { JobOut, JobPage, JobQuery, toJobOut } from './wire.ts';

const JobParam = idParam(JobIdIn);

export const jobRoutes = (jobs: Pick<Jobs, 'list' | 'taskNames' | 'get' | 'cancel' | 'retry'>): Route[] => [
  route(
    {
      method: 'get',
      path: '/jobs',
      access: 'superuser',
      summary: 'Background work, newest first',
      query: JobQuery,
      reply: JobPage,
    },
    ({ query }) => {
      const names = jobs.taskNames().sort();
      if (query.task !== undefined && !names.includes(query.task))
        throw invalid([
          { field: 'task', message: `must be one of ${names.join(', ')}`, received: JSON.stringify(query.task) },
        ]);
      return toPaged(jobs.list(query, query), query, toJobOut);
    },
  ),

  route(
    {
      method: 'get',
      path: '/jobs/:id',
      access: 'superuser',
      summary: 'One piece of background work',
      params: JobParam,
      reply: JobOut,
    },
    ({ params }) => toJobOut(jobs.get(params.id)),
  ),

  route(
    {
      method: 'delete',
      path: '/jobs/:id',
      access: 'superuser',
      summary: 'Cancel it; 409 when it has already ended',
      params: JobParam,
      reply: JobOut,
    },
    ({ params }) => toJobOut(jobs.cancel(params.id)),
  ),

  route(
    {
      method: 'post',
      path: '/jobs/:id/retry',
      access: 'superuser',
      summary: 'Ask again for work that failed or was cancelled; 409 otherwise',
      params: JobParam,
      reply: JobOut,
      status: [202],
    },
    async ({ params }) => toJobOut(await jobs.retry(params.id)),
  ),
];
