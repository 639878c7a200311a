import { z } from 'zod';
import { queryInt } from '../http/paging.ts';

export const CoverQuery = z.object({
  size: queryInt.pipe(z.int().min(32).max(1200)).optional().meta({
    description:
      'longest side in pixels, 32 to 1200; the nearest of 64, 160, 300, 600, 1200 is sent. By default the original',
  }),
  token: z.string().optional().meta({ description: 'access token, for image elements, which cannot send headers' }),
});

export const FoundCover = z.object({
  found: z.boolean().meta({ description: 'whether the album has a cover now' }),
  reason: z.string().nullable().meta({ description: 'why the cover archive returned none, if known' }),
});
