// Accounts: people who may sign in, their sessions and passwords.
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { AppPasswordId, SessionId, UserId } from '../ids.ts';
import { blob, flag, id, time } from './columns.ts';

/** `rights`: accounts that are older than rights can no longer edit tracks that others added. */
export type NoticeName = 'rights';

/** auth/: a person who may sign in. */
export const users = sqliteTable(
  'users',
  {
    id: id<UserId>(),
    username: text('username').notNull(),
    usernameKey: text('username_key').notNull(), // folded, for uniqueness ignoring case
    passwordHash: text('password_hash').notNull(), // argon2id, PHC string; '' before a password is set (an import)
    isSuperuser: flag('is_superuser').notNull().default(false),
    tokenVersion: integer('token_version').notNull().default(1), // a new password increases it, which ends old tokens
    createdAt: time('created_at').notNull(),
    lastSeenAt: time('last_seen_at'),
    canEdit: flag('can_edit').notNull().default(false), // this and the next six, and canPodcast: see rights.ts
    canUpload: flag('can_upload').notNull().default(true),
    canDownload: flag('can_download').notNull().default(true),
    canShare: flag('can_share').notNull().default(true),
    canJukebox: flag('can_jukebox').notNull().default(true),
    maxBitrateKbps: integer('max_bitrate_kbps'), // null: no limit
    quotaBytes: integer('quota_bytes'), // null: no limit
    canPodcast: flag('can_podcast').notNull().default(false),
    hidesPlaying: flag('hides_playing').notNull().default(false), // others do not see what this person plays
    email: text('email'), // from a Subsonic client; no mail is sent to it
    // a common password, set on the machine itself: the account can sign in only there
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
    expiresAt: time('expires_at').notNull(), // end of the latest token
    lastUsedAt: time('last_used_at').notNull(), // exact to a minute; so are the next two
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
    name: text('name').notNull(), // `default` is the one that /users/me/subsonic-password reveals
    sealed: blob('sealed').notNull(), // AES-256-GCM: 12 bytes IV, ciphertext, 16 bytes tag
    salt: blob('salt').notNull(), // HKDF salt, 16 bytes
    lookup: text('lookup').notNull(), // keyed hash of the password, hex; finds an apiKey
    createdAt: time('created_at').notNull(),
    lastUsedAt: time('last_used_at'), // exact to a minute; so are the next two
    address: text('address'), // IP address
    client: text('client'), // what the client calls itself
  },
  (t) => [
    uniqueIndex('app_passwords_user_id_name_unique').on(t.userId, t.name),
    uniqueIndex('app_passwords_lookup_unique').on(t.lookup),
  ],
);

/** auth/: a notice that administrators see once; deleted when it was read. */
export const notices = sqliteTable('notices', {
  name: text('name').$type<NoticeName>().primaryKey(),
  createdAt: time('created_at').notNull(),
});
