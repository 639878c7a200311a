// What of an account a restore shows where it differs from what is here. A column without a line here does not compile;
// test/unit/backup/account-columns.test.ts finds tables of accounts without one.
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { RIGHTS } from '../db/rights.ts';
import * as schema from '../db/schema.ts';

/** `secret`: shown as hidden. `unseen`: the reason why a restore may change it without showing it. */
type ColumnRule = 'shown' | 'secret' | { unseen: string };
type ColumnRules<T extends SQLiteTable> = Record<keyof T['$inferSelect'], ColumnRule>;

const NOTE_OF_USE = { unseen: 'a note of when and from where something was used' };
const MATCHED_BY = { unseen: 'rows are matched by it' };
const NO_SECRET_ID = { unseen: 'only names the row' };

const USER_COLUMNS = {
  id: 'shown', // tokens and app passwords name their account by it
  username: 'shown',
  usernameKey: MATCHED_BY,
  passwordHash: 'secret',
  isSuperuser: 'shown',
  tokenVersion: { unseen: 'the higher one counts, so that no token becomes valid again' },
  createdAt: NOTE_OF_USE,
  lastSeenAt: NOTE_OF_USE,
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
  id: NO_SECRET_ID,
  userId: MATCHED_BY,
  name: MATCHED_BY,
  sealed: 'secret',
  salt: 'secret',
  lookup: 'secret',
  createdAt: NOTE_OF_USE,
  lastUsedAt: NOTE_OF_USE,
  address: NOTE_OF_USE,
  client: NOTE_OF_USE,
} satisfies ColumnRules<typeof schema.appPasswords>;

const SCROBBLE_ACCOUNT_COLUMNS = {
  userId: MATCHED_BY,
  service: MATCHED_BY,
  token: 'secret',
  tokenSalt: 'secret',
  username: 'shown',
  url: 'shown',
  syncLoves: { unseen: 'what is sent to the same account' },
  lovesSyncedAt: NOTE_OF_USE,
  problem: NOTE_OF_USE,
  isStopped: { unseen: 'the service says it again' },
  submitted: NOTE_OF_USE,
  lastSubmittedAt: NOTE_OF_USE,
  createdAt: NOTE_OF_USE,
} satisfies ColumnRules<typeof schema.scrobbleAccounts>;

const OWN_SHARE_STAYS = { unseen: 'a share that is here stays as it is; one that is not is counted' };
const SHARE_COLUMNS = {
  id: NO_SECRET_ID,
  token: MATCHED_BY,
  userId: OWN_SHARE_STAYS,
  description: OWN_SHARE_STAYS,
  expiresAt: OWN_SHARE_STAYS,
  lastVisitedAt: NOTE_OF_USE,
  visitCount: NOTE_OF_USE,
  createdAt: NOTE_OF_USE,
} satisfies ColumnRules<typeof schema.shares>;

const STATION_COLUMNS = {
  id: NO_SECRET_ID,
  name: { unseen: 'a name in the library' },
  streamUrl: 'shown',
  homePageUrl: { unseen: 'a link that the server does not ask' },
  createdAt: NOTE_OF_USE,
  addedBy: MATCHED_BY,
} satisfies ColumnRules<typeof schema.radioStations>;

/** `key`: the column by which the rows of an account are matched. */
interface TableOfAccounts {
  owner: string;
  key: string;
  /** Rows that are only here are not told. */
  isArrivingOnly: boolean;
  /** How many there are is told, not which: their key is a secret. */
  isCounted: boolean;
  shown: readonly string[];
  secret: readonly string[];
}

function columnsOf(table: SQLiteTable, rules: Record<string, ColumnRule>, rule: 'shown' | 'secret'): string[] {
  const { columns } = getTableConfig(table);
  const names = new Map(Object.entries(table).map(([key, column]) => [column as unknown, key]));
  return columns.filter((column) => rules[names.get(column) ?? ''] === rule).map(({ name }) => name);
}

function tableOf(
  table: SQLiteTable,
  rules: Record<string, ColumnRule>,
  {
    owner = 'user_id',
    isArrivingOnly = false,
    isCounted = false,
    key,
  }: { key: string } & Partial<Pick<TableOfAccounts, 'owner' | 'isArrivingOnly' | 'isCounted'>>,
): TableOfAccounts {
  const [shown, secret] = [columnsOf(table, rules, 'shown'), columnsOf(table, rules, 'secret')];
  return { owner, key, isArrivingOnly, isCounted, shown, secret };
}

export const USERS = {
  shown: columnsOf(schema.users, USER_COLUMNS, 'shown'),
  secret: columnsOf(schema.users, USER_COLUMNS, 'secret'),
};

/** Rows that let somebody in, or make the server ask an address in the name of an account. */
export const TABLES_OF_ACCOUNTS = {
  app_passwords: tableOf(schema.appPasswords, APP_PASSWORD_COLUMNS, { key: 'name' }),
  scrobble_accounts: tableOf(schema.scrobbleAccounts, SCROBBLE_ACCOUNT_COLUMNS, { key: 'service' }),
  shares: tableOf(schema.shares, SHARE_COLUMNS, { key: 'token', isArrivingOnly: true, isCounted: true }),
  radio_stations: tableOf(schema.radioStations, STATION_COLUMNS, {
    key: 'stream_url',
    owner: 'added_by',
    isArrivingOnly: true,
  }),
};

/** Tables that refer to accounts and give no access, each with the reason why a restore does not show them. */
export const OTHER_TABLES_OF_ACCOUNTS: Readonly<Record<string, string>> = {
  sessions: 'none comes back that is not here: kept-accounts.ts',
  bookmarks: 'what somebody did',
  daily_mixes: 'follows from what somebody did',
  downloads: 'what somebody did; none goes on',
  duplicate_dismissals: 'what somebody did',
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
  scrobble_loves: 'sent to the account of scrobble_accounts alone',
  scrobble_queue: 'sent to the account of scrobble_accounts alone',
  album_regroupings: 'what somebody did',
  track_edits: 'what somebody did',
  tracks: 'who brought a track in',
  trashed_tracks: 'who brought a track in or deleted it',
};

/** What may differ, in words for the command line; those of the windows are in resources/languages. */
export const DIFFERENCES = {
  id: 'identity',
  username: 'spelling of the name',
  password_hash: 'password',
  is_superuser: 'superuser',
  max_bitrate_kbps: 'limit of the bitrate in kbit/s',
  quota_bytes: 'quota in bytes',
  hides_playing: 'hides what it plays',
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
