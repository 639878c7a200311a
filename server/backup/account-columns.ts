// The data of an account that a restore shows where a backup differs from this server. A column without a line here
// does not compile; test/unit/backup/account-columns.test.ts finds tables of accounts without one.
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { RIGHTS } from '../db/rights.ts';
import * as schema from '../db/schema.ts';

/**
 * How a difference in a column is shown: with its values, as hidden (`secret`), or not at all, with the reason
 * (`unseen`).
 */
type ColumnRule = 'shown' | 'secret' | { unseen: string };
type ColumnRules<T extends SQLiteTable> = Record<keyof T['$inferSelect'], ColumnRule>;

const USAGE_NOTE = { unseen: 'a note of when and from where something was used' };
const MATCH_KEY = { unseen: 'rows are matched by it' };
const ROW_ID = { unseen: 'only names the row' };

const USER_COLUMNS = {
  id: 'shown', // tokens and app passwords name their account by it
  username: 'shown',
  usernameKey: MATCH_KEY,
  passwordHash: 'secret',
  isSuperuser: 'shown',
  tokenVersion: { unseen: 'the higher one counts, so that no token becomes valid again' },
  createdAt: USAGE_NOTE,
  lastSeenAt: USAGE_NOTE,
  canEdit: 'shown',
  canUpload: 'shown',
  canDownload: 'shown',
  canShare: 'shown',
  canJukebox: 'shown',
  maxBitrateKbps: 'shown',
  quotaBytes: 'shown',
  canPodcast: 'shown',
  hidesPlaying: 'shown',
  email: 'shown',
  hasWeakPassword: 'shown',
} satisfies ColumnRules<typeof schema.users>;

const APP_PASSWORD_COLUMNS = {
  id: ROW_ID,
  userId: MATCH_KEY,
  name: MATCH_KEY,
  sealed: 'secret',
  salt: 'secret',
  lookup: 'secret',
  createdAt: USAGE_NOTE,
  lastUsedAt: USAGE_NOTE,
  address: USAGE_NOTE,
  client: USAGE_NOTE,
} satisfies ColumnRules<typeof schema.appPasswords>;

const SCROBBLE_ACCOUNT_COLUMNS = {
  userId: MATCH_KEY,
  service: MATCH_KEY,
  token: 'secret',
  tokenSalt: 'secret',
  username: 'shown',
  url: 'shown',
  syncLoves: { unseen: 'what is sent to the same account' },
  lovesSyncedAt: USAGE_NOTE,
  problem: USAGE_NOTE,
  isStopped: { unseen: 'the service reports it again' },
  submitted: USAGE_NOTE,
  lastSubmittedAt: USAGE_NOTE,
  createdAt: USAGE_NOTE,
} satisfies ColumnRules<typeof schema.scrobbleAccounts>;

const LOCAL_SHARE_STAYS = { unseen: 'a share of this server stays as it is; others are counted' };
const SHARE_COLUMNS = {
  id: ROW_ID,
  token: MATCH_KEY,
  userId: LOCAL_SHARE_STAYS,
  kind: LOCAL_SHARE_STAYS,
  description: LOCAL_SHARE_STAYS,
  expiresAt: LOCAL_SHARE_STAYS,
  endedAt: LOCAL_SHARE_STAYS,
  passwordHash: LOCAL_SHARE_STAYS,
  maySave: LOCAL_SHARE_STAYS,
  lastVisitedAt: USAGE_NOTE,
  visitCount: USAGE_NOTE,
  playCount: USAGE_NOTE,
  createdAt: USAGE_NOTE,
} satisfies ColumnRules<typeof schema.shares>;

const STATION_COLUMNS = {
  id: ROW_ID,
  name: { unseen: 'a name in the library' },
  streamUrl: 'shown',
  homePageUrl: { unseen: 'a link that the server does not ask' },
  createdAt: USAGE_NOTE,
  addedBy: MATCH_KEY,
} satisfies ColumnRules<typeof schema.radioStations>;

/** A table with rows of accounts. `key` is the column by which an account's rows in two databases are matched. */
interface AccountTable {
  owner: string;
  key: string;
  /** Whether only rows that come with the backup are shown, and rows that only this server has are not. */
  showsOnlyArriving: boolean;
  /** Whether only the number of rows is shown, because their key is a secret. */
  isCounted: boolean;
  shownColumns: readonly string[];
  secretColumns: readonly string[];
}

