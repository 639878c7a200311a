import { z } from 'zod';
import { mbid } from '../enrichment/acoustid-wire.ts';

/** The language of the texts; a text that does not exist in this language comes in English. */
export const AboutQuery = z.object({
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/)
    .optional()
    .meta({ description: 'of the text, such as `de`; in English where there is none' }),
});

const state = z.enum(['off', 'due', 'known', 'unknown', 'failed']).meta({
  description:
    'off: not looked up, and ARTIST_INFO_ENABLED is off; due: not looked up yet, or long ago; unknown: nothing was ' +
    'found; failed: nothing could be asked, which is tried again later',
});
const date = z.string().nullable().meta({ description: '`1969`, `1969-03` or `1969-03-21`' });
const AboutOut = z
  .object({
    name: z.string(),
    type: z.string().nullable().meta({ description: 'as MusicBrainz calls it, such as `Person` or `Group`' }),
    country: z.string().nullable().meta({ description: 'ISO 3166' }),
    area: z.string().nullable(),
    begin: date,
    end: date,
    ended: z.boolean(),
    links: z.array(z.object({ kind: z.string(), url: z.string() })),
    text: z
      .object({
        text: z.string().meta({ description: 'plain text' }),
        language: z.string(),
        title: z.string(),
        url: z.string().meta({ description: 'of the article; its text is under CC BY-SA 4.0' }),
      })
      .nullable(),
  })
  .meta({ id: 'About' });
export type AboutOut = z.output<typeof AboutOut>;

const PictureFrom = z
  .object({
    origin: z.enum(['folder', 'commons', 'manual']),
    is_none: z.boolean().meta({ description: 'a person removed it' }),
    author: z.string().nullable(),
    licence: z.string().nullable(),
    licence_url: z.string().nullable(),
    page_url: z.string().nullable(),
  })
  .meta({ id: 'PictureFrom' });

export const ArtistAbout = z
  .object({
    state,
    artist_mbid: z.string().nullable(),
    identified_by: z
      .enum(['tags', 'albums', 'person'])
      .nullable()
      .meta({ description: 'how it is known who the artist is; null: it is not' }),
    about: AboutOut.nullable(),
    people: z
      .array(
        z.object({
          name: z.string(),
          relation: z.enum(['member', 'group']),
          begin: date,
          end: date,
          ended: z.boolean(),
          artist_id: z.int().nullable().meta({ description: 'null: not in the library' }),
        }),
      )
      .meta({ description: 'members of a group, groups of a person' }),
    picture: PictureFrom.nullable().meta({ description: 'null: there is none, covers are shown' }),
  })
  .meta({ id: 'ArtistAbout' });
export type ArtistAbout = z.output<typeof ArtistAbout>;

export const AlbumAbout = z
  .object({ state, about: AboutOut.nullable(), labels: z.array(AboutOut) })
  .meta({ id: 'AlbumAbout' });
export type AlbumAbout = z.output<typeof AlbumAbout>;

/** Body of `PUT /artists/{id}/about`. */
export const IdentityIn = z
  .strictObject({
    artist_mbid: mbid
      .nullable()
      .meta({ description: 'the artist at MusicBrainz; null: none of those, look up nothing' }),
  })
  .meta({ id: 'ArtistIdentityIn' });

export const IdentityCandidates = z.array(
  z
    .object({
      artist_mbid: z.string(),
      name: z.string(),
      type: z.string().nullable(),
      country: z.string().nullable(),
      begin: date,
      end: date,
      disambiguation: z.string().nullable(),
    })
    .meta({ id: 'ArtistCandidate' }),
);
export type IdentityCandidate = z.output<typeof IdentityCandidates>[number];
export const IdentitySearch = z.object({ q: z.string().trim().min(1).max(300).optional() });

/** Name of a file on Wikimedia Commons. */
const fileName = z
  .string()
  .min(1)
  .max(240)
  .regex(/^[^\n\r\0|#<>[\]{}]+$/);
export const PictureCandidates = z.array(
  z
    .object({
      file: z.string(),
      width: z.int().nullable(),
      height: z.int().nullable(),
      author: z.string().nullable(),
      licence: z.string(),
      is_current: z.boolean(),
    })
    .meta({ id: 'PictureCandidate' }),
);
export type PictureCandidate = z.output<typeof PictureCandidates>[number];
export const PictureQuery = z.object({
  file: fileName,
  token: z.string().optional().meta({ description: 'access token, for image elements, which cannot send headers' }),
});
export const PictureChoice = z
  .strictObject({ file: fileName.nullable().meta({ description: 'null: the one that is found by itself' }) })
  .meta({ id: 'PictureChoice' });
