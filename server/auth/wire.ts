// Accounts and tokens in the API.
import { z } from 'zod';
import { pageQuery, pagedOf } from '../http/paging.ts';
import {
  ACCOUNT_LIMITS,
  givenRights,
  namedRightsFrom,
  RIGHTS,
  type AccountLimits,
  type AccountTerms,
  type Right,
  type Rights,
} from '../db/rights.ts';
import { isoTime, toIso, toIsoOrNull } from '../http/times.ts';
import type { AppPasswordRow } from './named-app-passwords.ts';
import type { Notice } from './notices.ts';
import type { SessionRow } from './sessions.ts';

const { maxBitrateKbps, quotaBytes } = ACCOUNT_LIMITS;
/** Returns fields for all rights, each with a description. */
const rightShapes = <S extends z.ZodType>(shape: (right: Right) => S) =>
  namedRightsFrom((right) => shape(right).meta({ description: `may ${RIGHTS[right].does}` }));

/** Rights of an account; an administrator has all of them. */
const RightsOut = z.object(rightShapes(() => z.boolean()));
export const AccountTermsIn = z.object({
  is_superuser: z.boolean().optional(),
  ...rightShapes(() => z.boolean().optional()),
  max_bitrate_kbps: z
    .int()
    .min(maxBitrateKbps.least)
    .max(maxBitrateKbps.most)
    .nullish()
    .meta({ description: 'music is converted where it has more; null: no limit' }),
  quota_bytes: z
    .int()
    .min(quotaBytes.least)
    .max(quotaBytes.most)
    .nullish()
    .meta({ description: 'what the account may have uploaded and fetched; null: no limit' }),
});
type AccountTermsIn = z.output<typeof AccountTermsIn>;

export const toAccountTerms = ({
  is_superuser,
  max_bitrate_kbps,
  quota_bytes,
  ...rights
}: AccountTermsIn): AccountTerms => ({
  ...(is_superuser !== undefined && { isSuperuser: is_superuser }),
  ...givenRights(rights),
  ...(max_bitrate_kbps !== undefined && { maxBitrateKbps: max_bitrate_kbps }),
  ...(quota_bytes !== undefined && { quotaBytes: quota_bytes }),
});

export const UserOut = z
  .object({
    id: z.int(),
    username: z.string(),
    is_superuser: z.boolean(),
    ...RightsOut.shape,
    max_bitrate_kbps: z.int().nullable(),
    quota_bytes: z.int().nullable(),
    hides_playing: z.boolean().meta({ description: 'others do not see what this person plays' }),
    created_at: isoTime,
    last_seen_at: isoTime.nullable(),
  })
  .meta({ id: 'UserOut' });
export type UserOut = z.output<typeof UserOut>;

export const UserPage = pagedOf(UserOut).meta({ id: 'PagedUsers' });
export type UserPage = z.output<typeof UserPage>;
export const UserQuery = z.object(pageQuery);

export const TokenResponse = z
  .object({
    access_token: z.string(),
    token_type: z.literal('bearer'),
    expires_in: z.int().meta({ description: 'seconds' }),
    user: UserOut,
  })
  .meta({ id: 'TokenResponse' });
export type TokenResponse = z.output<typeof TokenResponse>;

export const UrlTokenIn = z
  .discriminatedUnion('scope', [
    z.strictObject({ scope: z.enum(['media', 'events']) }),
    z.strictObject({
      scope: z.literal('download'),
      path: z
        .string()
        .max(100_000)
        .regex(/^\/[\w./-]{1,200}(?:\?[\x21-\x7e]*)?$/)
        .meta({ description: 'below /api/v1, with its query: /zip?album_id=3' }),
    }),
  ])
  .meta({ id: 'UrlTokenIn' });
export const UrlTokenOut = z
  .object({
    token: z.string(),
    scope: z.enum(['media', 'events', 'download']),
    expires_in: z.int().meta({ description: 'seconds' }),
  })
  .meta({ id: 'UrlTokenOut' });
export type UrlTokenOut = z.output<typeof UrlTokenOut>;

export const AuthStatus = z
  .object({
    setup_required: z.boolean(),
    registration_allowed: z.boolean(),
    admin_name_taken: z.boolean().meta({
      description: 'ADMIN_USERNAME is an ordinary account, so no administrator was made of it; false after the set-up',
    }),
    version: z.string(),
  })
  .meta({ id: 'AuthStatus' });
export type AuthStatus = z.output<typeof AuthStatus>;

/** Passwords are normalized, because keyboards send é as one character or two. */
export const Username = z
  .string()
  .normalize('NFC')
  .trim()
  .min(1, 'must have at least one character')
  .max(64, 'must have at most 64 characters')
  .regex(/^[\p{L}\p{N} @.+_-]*$/u, 'may contain only letters, digits, spaces and @ . + _ -');
const Password = z.string().min(8, 'must have at least 8 characters').max(256, 'must have at most 256 characters');

/** The rules for a new account, however it is created. */
export const Credentials = z.strictObject({ username: Username, password: Password }).meta({ id: 'Credentials' });
/**
 * Body without rules for name and password. The service checks them in its own order: a name that is taken is reported
 * before a password that is too short.
 */
export const RegisterBody = z
  .object({
    username: z.unknown().optional().meta({ type: 'string', minLength: 1, maxLength: 64 }),
    password: z.unknown().optional().meta({ type: 'string', minLength: 8, maxLength: 256 }),
  })
  .meta({ id: 'Registration', required: ['username', 'password'] });
