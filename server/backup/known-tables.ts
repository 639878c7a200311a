// What a foreign database may contain, table by table; its other tables are not read. Values that follow from other
// rows are left out, and computed by the triggers of our own database. A table without a line here does not compile.
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';
import { usernameKey } from '../auth/username.ts';
import { Username } from '../auth/wire.ts';
import { AlbumsBefore } from '../db/albums-before-regrouping.ts';
import { CREDIT_ROLES } from '../db/more-tags.ts';
import { RIGHTS } from '../db/rights.ts';
import * as schema from '../db/schema.ts';
import { RulesIn } from '../playlists/rules.ts';
import {
  BadValue,
  tableColumns,
  coverKey,
  formerColumn,
  jsonRule,
  matchPattern,
  oneOf,
  relativePath,
  storageUri,
  webAddress,
  replaceInImport,
  MAX_NUMBER_BYTES,
  type Column,
  type Rule,
  type Scope,
  type Value,
} from './column-rules.ts';
import { carriedRowsRule, trashSnapshotRule } from './trash-snapshot.ts';

type TableName = {
  [Name in keyof typeof schema]: (typeof schema)[Name] extends SQLiteTable ? Name : never;
}[keyof typeof schema];

interface TableRule {
  /** `never`: the rows are computed by this server, or belong to the other server. */
  inclusion: 'always' | 'with_backup' | 'never';
  /** Columns whose values are counted by triggers, so they are not copied. */
  countedColumns?: readonly string[];
  /** Columns that only earlier versions had. */
  formerColumns?: readonly Column[];
  /** Columns with a narrower rule than that of their type. */
  rules?: Readonly<Record<string, Rule>>;
  /** Whether a migration inserts a row into the table. */
  isSeeded?: boolean;
  /** Throws BadValue if the values of a row contradict each other. */
  assertRow?: (valueOf: (column: string) => Value) => void;
  /** The maximum number of rows; a database with more is refused. */
  maxRows?: number;
  /** SQL condition for the rows that are copied. */
  condition?: string;
}

const ALWAYS: TableRule = { inclusion: 'always' };
const WITH_BACKUP: TableRule = { inclusion: 'with_backup' };
const NEVER: TableRule = { inclusion: 'never' };

const ITEM = oneOf('track', 'album', 'artist');
/** The format of audio, which becomes part of a file name. */
const FORMAT = matchPattern(/^[\w+-]{1,32}$/, 'format of audio');
const TOKEN = matchPattern(/^[\w -]{1,200}$/, 'token');
/** A user name must have the form that this server stores: composed characters, no blanks around it. */
const ACCOUNT_NAME: Rule = (value) => {
  if (Username.safeParse(value).data !== value) throw new BadValue('is no name of an account');
  return value;
};
/** A password hash that takes no more memory and time than those of this server; '' if the account has no password. */
const PASSWORD_HASH = matchPattern(
  /^(?:|\$argon2id\$v=\d{1,3}\$m=\d{1,6},t=\d{1,2},p=\d{1,2}\$[\w+/]{1,200}\$[\w+/]{1,200})$/,
  'hash of a password',
);
const SMART_RULES = jsonRule((parsed) => parsed === null || RulesIn.safeParse(parsed).success);
const Lines = z.array(z.looseObject({ text: z.string() })).nullable();
const LINES = jsonRule((parsed) => Lines.safeParse(parsed).success);
const isObject = (parsed: unknown): boolean => typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
const OBJECT = jsonRule((parsed) => parsed === null || isObject(parsed));
const LIST = jsonRule((parsed) => parsed === null || Array.isArray(parsed));
const IDS = jsonRule((parsed) => Array.isArray(parsed) && parsed.every((id) => Number.isSafeInteger(id) && id > 0));
/** The facts about an artist or album must have the lists that pages iterate over. */
const About = z.looseObject({
  name: z.string(),
  people: z.array(z.looseObject({ mbid: z.string(), name: z.string() })),
  labels: z.array(z.looseObject({ mbid: z.string(), name: z.string() })),
  links: z.array(z.looseObject({ kind: z.string(), url: z.string() })),
  files: z.array(z.string()),
  texts: z.array(z.looseObject({ language: z.string(), text: z.string(), url: z.string() })),
});
const ABOUT = jsonRule((parsed) => parsed === null || About.safeParse(parsed).success);

