// What a database from elsewhere may bring, table by table: nothing else of it is read. What follows from other rows is
// left out, and made anew by the triggers of our own database. A table without a line here does not compile.
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';
import { usernameKey } from '../auth/username.ts';
import { Username } from '../auth/wire.ts';
import { AlbumsBefore } from '../db/albums-before-regrouping.ts';
import { RIGHTS } from '../db/rights.ts';
import * as schema from '../db/schema.ts';
import { RulesIn } from '../playlists/rules.ts';
import {
  BadValue,
  columnsOf,
  coverKey,
  formerColumn,
  jsonOf,
  matching,
  oneOf,
  relativePath,
  storageUri,
  webAddress,
  withheld,
  MAX_NUMBER_BYTES,
  type Column,
  type Rule,
  type Scope,
  type Value,
} from './column-rules.ts';
import { carriedRows, trashSnapshot } from './trash-snapshot.ts';

type TableName = {
  [Name in keyof typeof schema]: (typeof schema)[Name] extends SQLiteTable ? Name : never;
}[keyof typeof schema];

interface TableRule {
  /** `never`: it is made anew, or belongs to the server that it was in. */
  comes: 'always' | 'with_backup' | 'never';
  /** Columns that triggers count. */
  counted?: readonly string[];
  /** Columns of earlier versions. */
  former?: readonly Column[];
  /** Columns with a narrower rule than their type. */
  rules?: Readonly<Record<string, Rule>>;
  /** Its migration makes a row. */
  isSeeded?: boolean;
  /** Throws BadValue for values that do not fit together. */
  assertRow?: (valueOf: (column: string) => Value) => void;
  /** More are refused. */
  maxRows?: number;
  /** Rows that come, in SQL. */
  where?: string;
}

const ALWAYS: TableRule = { comes: 'always' };
const WITH_BACKUP: TableRule = { comes: 'with_backup' };
const NEVER: TableRule = { comes: 'never' };

const ITEM = oneOf('track', 'album', 'artist');
/** Becomes part of a file name. */
const FORMAT = matching(/^[\w+-]{1,32}$/, 'format of audio');
const TOKEN = matching(/^[\w -]{1,200}$/, 'token');
/** As it is stored: in composed form, and without blanks around it. */
const ACCOUNT_NAME: Rule = (value) => {
  if (Username.safeParse(value).data !== value) throw new BadValue('is no name of an account');
  return value;
};
/** One that takes no more memory and time than ours; '' where none is set. */
const PASSWORD_HASH = matching(
  /^(?:|\$argon2id\$v=\d{1,3}\$m=\d{1,6},t=\d{1,2},p=\d{1,2}\$[\w+/]{1,200}\$[\w+/]{1,200})$/,
  'hash of a password',
);
const SMART_RULES = jsonOf((parsed) => parsed === null || RulesIn.safeParse(parsed).success);
const Lines = z.array(z.looseObject({ text: z.string() })).nullable();
const LINES = jsonOf((parsed) => Lines.safeParse(parsed).success);
const isObject = (parsed: unknown): boolean => typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
const OBJECT = jsonOf((parsed) => parsed === null || isObject(parsed));
const LIST = jsonOf((parsed) => parsed === null || Array.isArray(parsed));
const IDS = jsonOf((parsed) => Array.isArray(parsed) && parsed.every((id) => Number.isSafeInteger(id) && id > 0));
/** Of facts about artists and albums, lists that pages go through. */
const About = z.looseObject({
  name: z.string(),
  people: z.array(z.looseObject({ mbid: z.string(), name: z.string() })),
  labels: z.array(z.looseObject({ mbid: z.string(), name: z.string() })),
  links: z.array(z.looseObject({ kind: z.string(), url: z.string() })),
  files: z.array(z.string()),
  texts: z.array(z.looseObject({ language: z.string(), text: z.string(), url: z.string() })),
});
const ABOUT = jsonOf((parsed) => parsed === null || About.safeParse(parsed).success);

