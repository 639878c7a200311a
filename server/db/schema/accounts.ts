// Accounts: who may sign in, and with what.
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { AppPasswordId, SessionId, UserId } from '../ids.ts';
import { blob, flag, id, time } from './columns.ts';

/** `rights`: accounts from before there were rights cannot edit what others brought in. */
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
    tokenVersion: integer('token_version').notNull().default(1), // raised when the password changes; older tokens end
    createdAt: time('created_at').notNull(),
    lastSeenAt: time('last_seen_at'),
    canEdit: flag('can_edit').notNull().default(false), // this and the next six: rights.ts; so is canPodcast
    canUpload: flag('can_upload').notNull().default(true),
    canDownload: flag('can_download').notNull().default(true),
    canShare: flag('can_share').notNull().default(true),
    canJukebox: flag('can_jukebox').notNull().default(true),
    maxBitrateKbps: integer('max_bitrate_kbps'), // null: no limit
    quotaBytes: integer('quota_bytes'), // null: no limit
    canPodcast: flag('can_podcast').notNull().default(false),
    hidesPlaying: flag('hides_playing').notNull().default(false), // others do not see what this person plays
    email: text('email'), // as a Subsonic client gave it; nothing is sent there
    // common, and set on the machine itself: it signs in there only
    hasWeakPassword: flag('has_weak_password').notNull().default(false),
  },
  (t) => [uniqueIndex('users_username_key_unique').on(t.usernameKey)],
);

/** auth/: a sign-in, and the access tokens that follow from it. They end when it is deleted. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: id<SessionId>(),
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at').notNull(), // of its latest token
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

/** auth/: something that an administrator has to be told once; gone when it was read. */
export const notices = sqliteTable('notices', {
  name: text('name').$type<NoticeName>().primaryKey(),
  createdAt: time('created_at').notNull(),
});
