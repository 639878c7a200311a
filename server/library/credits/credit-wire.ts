// Zod schemas of the API of credits and works.
import { z } from 'zod';
import { CREDIT_ROLES } from '../../db/more-tags.ts';
import { pageQuery, pagedOf } from '../../http/paging.ts';

export const CreditRoleOut = z.enum(CREDIT_ROLES).meta({ id: 'CreditRole' });

const credit = {
  role: CreditRoleOut,
  person_id: z.int(),
  name: z.string(),
  artist_id: z.int().nullable().meta({ description: 'the artist of the library with this name' }),
  instrument: z.string().nullable().meta({ description: 'instruments and voices of a performer' }),
};
export const TrackCreditOut = z.object(credit).meta({ id: 'TrackCreditOut' });
export type TrackCreditOut = z.output<typeof TrackCreditOut>;
export const AlbumCreditOut = z.object({ ...credit, track_ids: z.array(z.int()) }).meta({ id: 'AlbumCreditOut' });
export type AlbumCreditOut = z.output<typeof AlbumCreditOut>;

export const PersonOut = z
  .object({
    id: z.int(),
    name: z.string(),
    artist_id: z.int().nullable().meta({ description: 'the artist of the library with this name' }),
    roles: z.array(z.object({ role: CreditRoleOut, track_count: z.int(), album_count: z.int() })),
  })
  .meta({ id: 'PersonOut' });
export type PersonOut = z.output<typeof PersonOut>;

export const ListedPersonOut = z
  .object({
    id: z.int(),
    name: z.string(),
    sort_key: z.string().meta({ description: 'the folded name that the list is ordered by' }),
    artist_id: z.int().nullable(),
    track_count: z.int(),
  })
  .meta({ id: 'ListedPersonOut' });
export type ListedPersonOut = z.output<typeof ListedPersonOut>;
export const PersonPage = pagedOf(ListedPersonOut).meta({ id: 'PagedPeople' });

export const PeopleQuery = z.object({
  role: CreditRoleOut.optional(),
  q: z.string().max(500).optional().meta({ description: 'a part of the name' }),
  ...pageQuery,
});

export const WorkOut = z
  .object({
    name: z.string(),
    mbid: z.string().nullable(),
    composer: z.string().nullable(),
    movements: z.array(z.object({ track_id: z.int(), name: z.string().nullable(), number: z.int().nullable() })),
  })
  .meta({ id: 'WorkOut' });
export type WorkOut = z.output<typeof WorkOut>;
