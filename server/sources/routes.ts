import { z } from 'zod';
import { route, type Route } from '../http/route.ts';
import type { Sources } from './registry.ts';
import { SourceOut, toSourceOut } from './wire.ts';

export const sourceRoutes = (sources: Sources): Route[] => [
  route(
    {
      method: 'get',
      path: '/sources',
      access: 'user',
      summary: 'Sources of music',
      reply: z.array(SourceOut),
    },
    async () => (await sources.list()).map(toSourceOut),
  ),
];