const TABLE_RULES = {
  users: {
    comes: 'always',
    maxRows: 10_000,
    assertRow(valueOf) {
      if (valueOf('username_key') !== usernameKey(String(valueOf('username'))))
        throw new BadValue('username_key does not belong to the name');
    },
    former: [
      formerColumn('app_password', 'SQLiteCustomColumn'),
      formerColumn('app_password_salt', 'SQLiteCustomColumn'),
      formerColumn('app_password_lookup', 'SQLiteText'),
    ],
    rules: {
      username: ACCOUNT_NAME,
      password_hash: withheld('', PASSWORD_HASH),
      is_superuser: withheld(0),
      has_weak_password: withheld(0),
      token_version: withheld(1),
      last_seen_at: withheld(null),
      max_bitrate_kbps: withheld(null),
      quota_bytes: withheld(null),
      ...Object.fromEntries(Object.values(RIGHTS).map(({ name }) => [name, withheld(0)])),
    },
  },
  sessions: WITH_BACKUP,
  appPasswords: WITH_BACKUP,
  notices: { comes: 'with_backup', rules: { name: oneOf('rights') } },
  libraryIdentity: { comes: 'with_backup', rules: { id: matching(/^[\w-]{1,64}$/, 'id of a library') } },
  musicFolders: {
    comes: 'with_backup',
    isSeeded: true,
    maxRows: 1_000,
    rules: { key: matching(/^[a-z0-9-]{0,64}$/, 'key of a music folder'), mode: oneOf('copy', 'reference') },
  },
  shares: { comes: 'always', rules: { token: TOKEN } },
  scrobbleAccounts: { comes: 'with_backup', rules: { url: webAddress } },

  genres: { comes: 'always', counted: ['track_count'] },
  artists: { comes: 'always', counted: ['track_count', 'album_count', 'first_year'] },
  albums: {
    comes: 'always',
    counted: ['track_count', 'disc_count', 'duration_ms', 'size_bytes'],
    rules: { fixed_by: oneOf('upgrade', 'person') },
  },
  tracks: {
    comes: 'always',
    rules: {
      storage_uri: storageUri,
      availability: oneOf('available', 'remote', 'fetching', 'missing'),
      metadata_status: oneOf('pending', 'enriched', 'failed', 'manual'),
      format: FORMAT,
      cover_url: webAddress,
      provenance: OBJECT,
    },
  },
  albumKeys: ALWAYS,
  unsettledAlbums: ALWAYS,
  albumRegroupings: { comes: 'always', rules: { before: jsonOf((parsed) => AlbumsBefore.safeParse(parsed).success) } },
  albumReview: ALWAYS,
  trackArtists: ALWAYS,
  trackGenres: ALWAYS,
  trackEdits: { comes: 'always', rules: { changes: jsonOf(() => true) } },
  trackFingerprints: ALWAYS,
  lyrics: { comes: 'always', rules: { lines: LINES } },
  foundLyrics: { comes: 'always', rules: { lines: LINES } },
  lyricsLookups: ALWAYS,
  chapters: { comes: 'always', rules: { list: LIST } },
  moreTags: { comes: 'always', rules: { tags: OBJECT } },
  formerAudio: ALWAYS,
  audioAnalyses: ALWAYS,
  albumLoudness: ALWAYS,
  albumCovers: {
    comes: 'always',
    rules: { key: coverKey, origin: oneOf('embedded', 'folder', 'archive', 'manual') },
  },
  formerCovers: { comes: 'always', rules: { key: coverKey } },
  artistPictures: {
    comes: 'always',
    rules: { key: coverKey, origin: oneOf('folder', 'commons', 'manual'), source: relativePath, credit: OBJECT },
  },
  coverLookups: { comes: 'always', rules: { result: oneOf('none', 'unusable', 'failed') } },
  aboutSubjects: {
    comes: 'always',
    rules: { kind: oneOf('artist', 'release-group', 'label'), facts: ABOUT },
  },
  artistIdentities: ALWAYS,
  enrichmentMatches: { comes: 'always', rules: { match: OBJECT } },
  enrichmentReviews: {
    comes: 'always',
    rules: { reason: oneOf('low_score', 'tags_disagree'), match: OBJECT, differences: LIST },
  },
  enrichmentUndo: { comes: 'always', rules: { previous: OBJECT } },
  enrichmentUnanswered: ALWAYS,
  fingerprintPieces: ALWAYS,
  duplicatePairs: ALWAYS,
  duplicateMembers: ALWAYS,
  duplicateDismissals: ALWAYS,
  trashedTracks: {
    comes: 'always',
    rules: {
      storage_uri: storageUri,
      cover_key: coverKey,
      snapshot: trashSnapshot((table, scope) => findColumns(table, scope)),
      merge_reason: oneOf('duplicate', 'chosen', 'same_audio', 'same_music'),
    },
  },
  trackDepartures: { comes: 'always', rules: { item_type: oneOf('album', 'artist') } },
  annotationMoves: { comes: 'always', rules: { item_type: oneOf('album', 'artist'), memory: OBJECT } },
  replacedTracks: { comes: 'always', rules: { carried: carriedRows((table, scope) => findColumns(table, scope)) } },
  remoteIds: { comes: 'always', rules: { page_url: withheld(null, webAddress) } },
  downloads: { comes: 'always', where: "status IN ('succeeded', 'failed', 'cancelled')" },

  likeEvents: { comes: 'always', rules: { item_type: ITEM } },
  likeStates: { comes: 'always', rules: { item_type: ITEM } },
  radioNevers: ALWAYS,
  dailyMixes: NEVER,
  playlists: { comes: 'always', counted: ['track_count', 'duration_ms'], rules: { rules: SMART_RULES } },
  playlistEntries: ALWAYS,
  playlistPastEntries: ALWAYS,
  playlistVersions: { comes: 'always', rules: { rules: SMART_RULES } },
  playlistLostTracks: ALWAYS,
  plays: ALWAYS,
  historyImports: { comes: 'always', where: "status IN ('done', 'failed')", rules: { unmatched_songs: LIST } },
  bookmarks: ALWAYS,
  playQueues: { comes: 'always', rules: { track_ids: IDS, listening: OBJECT } },
  shareTracks: ALWAYS,
  radioStations: {
    comes: 'always',
    rules: {
      stream_url: webAddress,
      home_page_url: webAddress,
      // an administrator's station may be in the local network, and this one is from somebody else
      added_by: withheld(null),
    },
  },
  podcasts: {
    comes: 'always',
    rules: { url: webAddress, image_url: webAddress, status: oneOf('new', 'completed', 'error') },
  },
  podcastEpisodes: {
    comes: 'always',
    rules: {
      audio_url: webAddress,
      format: FORMAT,
      status: oneOf('new', 'downloading', 'completed', 'error', 'deleted'),
    },
  },
  podcastPositions: ALWAYS,
  scrobbleQueue: WITH_BACKUP,
  scrobbleLoves: WITH_BACKUP,

  sourceFolders: {
    comes: 'always',
    rules: { path: relativePath, image_name: relativePath, artist_image: relativePath },
  },
  sourceFiles: {
    comes: 'always',
    rules: { name: relativePath, state: oneOf('track', 'split', 'failed', 'deleted', 'gone') },
  },
  unfinishedScans: ALWAYS,
  fileSums: ALWAYS,
  tagsAgain: ALWAYS,

  jobs: NEVER,
  verifyRuns: NEVER,
  orphanedCovers: NEVER,
  albumGenres: NEVER,
  playCounts: NEVER,
  libraryTotals: NEVER,
  energyRanks: NEVER,
  changeCounts: NEVER,
  countedTracks: NEVER,
  searchRebuild: NEVER,
} satisfies Record<TableName, TableRule>;

