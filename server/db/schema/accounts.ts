// Accounts: people who may sign in, their sessions and passwords.
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { AppPasswordId, SessionId, UserId } from '../ids.ts';
import { blob, flag, id, time } from './columns.ts';

/** `rights`: accounts that were created before there were rights can no longer edit tracks that others added. */
export type NoticeName = 'rights';

/** auth/: a person who may sign in. */
export const users = sqliteTable(
  'users',
  {
    id: id<UserId>(),
    username: text('username').notNull(),
    usernameKey: text('username_key').notNull(), // the folded username, which makes names unique regardless of case
    passwordHash: text('password_hash').notNull(), // argon2id, PHC string; '' while no password is set
    isSuperuser: flag('is_superuser').notNull().default(false),
    // increased by a new password, which makes old tokens invalid
    tokenVersion: integer('token_version').notNull().default(1),
    createdAt: time('created_at').notNull(),
    lastSeenAt: time('last_seen_at'),
    // rights.ts describes the rights and limits from here to quota_bytes, and can_podcast
    canEdit: flag('can_edit').notNull().default(false),
    canUpload: flag('can_upload').notNull().default(true),
    canDownload: flag('can_download').notNull().default(true),
    canShare: flag('can_share').notNull().default(true),
    canJukebox: flag('can_jukebox').notNull().default(true),
    maxBitrateKbps: integer('max_bitrate_kbps'), // null: no limit
    quotaBytes: integer('quota_bytes'), // null: no limit
    canPodcast: flag('can_podcast').notNull().default(false),
    // whether other people cannot see what this person plays
    hidesPlaying: flag('hides_playing').notNull().default(false),
    email: text('email'), // set by a Subsonic client; the server sends no mail to it
    // whether a common password was set on the machine itself, so that the account can sign in only there
    hasWeakPassword: flag('has_weak_password').notNull().default(false),
  },
  (t) => [uniqueIndex('users_username_key_unique').on(t.usernameKey)],
);

/** auth/: a sign-in with its access tokens, which become invalid when the row is deleted. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: id<SessionId>(),
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at').notNull(), // when the latest token expires
    lastUsedAt: time('last_used_at').notNull(), // this and the next two columns are updated at most once a minute
    address: text('address'), // IP address
    client: text('client'), // User-Agent
  },
  (t) => [index('sessions_user_id').on(t.userId, t.lastUsedAt)],
);

/** auth/: a password for Subsonic clients. */
export const appPasswords = sqliteTable(
  'app_passwords',
  {
    id: id<AppPasswordId>(),
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(), // the password named `default` is shown by /users/me/subsonic-password
    sealed: blob('sealed').notNull(), // the encrypted password (AES-256-GCM): 12 bytes IV, ciphertext, 16 bytes tag
    salt: blob('salt').notNull(), // 16 bytes for HKDF
    lookup: text('lookup').notNull(), // keyed hash of the password in hex, to find the user of an apiKey
    createdAt: time('created_at').notNull(),
    lastUsedAt: time('last_used_at'), // this and the next two columns are updated at most once a minute
    address: text('address'), // IP address
    client: text('client'), // the name that the client sends for itself
  },
  (t) => [
    uniqueIndex('app_passwords_user_id_name_unique').on(t.userId, t.name),
    uniqueIndex('app_passwords_lookup_unique').on(t.lookup),
  ],
);

/** auth/: a notice for administrators. The row is deleted when an administrator has read it. */
export const notices = sqliteTable('notices', {
  name: text('name').$type<NoticeName>().primaryKey(),
  createdAt: time('created_at').notNull(),
});
