// Endpoints of accounts. Clients only have app passwords, which are less protected than those for signing in: with them
// nobody can become an administrator or change an administrator's password.
import { hash } from 'node:crypto';
import { callerOf } from '../../auth/authenticate.ts';
import { ruleFor } from '../../auth/service.ts';
import type { Accounts } from '../../auth/accounts.ts';
import type { UserRow } from '../../auth/queries.ts';
import { drawAvatar } from '../../covers/avatar.ts';
import { ACCOUNT_LIMITS, RIGHT_LIST, RIGHTS, rightsFrom, type AccountLimits, type Rights } from '../../db/rights.ts';
import { forbidden, notFound } from '../../errors.ts';
import { sendBytes } from '../../http/send-bytes.ts';
import { bytes, NOTHING, superuser, user, type Endpoints } from '../endpoint.ts';
import { decodePassword } from '../credentials.ts';
import { idsOfFolders, type FolderScopeDeps } from '../music-folders.ts';
import type { Params } from '../params.ts';
import { toUser } from '../wire.ts';

export interface UserDeps extends FolderScopeDeps {
  accounts: Pick<Accounts, 'findByName' | 'listAll' | 'create' | 'update' | 'delete'>;
}

/** The protocol says what an account may do that is made without a word on it. */
const none = (): boolean => false;

/** Roles that are the same for every account here; by the protocol, changing `playlistRole` has no effect. */
const FIXED_ROLES: Record<string, boolean> = {
  settingsRole: true,
  commentRole: true,
  streamRole: true,
  scrobblingEnabled: true,
  videoConversionRole: false,
  ldapAuthenticated: false,
};

/** A client that sends the protocol's default with a new account says no more than one that leaves it out. */
const CREATED_WITH: Record<string, boolean> = { commentRole: false };

/** What would be answered with ok and not be done. */
function refuseFixed(params: Params, folders: readonly number[], defaults: Record<string, boolean>): void {
  for (const [name, value] of Object.entries(FIXED_ROLES)) {
    const asked = params.bool(name, value);
    if (asked !== value && asked !== defaults[name])
      throw forbidden(`Tonearm does not know accounts without that: ${name} is always ${value}.`);
  }
  const given = new Set(params.all('musicFolderId').map(Number));
  if (given.size > 0 && folders.some((id) => !given.has(id)))
    throw forbidden('In Tonearm every account sees all music folders.');
}

/** Those of the terms that were sent. */
function termsOf(
  params: Params,
  folders: readonly number[],
  defaults: Record<string, boolean> = {},
): Partial<Rights> & Partial<AccountLimits> & { email?: string } {
  refuseFixed(params, folders, defaults);
  const email = params.text('email')?.slice(0, MOST_EMAIL);
  const named = email === undefined ? {} : { email };
  const roles = Object.fromEntries(
    RIGHT_LIST.filter((right) => params.has(RIGHTS[right].role)).map((right) => [
      right,
      params.bool(RIGHTS[right].role, false),
    ]),
  );
  const kbps = params.int('maxBitRate');
  if (kbps === undefined) return { ...roles, ...named };
  const { least, most } = ACCOUNT_LIMITS.maxBitrateKbps;
  return { ...roles, ...named, maxBitrateKbps: kbps <= 0 ? null : Math.min(Math.max(kbps, least), most) };
}

const MOST_EMAIL = 254;
const MOST_NAME = 200;
const AVATAR_SIZE = 256;
const DRAWN_AT = new Date(0);
const IN_THE_APP = 'Do this in Tonearm itself: an app password does not allow it.';

export function userEndpoints({ accounts, musicFolders }: UserDeps): Endpoints {
  const folders = (): number[] => idsOfFolders({ musicFolders });
  function byName(username: string): UserRow {
    const found = accounts.findByName(username);
    if (!found) throw notFound('user', username);
    return found;
  }

  function ordinary(username: string): UserRow {
    const found = byName(username);
    if (found.isSuperuser) throw forbidden(IN_THE_APP);
    return found;
  }

  return {
    getUser: user(({ params, user: asking }) => {
      const username = params.required('username');
      const found = accounts.findByName(username);
      if (found?.id !== asking.id && !asking.isSuperuser)
        throw forbidden('Only an administrator may see other accounts.');
      return { user: toUser(found ?? byName(username), folders()) };
    }),

    getUsers: superuser(() => ({ users: { user: accounts.listAll().map((one) => toUser(one, folders())) } })),

    createUser: superuser(async ({ params, req }) => {
      const [username, password] = [params.required('username'), params.required('password')];
      params.required('email');
      if (params.bool('adminRole', false)) throw forbidden(IN_THE_APP);
      await accounts.create(
        {
          username,
          password: decodePassword(password),
          ...rightsFrom(none),
          ...termsOf(params, folders(), CREATED_WITH),
        },
        ruleFor(callerOf(req)),
      );
      return NOTHING;
    }),

    updateUser: superuser(async ({ params, req }) => {
      const found = ordinary(params.required('username'));
      if (params.bool('adminRole', false)) throw forbidden(IN_THE_APP);
      const password = params.text('password');
      await accounts.update(
        found.id,
        { ...(password !== undefined && { password: decodePassword(password) }), ...termsOf(params, folders()) },
        ruleFor(callerOf(req)),
      );
      return NOTHING;
    }),

    deleteUser: superuser(({ params }) => {
      accounts.delete(ordinary(params.required('username')).id);
      return NOTHING;
    }),

    changePassword: user(async ({ params, user: asking, req }) => {
      const [username, password] = [params.required('username'), params.required('password')];
      if (!asking.isSuperuser || accounts.findByName(username)?.id === asking.id)
        throw forbidden('Tonearm generates the app passwords of clients. Get a new one in its settings.');
      await accounts.update(ordinary(username).id, { password: decodePassword(password) }, ruleFor(callerOf(req)));
      return NOTHING;
    }),

    /** Drawn for any name, so that it does not tell which accounts there are. */
    getAvatar: bytes(async ({ params, req, res }) => {
      const picture = await drawAvatar(params.required('username').slice(0, MOST_NAME), AVATAR_SIZE);
      await sendBytes(
        req,
        res,
        { bytes: picture, modifiedAt: DRAWN_AT },
        {
          contentType: 'image/png',
          cacheControl: 'private, max-age=86400',
          etag: hash('sha256', picture, 'hex').slice(0, 32),
        },
      );
    }),
  };
}