export interface KnownTable extends TableRule {
  name: string;
  /** Those that come. */
  columns: ReadonlyMap<string, Column>;
  /** Tables that its rows refer to. */
  parents: ReadonlySet<string>;
}

const SCHEMA: Record<TableName, SQLiteTable> = schema;

const TABLES: readonly KnownTable[] = Object.entries<TableRule>(TABLE_RULES).map(([key, rule]) => {
  const table = SCHEMA[key as TableName];
  const { name, foreignKeys } = getTableConfig(table);
  const columns = columnsOf(table, rule.rules ?? {});
  for (const counted of rule.counted ?? []) columns.delete(counted);
  const parents = new Set(foreignKeys.map((one) => getTableConfig(one.reference().foreignTable).name));
  return { ...rule, name, columns, parents };
});

const byName = new Map(TABLES.map((table) => [table.name, table]));

/** In an order in which they can be filled: a row after those that it refers to. */
export const KNOWN_TABLES: readonly KnownTable[] = inOrder(TABLES.filter(({ comes }) => comes !== 'never'));

function inOrder(tables: readonly KnownTable[]): KnownTable[] {
  const placed = new Set<KnownTable>();
  const place = (table: KnownTable): void => {
    if (placed.has(table)) return;
    for (const parent of table.parents) {
      const before = byName.get(parent);
      if (before && before !== table) place(before);
    }
    placed.add(table);
  };
  for (const table of tables) place(table);
  return [...placed];
}

/** Of a table that comes, with the columns that triggers count. */
function findColumns(name: string, scope: Scope): ReadonlyMap<string, Column> | undefined {
  const table = byName.get(name);
  if (!table || !comesWith(table, scope)) return undefined;
  const { counted = [], columns } = table;
  return new Map([...columns, ...counted.map((column) => [column, countedColumn(column)] as const)]);
}

export const comesWith = ({ comes }: TableRule, scope: Scope): boolean =>
  comes === 'always' || (comes === 'with_backup' && scope === 'backup');

const countedColumn = (name: string): Column => ({
  name,
  isNullable: true,
  maxBytes: MAX_NUMBER_BYTES,
  rule: (value) => (Number.isSafeInteger(value) ? value : 0),
});
