import { z } from 'zod';

export const AnalysisOut = z
  .object({
    state: z.enum(['off', 'working', 'done', 'busy', 'battery']).meta({
      description: 'busy: waits while people use the server or jobs run; battery: waits for mains power',
    }),
    steps: z.array(
      z.object({
        name: z.string(),
        version: z.int(),
        done: z.int().meta({ description: 'tracks, also those that have no result' }),
        total: z.int().meta({ description: 'tracks with audio' }),
      }),
    ),
  })
  .meta({ id: 'AnalysisOut' });
