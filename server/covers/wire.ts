import { z } from 'zod';
import { queryInt } from '../http/paging.ts';
import type { Candidate } from './candidates.ts';
import { COVER_SIZES, LARGEST_COVER } from './cover-sizes.ts';

export const CoverQuery = z.object({
  size: queryInt
    .pipe(z.int().min(32).max(LARGEST_COVER))
    .optional()
    .meta({
      description:
        `longest side in pixels, 32 to ${LARGEST_COVER}; the nearest of ${COVER_SIZES.join(', ')} is sent. ` +
        'By default the original',
    }),
  token: z.string().optional().meta({ description: 'access token, for image elements, which cannot send headers' }),
});

export const FoundCover = z.object({
  found: z.boolean().meta({ description: 'whether the album has a cover now' }),
  reason: z.string().nullable().meta({ description: 'why the cover archive returned none, if known' }),
});

/** Id of a picture that may be chosen as the cover. It says where the picture is. */
export const candidateId = z
  .string()
  .regex(/^(?:embedded-\d+-\d+|folder-[0-9a-f]{32}|archive-[0-9a-f-]{36}-\d{1,20})$/);

export const CandidateQuery = z.object({
  from: z
    .enum(['files', 'archive'])
    .default('files')
    .meta({ description: '`files`: in the files and folders of the album; `archive`: in the cover archive' }),
});
export const CoverCandidates = z
  .object({
    items: z.array(
      z.object({
        id: candidateId,
        origin: z.enum(['embedded', 'folder', 'archive']),
        name: z.string().meta({ description: 'track, file, or what it shows; may be empty' }),
        width: z.int().nullable().meta({ description: 'in pixels, if known' }),
        height: z.int().nullable(),
        is_current: z.boolean().meta({ description: 'it is the cover now' }),
      }),
    ),
    reason: z.string().nullable().meta({ description: 'why the cover archive has none, if known' }),
  })
  .meta({ id: 'CoverCandidates' });
export type CoverCandidates = z.output<typeof CoverCandidates>;
export const CoverChoice = z.strictObject({ candidate: candidateId }).meta({ id: 'CoverChoice' });

export const toCandidates = ({ items, reason }: { items: Candidate[]; reason: string | null }): CoverCandidates => ({
  items: items.map(({ isCurrent, ...item }) => ({ ...item, is_current: isCurrent })),
  reason,
});
