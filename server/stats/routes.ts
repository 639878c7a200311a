import { route, type Route } from '../http/route.ts';
import type { StatsService } from './service.ts';
import type { StorageStatsOf } from './storage-stats.ts';
import {
  ListeningOut,
  ListeningQuery,
  StorageStatsOut,
  toListeningOut,
  toRange,
  toStorageStatsOut,
  toYearOut,
  YearOut,
  YearParam,
  YearQuery,
} from './wire.ts';

export const statsRoutes = ({
  stats,
  storageStats,
}: {
  stats: StatsService;
  storageStats: StorageStatsOf;
}): Route[] => [
  route(
    {
      method: 'get',
      path: '/storage',
      access: 'user',
      summary: 'Size of the library and usage of the disk; its path for administrators, for others only its name',
      reply: StorageStatsOut,
    },
    async ({ user }) => toStorageStatsOut(await storageStats({ withPath: user.isSuperuser })),
  ),

  route(
    {
      method: 'get',
      path: '/stats/listening',
      access: 'user',
      summary: 'Your listening statistics by day and hour, and your most played',
      query: ListeningQuery,
      reply: ListeningOut,
    },
    async ({ user, query }) => toListeningOut(await stats.listening(user.id, toRange(query), query.tz)),
  ),

  route(
    {
      method: 'get',
      path: '/stats/year/:year',
      access: 'user',
      summary: 'Your year in review',
      params: YearParam,
      query: YearQuery,
      reply: YearOut,
    },
    async ({ user, params, query }) => toYearOut(await stats.yearReview(user.id, params.year, query.tz)),
  ),
];
