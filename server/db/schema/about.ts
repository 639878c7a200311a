// What MusicBrainz, Wikidata, Wikipedia and Wikimedia Commons say about artists, albums and labels.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { flag, json, time } from './columns.ts';

export type SubjectKind = 'artist' | 'release-group' | 'label';

/** Facts about an artist, a release group or a label. They were validated when they were fetched; all text is plain. */
export interface About {
  name: string;
  /** What tells subjects of one name apart, such as `UK band`. Absent in facts of earlier versions. */
  disambiguation?: string | null;
  /** The type in MusicBrainz, such as `Person`, `Group`, `Orchestra`; for a label, such as `Original Production`. */
  type: string | null;
  /** Country code of ISO 3166. */
  country: string | null;
  area: string | null;
  /** When the subject began (birth, founding): `1969`, `1969-03` or `1969-03-21`. */
  begin: string | null;
  end: string | null;
  isEnded: boolean;
  /** The members of a group, or the groups of a person. */
  people: Relative[];
  labels: { mbid: string; name: string }[];
  links: { kind: string; url: string }[];
  /** Id of the subject's item in Wikidata. */
  wikidata: string | null;
  /** Names of files on Wikimedia Commons, best first. */
  files: string[];
  /** The subject's category on Wikimedia Commons. */
  category: string | null;
  /** One text per language. */
  texts: AboutText[];
}
export interface Relative {
  mbid: string;
  name: string;
  relation: 'member' | 'group';
  begin: string | null;
  end: string | null;
  isEnded: boolean;
}
export interface AboutText {
  language: string;
  text: string;
  title: string;
  url: string;
}

/**
 * about/: a subject with an mbid, as the services describe it. The row stays when nothing in the library has the mbid.
 */
export const aboutSubjects = sqliteTable(
  'about_subjects',
  {
    kind: text('kind').$type<SubjectKind>().notNull(),
    mbid: text('mbid').notNull(),
    facts: json<About>('facts'), // null: not looked up yet, or not in MusicBrainz
    failures: integer('failures').notNull(), // consecutive look-ups that failed, in whole or in part
    askedAt: time('asked_at').notNull(),
    dueAt: time('due_at').notNull(), // time of the next look-up
  },
  (t) => [primaryKey({ columns: [t.kind, t.mbid] })],
);

/** about/: the MusicBrainz artist of an artist whose tags have no mbid, or for whom a person chose one. */
export const artistIdentities = sqliteTable(
  'artist_identities',
  {
    // artists.name_key; no id, because the row stays when the artist loses all tracks
    artistKey: text('artist_key').primaryKey(),
    mbid: text('mbid'), // null: the look-up was not certain
    isManual: flag('is_manual').notNull(),
    failures: integer('failures').notNull(),
    dueAt: time('due_at').notNull(),
    // the newest album at the last look-up: a newer album may tell who the artist is
    askedAlbumId: integer('asked_album_id').notNull().default(0),
  },
  (t) => [
    index('artist_identities_mbid')
      .on(t.mbid)
      .where(sql`mbid IS NOT NULL`),
  ],
);