const TABLE_RULES = {
  users: {
    inclusion: 'always',
    maxRows: 10_000,
    assertRow(valueOf) {
      if (valueOf('username_key') !== usernameKey(String(valueOf('username'))))
        throw new BadValue('username_key does not belong to the name');
    },
    formerColumns: [
      formerColumn('app_password', 'SQLiteCustomColumn'),
      formerColumn('app_password_salt', 'SQLiteCustomColumn'),
      formerColumn('app_password_lookup', 'SQLiteText'),
    ],
    rules: {
      username: ACCOUNT_NAME,
      password_hash: replaceInImport('', PASSWORD_HASH),
      is_superuser: replaceInImport(0),
      has_weak_password: replaceInImport(0),
      token_version: replaceInImport(1),
      last_seen_at: replaceInImport(null),
      max_bitrate_kbps: replaceInImport(null),
      quota_bytes: replaceInImport(null),
      ...Object.fromEntries(Object.values(RIGHTS).map(({ name }) => [name, replaceInImport(0)])),
    },
  },
  sessions: WITH_BACKUP,
  appPasswords: WITH_BACKUP,
  notices: { inclusion: 'with_backup', rules: { name: oneOf('rights') } },
  libraryIdentity: { inclusion: 'with_backup', rules: { id: matchPattern(/^[\w-]{1,64}$/, 'id of a library') } },
  musicFolders: {
    inclusion: 'with_backup',
    isSeeded: true,
    maxRows: 1_000,
    rules: {
      key: matchPattern(/^[a-z0-9-]{0,64}$/, 'key of a music folder'),
      mode: oneOf('copy', 'reference'),
      follows_links: replaceInImport(0),
    },
  },
  shares: { inclusion: 'always', rules: { token: TOKEN, kind: oneOf(...schema.SHARE_KINDS) } },
  scrobbleAccounts: { inclusion: 'with_backup', rules: { url: webAddress } },

  genres: { inclusion: 'always', countedColumns: ['track_count'] },
  artists: { inclusion: 'always', countedColumns: ['track_count', 'album_count', 'first_year'] },
  albums: {
    inclusion: 'always',
    countedColumns: ['track_count', 'disc_count', 'duration_ms', 'size_bytes'],
    rules: { fixed_by: oneOf('upgrade', 'person') },
  },
  tracks: {
    inclusion: 'always',
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
  albumRegroupings: {
    inclusion: 'always',
    rules: { before: jsonRule((parsed) => AlbumsBefore.safeParse(parsed).success) },
  },
  albumReview: ALWAYS,
  trackArtists: ALWAYS,
  trackAlbumArtists: ALWAYS,
  trackGenres: ALWAYS,
  trackEdits: { inclusion: 'always', rules: { changes: jsonRule(() => true) } },
  trackFingerprints: ALWAYS,
  lyrics: { inclusion: 'always', rules: { lines: LINES } },
  foundLyrics: { inclusion: 'always', rules: { lines: LINES } },
  lyricsLookups: ALWAYS,
  chapters: { inclusion: 'always', rules: { list: LIST } },
  people: ALWAYS,
  trackCredits: { inclusion: 'always', rules: { role: oneOf(...CREDIT_ROLES) } },
  trackTags: ALWAYS,
  creditsFill: ALWAYS,
  tagRatings: ALWAYS,
  tagRatingsUnread: ALWAYS,
  moreTags: { inclusion: 'always', rules: { tags: OBJECT } },
  formerAudio: ALWAYS,
  audioAnalyses: ALWAYS,
  albumLoudness: ALWAYS,
  albumCovers: {
    inclusion: 'always',
    rules: { key: coverKey, origin: oneOf('embedded', 'folder', 'archive', 'manual') },
  },
  formerCovers: {
    inclusion: 'always',
    rules: { key: coverKey, found_in: oneOf('embedded', 'folder', 'archive') },
  },
  artistPictures: {
    inclusion: 'always',
    rules: { key: coverKey, origin: oneOf('folder', 'commons', 'manual'), source: relativePath, credit: OBJECT },
  },
  coverLookups: { inclusion: 'always', rules: { result: oneOf('none', 'unusable', 'failed') } },
  aboutSubjects: {
    inclusion: 'always',
    rules: { kind: oneOf('artist', 'release-group', 'label'), facts: ABOUT },
  },
  artistIdentities: ALWAYS,
  enrichmentMatches: { inclusion: 'always', rules: { match: OBJECT } },
  enrichmentReviews: {
    inclusion: 'always',
    rules: { reason: oneOf('low_score', 'tags_disagree'), match: OBJECT, differences: LIST },
  },
  enrichmentUndo: { inclusion: 'always', rules: { previous: OBJECT } },
  enrichmentUnanswered: ALWAYS,
  fingerprintPieces: ALWAYS,
  duplicatePairs: ALWAYS,
  duplicateMembers: ALWAYS,
  duplicateDismissals: ALWAYS,
  trashedTracks: {
    inclusion: 'always',
    rules: {
      storage_uri: storageUri,
      cover_key: coverKey,
      snapshot: trashSnapshotRule((table, scope) => findColumns(table, scope)),
      merge_reason: oneOf('duplicate', 'chosen', 'same_audio', 'same_music'),
    },
  },
  trackDepartures: { inclusion: 'always', rules: { item_type: oneOf('album', 'artist') } },
  annotationMoves: { inclusion: 'always', rules: { item_type: oneOf('album', 'artist'), memory: OBJECT } },
  replacedTracks: {
    inclusion: 'always',
    rules: { carried: carriedRowsRule((table, scope) => findColumns(table, scope)) },
  },
  remoteIds: { inclusion: 'always', rules: { page_url: replaceInImport(null, webAddress) } },
  downloads: { inclusion: 'always', condition: "status IN ('succeeded', 'failed', 'cancelled')" },

  likeEvents: { inclusion: 'always', rules: { item_type: ITEM } },
  likeStates: { inclusion: 'always', rules: { item_type: ITEM, rating_origin: oneOf('person', 'tag') } },
  folderLikes: ALWAYS,
  radioNevers: ALWAYS,
  dailyMixes: NEVER,
  playlists: { inclusion: 'always', countedColumns: ['track_count', 'duration_ms'], rules: { rules: SMART_RULES } },
  playlistEntries: ALWAYS,
  playlistPastEntries: ALWAYS,
  playlistVersions: { inclusion: 'always', rules: { rules: SMART_RULES } },
  playlistLostTracks: ALWAYS,
  playlistFiles: { inclusion: 'always', rules: { path: relativePath } },
  playlistFileLines: ALWAYS,
  writtenPlaylists: { inclusion: 'with_backup', rules: { path: relativePath } },
  plays: ALWAYS,
  tagPlays: ALWAYS,
  historyImports: { inclusion: 'always', condition: "status IN ('done', 'failed')", rules: { unmatched_songs: LIST } },
  bookmarks: ALWAYS,
  playQueues: { inclusion: 'always', rules: { track_ids: IDS, listening: OBJECT } },
  shareTracks: ALWAYS,
  radioStations: {
    inclusion: 'always',
    rules: {
      stream_url: webAddress,
      home_page_url: webAddress,
      // stations of administrators may be in the local network; anybody may have written this column, so an import
      // clears it
      added_by: replaceInImport(null),
    },
  },
  podcasts: {
    inclusion: 'always',
    rules: { url: webAddress, image_url: webAddress, status: oneOf('new', 'completed', 'error') },
  },
  podcastEpisodes: {
    inclusion: 'always',
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
    inclusion: 'always',
    rules: {
      path: relativePath,
      image_name: relativePath,
      artist_image: relativePath,
      link_target: replaceInImport(null),
    },
  },
  sourceFiles: {
    inclusion: 'always',
    rules: { name: relativePath, state: oneOf('track', 'split', 'failed', 'deleted', 'gone') },
  },
  unfinishedScans: ALWAYS,
  fileSums: ALWAYS,
  tagsAgain: ALWAYS,

  jobs: NEVER,
  verifyRuns: NEVER,
  orphanedCovers: NEVER,
  albumArtists: NEVER,
  albumGenres: NEVER,
  playCounts: NEVER,
  libraryTotals: NEVER,
  energyRanks: NEVER,
  changeCounts: NEVER,
  countedTracks: NEVER,
  searchRebuild: NEVER,
  searchWords: NEVER,
  lyricsPending: NEVER,
} satisfies Record<TableName, TableRule>;

export interface KnownTable extends TableRule {
  name: string;
  /** The columns that are copied, by name. */
  columns: ReadonlyMap<string, Column>;
  /** Tables to which the rows of this table refer. */
  parents: ReadonlySet<string>;
}

const SCHEMA: Record<TableName, SQLiteTable> = schema;

const TABLES: readonly KnownTable[] = Object.entries<TableRule>(TABLE_RULES).map(([key, rule]) => {
  const table = SCHEMA[key as TableName];
  const { name, foreignKeys } = getTableConfig(table);
  const columns = tableColumns(table, rule.rules ?? {});
  for (const columnName of rule.countedColumns ?? []) columns.delete(columnName);
  const parents = new Set(foreignKeys.map((foreignKey) => getTableConfig(foreignKey.reference().foreignTable).name));
  return { ...rule, name, columns, parents };
});

const tablesByName = new Map(TABLES.map((table) => [table.name, table]));

/** The tables in the order in which they can be filled: each after the tables to which its rows refer. */
export const KNOWN_TABLES: readonly KnownTable[] = sortByReferences(
  TABLES.filter(({ inclusion }) => inclusion !== 'never'),
);

function sortByReferences(tables: readonly KnownTable[]): KnownTable[] {
  const sortedTables = new Set<KnownTable>();
  const addTable = (table: KnownTable): void => {
    if (sortedTables.has(table)) return;
    for (const parent of table.parents) {
      const parentTable = tablesByName.get(parent);
      if (parentTable && parentTable !== table) addTable(parentTable);
    }
    sortedTables.add(table);
  };
  for (const table of tables) addTable(table);
  return [...sortedTables];
}

/** Returns the columns of a table that is copied, including those that triggers count. */
function findColumns(name: string, scope: Scope): ReadonlyMap<string, Column> | undefined {
  const table = tablesByName.get(name);
  if (!table || !isIncluded(table, scope)) return undefined;
  const { countedColumns = [], columns } = table;
  return new Map([...columns, ...countedColumns.map((column) => [column, countedColumn(column)] as const)]);
}

export const isIncluded = ({ inclusion }: TableRule, scope: Scope): boolean =>
  inclusion === 'always' || (inclusion === 'with_backup' && scope === 'backup');

const countedColumn = (name: string): Column => ({
  name,
  isNullable: true,
  maxBytes: MAX_NUMBER_BYTES,
  rule: (value) => (Number.isSafeInteger(value) ? value : 0),
});