function listColumns(table: SQLiteTable, rules: Record<string, ColumnRule>, rule: 'shown' | 'secret'): string[] {
  const { columns } = getTableConfig(table);
  const names = new Map(Object.entries(table).map(([key, column]) => [column as unknown, key]));
  return columns.filter((column) => rules[names.get(column) ?? ''] === rule).map(({ name }) => name);
}

function accountTable(
  table: SQLiteTable,
  rules: Record<string, ColumnRule>,
  {
    owner = 'user_id',
    showsOnlyArriving = false,
    isCounted = false,
    key,
  }: { key: string } & Partial<Pick<AccountTable, 'owner' | 'showsOnlyArriving' | 'isCounted'>>,
): AccountTable {
  const [shownColumns, secretColumns] = [listColumns(table, rules, 'shown'), listColumns(table, rules, 'secret')];
  return { owner, key, showsOnlyArriving, isCounted, shownColumns, secretColumns };
}

export const USER_COLUMN_LISTS = {
  shownColumns: listColumns(schema.users, USER_COLUMNS, 'shown'),
  secretColumns: listColumns(schema.users, USER_COLUMNS, 'secret'),
};

/** Tables whose rows give access, or make the server send requests in the name of an account. */
export const ACCOUNT_TABLES = {
  app_passwords: accountTable(schema.appPasswords, APP_PASSWORD_COLUMNS, { key: 'name' }),
  scrobble_accounts: accountTable(schema.scrobbleAccounts, SCROBBLE_ACCOUNT_COLUMNS, { key: 'service' }),
  shares: accountTable(schema.shares, SHARE_COLUMNS, { key: 'token', showsOnlyArriving: true, isCounted: true }),
  radio_stations: accountTable(schema.radioStations, STATION_COLUMNS, {
    key: 'stream_url',
    owner: 'added_by',
    showsOnlyArriving: true,
  }),
};

/** Tables that refer to accounts and give no access, each with the reason why a restore does not show them. */
export const OTHER_ACCOUNT_TABLES: Readonly<Record<string, string>> = {
  sessions: 'no ended session comes back: restored-accounts.ts',
  bookmarks: 'what somebody did',
  daily_mixes: 'follows from what somebody did',
  downloads: 'what somebody did; none continues',
  duplicate_dismissals: 'what somebody did',
  folder_likes: 'what somebody did',
  history_imports: 'what somebody did',
  like_events: 'what somebody did',
  like_states: 'follows from what somebody did',
  play_counts: 'follows from what somebody did',
  play_queues: 'what somebody did',
  playlist_versions: 'what somebody did',
  playlists: 'what somebody did',
  plays: 'what somebody did',
  podcast_positions: 'what somebody did',
  radio_nevers: 'what somebody did',
  tag_plays: 'follows from the tags of files',
  scrobble_loves: 'sent to the account of scrobble_accounts alone',
  scrobble_queue: 'sent to the account of scrobble_accounts alone',
  album_regroupings: 'what somebody did',
  track_edits: 'what somebody did',
  tracks: 'who brought a track in',
  trashed_tracks: 'who brought a track in or deleted it',
};

/** Names of differences for the command line; those of the windows are in resources/languages. */
export const DIFFERENCES = {
  id: 'identity',
  username: 'spelling of the name',
  password_hash: 'password',
  is_superuser: 'superuser',
  max_bitrate_kbps: 'highest bit rate in kbps',
  quota_bytes: 'quota in bytes',
  hides_playing: 'hides what is playing',
  email: 'e-mail address',
  has_weak_password: 'may sign in on this machine only',
  ...(Object.fromEntries(Object.values(RIGHTS).map(({ name, does }) => [name, `may ${does}`])) as Record<
    (typeof RIGHTS)[keyof typeof RIGHTS]['name'],
    string
  >),
  app_passwords: 'app password',
  scrobble_accounts: 'scrobbling account at',
  shares: 'share links that are not here',
  radio_stations: 'radio station',
};
export type DifferenceName = keyof typeof DIFFERENCES;
export const DIFFERENCE_NAMES = Object.keys(DIFFERENCES) as DifferenceName[];