/**
 * Body of a sign-in. It accepts any name, so that a wrong name gets 401, not 422. OAuth clients send further fields in
 * their forms.
 */
export const LoginBody = z
  .object({ username: z.string().max(256), password: z.string().max(1024) })
  .meta({ id: 'LoginBody' });
export const SetupBody = z
  .object({ setup_token: z.string().max(256), username: Username, password: Password })
  .meta({ id: 'SetupBody' });
export const DesktopBody = z.strictObject({ ticket: z.string().max(256) }).meta({ id: 'DesktopBody' });
export const PasswordChange = z
  .strictObject({
    password: Password,
    current_password: z.string().max(1024),
    revoke_app_passwords: z
      .boolean()
      .default(false)
      .meta({ description: 'sign out phones and other apps too, as all other sessions are' }),
  })
  .meta({ id: 'PasswordChange' });
export const Privacy = z.strictObject({ hides_playing: z.boolean() }).meta({ id: 'Privacy' });
export const UserCreate = z
  .strictObject({ username: Username, password: Password, ...AccountTermsIn.shape })
  .meta({ id: 'UserCreate' });
export const UserUpdate = z
  .strictObject({
    username: Username.optional(),
    password: Password.optional(),
    revoke_app_passwords: z
      .boolean()
      .default(true)
      .meta({ description: 'with a new password, which ends all sessions: the app passwords end, too' }),
    ...AccountTermsIn.shape,
  })
  .meta({ id: 'UserUpdate' });
export const AppPasswordOut = z.object({ username: z.string(), password: z.string() }).meta({ id: 'AppPasswordOut' });

const lastUse = {
  created_at: isoTime,
  address: z.string().nullable().meta({ description: 'IP address of its last use' }),
  client: z.string().nullable().meta({ description: 'what the client called itself then' }),
};
export const SessionOut = z
  .object({
    id: z.int(),
    is_current: z.boolean().meta({ description: 'the one that asks' }),
    ...lastUse,
    last_used_at: isoTime,
    expires_at: isoTime,
  })
  .meta({ id: 'SessionOut' });
export type SessionOut = z.output<typeof SessionOut>;
export const SessionList = z.array(SessionOut);

export const toSessionOut = (session: SessionRow, current: number | undefined): SessionOut => ({
  id: session.id,
  is_current: session.id === current,
  created_at: toIso(session.createdAt),
  last_used_at: toIso(session.lastUsedAt),
  expires_at: toIso(session.expiresAt),
  address: session.address,
  client: session.client,
});

export const AppPasswordCreate = z
  .strictObject({
    name: z
      .string()
      .normalize('NFC')
      .trim()
      .min(1)
      .max(64)
      .meta({ description: 'for you to recognize it: the device or the app' }),
  })
  .meta({ id: 'AppPasswordCreate' });
export const AppPasswordInfo = z
  .object({ id: z.int(), name: z.string(), ...lastUse, last_used_at: isoTime.nullable() })
  .meta({ id: 'AppPasswordInfo' });
export type AppPasswordInfo = z.output<typeof AppPasswordInfo>;
export const AppPasswordList = z.array(AppPasswordInfo);
export const NewAppPasswordOut = z
  .object({ ...AppPasswordInfo.shape, ...AppPasswordOut.shape })
  .meta({ id: 'NewAppPasswordOut' });
export type NewAppPasswordOut = z.output<typeof NewAppPasswordOut>;

export const toAppPasswordInfo = (row: AppPasswordRow): AppPasswordInfo => ({
  id: row.id,
  name: row.name,
  created_at: toIso(row.createdAt),
  last_used_at: toIsoOrNull(row.lastUsedAt),
  address: row.address,
  client: row.client,
});

const NoticeName = z.enum(['rights']);
export const NoticeParam = z.object({ name: NoticeName });
export const NoticeOut = z.object({ name: NoticeName, created_at: isoTime }).meta({ id: 'NoticeOut' });
export type NoticeOut = z.output<typeof NoticeOut>;
export const NoticeList = z.array(NoticeOut);
export const toNoticeOut = ({ name, createdAt }: Notice): NoticeOut => ({ name, created_at: toIso(createdAt) });

/** The fields of an account that may be sent. The row also contains secrets. */
interface Account extends Rights, AccountLimits {
  id: number;
  username: string;
  isSuperuser: boolean;
  hidesPlaying: boolean;
  createdAt: Date;
  lastSeenAt: Date | null;
}

export const toUserOut = (user: Account): UserOut => ({
  id: user.id,
  username: user.username,
  is_superuser: user.isSuperuser,
  ...namedRightsFrom((right) => user.isSuperuser || user[right]),
  max_bitrate_kbps: user.maxBitrateKbps,
  quota_bytes: user.quotaBytes,
  hides_playing: user.hidesPlaying,
  created_at: toIso(user.createdAt),
  last_seen_at: toIsoOrNull(user.lastSeenAt),
});

/** The result of a sign-in. */
export interface SignIn {
  token: string;
  expiresInSeconds: number;
  user: Account;
}

export const toTokenResponse = ({ token, expiresInSeconds, user }: SignIn): TokenResponse => ({
  access_token: token,
  token_type: 'bearer',
  expires_in: expiresInSeconds,
  user: toUserOut(user),
});
