// Endpoints of accounts. Clients only have app passwords, which are less protected than the passwords for signing in:
// with an app password nobody can become an administrator or change an administrator's password.
import { hash } from 'node:crypto';
import { callerOf } from '../../auth/authenticate.ts';
import { ruleFor } from '../../auth/service.ts';
import type { Accounts } from '../../auth/accounts.ts';
import type { UserRow } from '../../auth/queries.ts';
import { drawAvatar } from '../../covers/avatar.ts';
import { ACCOUNT_LIMITS, RIGHT_LIST, RIGHTS, rightsFrom, type AccountLimits, type Rights } from '../../db/rights.ts';
import { forbidden, notFound } from '../../errors.ts';
import { sendBytes } from '../../http/send-bytes.ts';
import { bytesEndpoint, EMPTY_PAYLOAD, superuserEndpoint, userEndpoint, type Endpoints } from '../endpoint.ts';
import { decodePassword } from '../credentials.ts';
import { idsOfFolders, type FolderScopeDeps } from '../music-folders.ts';
import type { Params } from '../params.ts';
import { toUser } from '../wire.ts';

export interface UserDeps extends FolderScopeDeps {
  accounts: Pick<Accounts, 'findByName' | 'listAll' | 'create' | 'update' | 'delete'>;
}

/** The default of rights for a new account: by the protocol, it has no right that the call does not mention. */
const noRight = (): boolean => false;

/**
 * Throws `forbidden` for limits that Tonearm does not have, since an administrator would rely on them. All other roles
 * that Tonearm does not have are ignored, because some clients send all roles.
 */
function assertPossibleLimits(params: Params, folders: readonly number[]): void {
  if (!params.bool('streamRole', true))
    throw forbidden('Tonearm has no accounts without this right: streamRole is always true.');
  const folderIds = new Set(params.all('musicFolderId').map(Number));
  if (folderIds.size > 0 && folders.some((id) => !folderIds.has(id)))
    throw forbidden('In Tonearm every account sees all music folders.');
}

/** Returns the rights and limits that the call sets. */
function readTerms(
  params: Params,
  folders: readonly number[],
): Partial<Rights> & Partial<AccountLimits> & { email?: string } {
  assertPossibleLimits(params, folders);
  const email = params.text('email')?.slice(0, MAX_EMAIL_CHARACTERS);
  const emailTerm = email === undefined ? {} : { email };
  const roles = Object.fromEntries(
    RIGHT_LIST.filter((right) => params.has(RIGHTS[right].role)).map((right) => [
      right,
      params.bool(RIGHTS[right].role, false),
    ]),
  );
  const kbps = params.int('maxBitRate');
  if (kbps === undefined) return { ...roles, ...emailTerm };
  const { least: min, most: max } = ACCOUNT_LIMITS.maxBitrateKbps;
  return { ...roles, ...emailTerm, maxBitrateKbps: kbps <= 0 ? null : Math.min(Math.max(kbps, min), max) };
}

const MAX_EMAIL_CHARACTERS = 254;
const MAX_NAME_CHARACTERS = 200;
const AVATAR_PX = 256;
const AVATAR_TIME = new Date(0);
const APP_ONLY_MESSAGE = 'Do this in Tonearm itself: an app password does not allow it.';

export function userEndpoints({ accounts, musicFolders }: UserDeps): Endpoints {
  const folders = (): number[] => idsOfFolders({ musicFolders });
  function findAccount(username: string): UserRow {
    const account = accounts.findByName(username);
    if (!account) throw notFound('user', username);
    return account;
  }

  function findOrdinaryAccount(username: string): UserRow {
    const account = findAccount(username);
    if (account.isSuperuser) throw forbidden(APP_ONLY_MESSAGE);
    return account;
  }

  return {
    getUser: userEndpoint(({ params, user: caller }) => {
      const username = params.required('username');
      const account = accounts.findByName(username);
      if (account?.id !== caller.id && !caller.isSuperuser)
        throw forbidden('Only an administrator may see other accounts.');
      return { user: toUser(account ?? findAccount(username), folders()) };
    }),

    getUsers: superuserEndpoint(() => ({
      users: { user: accounts.listAll().map((account) => toUser(account, folders())) },
    })),

    createUser: superuserEndpoint(async ({ params, req }) => {
      const [username, password] = [params.required('username'), params.required('password')];
      params.required('email');
      if (params.bool('adminRole', false)) throw forbidden(APP_ONLY_MESSAGE);
      await accounts.create(
        {
          username,
          password: decodePassword(password),
          ...rightsFrom(noRight),
          ...readTerms(params, folders()),
        },
        ruleFor(callerOf(req)),
      );
      return EMPTY_PAYLOAD;
    }),

    updateUser: superuserEndpoint(async ({ params, req }) => {
      const account = findOrdinaryAccount(params.required('username'));
      if (params.bool('adminRole', false)) throw forbidden(APP_ONLY_MESSAGE);
      const password = params.text('password');
      await accounts.update(
        account.id,
        { ...(password !== undefined && { password: decodePassword(password) }), ...readTerms(params, folders()) },
        ruleFor(callerOf(req)),
      );
      return EMPTY_PAYLOAD;
    }),

    deleteUser: superuserEndpoint(({ params }) => {
      accounts.delete(findOrdinaryAccount(params.required('username')).id);
      return EMPTY_PAYLOAD;
    }),

    changePassword: userEndpoint(async ({ params, user: caller, req }) => {
      const [username, password] = [params.required('username'), params.required('password')];
      if (!caller.isSuperuser || accounts.findByName(username)?.id === caller.id)
        throw forbidden('Tonearm generates the app passwords of clients. Get a new one in its settings.');
      await accounts.update(
        findOrdinaryAccount(username).id,
        { password: decodePassword(password) },
        ruleFor(callerOf(req)),
      );
      return EMPTY_PAYLOAD;
    }),

    /** Draws an avatar for any name, so that the response does not reveal which accounts exist. */
    getAvatar: bytesEndpoint(async ({ params, req, res }) => {
      const picture = await drawAvatar(params.required('username').slice(0, MAX_NAME_CHARACTERS), AVATAR_PX);
      await sendBytes(
        req,
        res,
        { bytes: picture, modifiedAt: AVATAR_TIME },
        {
          contentType: 'image/png',
          cacheControl: 'private, max-age=86400',
          etag: hash('sha256', picture, 'hex').slice(0, 32),
        },
      );
    }),
  };
}
