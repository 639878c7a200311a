// What MusicBrainz, Wikidata, Wikipedia and Wikimedia Commons say about artists, albums and labels.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { flag, json, time } from './columns.ts';

export type SubjectKind = 'artist' | 'release-group' | 'label';

/** What is known of an artist, a release group or a label. Checked when it came in; all text is plain. */
export interface About {
  name: string;
  /** As MusicBrainz calls it, such as `Person`, `Group`, `Orchestra`; of a label, such as `Original Production`. */
  type: string | null;
  /** ISO 3166. */
  country: string | null;
  area: string | null;
  /** `1969`, `1969-03`, `1969-03-21`. */
  begin: string | null;
  end: string | null;
  isEnded: boolean;
  /** Of a group its members, of a person their groups. */
  people: Relative[];
  labels: { mbid: string; name: string }[];
  links: { kind: string; url: string }[];
  /** Item of Wikidata. */
  wikidata: string | null;
  /** Names of files on Wikimedia Commons, best first. */
  files: string[];
  /** The category of files there. */
  category: string | null;
  /** One per language. */
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

/** about/: something with an mbid, as the services described it. Stays while no row of the library has the mbid. */
export const aboutSubjects = sqliteTable(
  'about_subjects',
  {
    kind: text('kind').$type<SubjectKind>().notNull(),
    mbid: text('mbid').notNull(),
    facts: json<About>('facts'), // null: nothing is known yet, or MusicBrainz does not have it
    failures: integer('failures').notNull(), // look-ups in a row that failed, in whole or in part
    askedAt: time('asked_at').notNull(),
    dueAt: time('due_at').notNull(), // when it is looked up again
  },
  (t) => [primaryKey({ columns: [t.kind, t.mbid] })],
);

/** about/: which artist of MusicBrainz an artist is whose tags do not say it, or one that a person chose. */
export const artistIdentities = sqliteTable(
  'artist_identities',
  {
    artistKey: text('artist_key').primaryKey(), // artists.name_key: the row outlives an artist who loses all tracks
    mbid: text('mbid'), // null: it could not be said which
    isManual: flag('is_manual').notNull(),
    failures: integer('failures').notNull(),
    dueAt: time('due_at').notNull(),
    askedAlbumId: integer('asked_album_id').notNull().default(0), // the newest then: a newer one may say who it is
  },
  (t) => [
    index('artist_identities_mbid')
      .on(t.mbid)
      .where(sql`mbid IS NOT NULL`),
  ],
);
