// Endpoints of accounts. Clients only have app passwords, which are less protected than those for signing in: with them
// nobody can become an administrator or change an administrator's password.
import type { Accounts } from '../../auth/accounts.ts';
import type { UserRow } from '../../auth/queries.ts';
import { ACCOUNT_LIMITS, RIGHT_LIST, RIGHTS, rightsFrom, type AccountLimits, type Rights } from '../../db/rights.ts';
import { forbidden, notFound } from '../../errors.ts';
import { NOTHING, superuser, user, type Endpoints } from '../endpoint.ts';
import { decodePassword } from '../credentials.ts';
import type { Params } from '../params.ts';
import { toUser } from '../wire.ts';

export interface UserDeps {
  accounts: Pick<Accounts, 'findByName' | 'listAll' | 'create' | 'update' | 'setPassword' | 'delete'>;
}

/** The protocol says what an account may do that is made without a word on it. */
const none = (): boolean => false;

/** Those of the roles that were sent. */
function termsOf(params: Params): Partial<Rights> & Partial<AccountLimits> {
  const roles = Object.fromEntries(
    RIGHT_LIST.filter((right) => params.has(RIGHTS[right].role)).map((right) => [
      right,
      params.bool(RIGHTS[right].role, false),
    ]),
  );
  const kbps = params.int('maxBitRate');
  if (kbps === undefined) return roles;
  const { least, most } = ACCOUNT_LIMITS.maxBitrateKbps;
  return { ...roles, maxBitrateKbps: kbps <= 0 ? null : Math.min(Math.max(kbps, least), most) };
}

const IN_THE_APP = 'Do this in Tonearm itself: an app password does not allow it.';

export function userEndpoints({ accounts }: UserDeps): Endpoints {
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
      return { user: toUser(found ?? byName(username)) };
    }),

    getUsers: superuser(() => ({ users: { user: accounts.listAll().map(toUser) } })),

    createUser: superuser(async ({ params }) => {
      const [username, password] = [params.required('username'), params.required('password')];
      params.required('email');
      if (params.bool('adminRole', false)) throw forbidden(IN_THE_APP);
      await accounts.create({ username, password: decodePassword(password), ...rightsFrom(none), ...termsOf(params) });
      return NOTHING;
    }),

    updateUser: superuser(async ({ params }) => {
      const found = ordinary(params.required('username'));
      if (params.bool('adminRole', false)) throw forbidden(IN_THE_APP);
      const password = params.text('password');
      await accounts.update(found.id, {
        ...(password !== undefined && { password: decodePassword(password) }),
        ...termsOf(params),
      });
      return NOTHING;
    }),

    deleteUser: superuser(({ params }) => {
      accounts.delete(ordinary(params.required('username')).id);
      return NOTHING;
    }),

    changePassword: user(async ({ params, user: asking }) => {
      const [username, password] = [params.required('username'), params.required('password')];
      if (!asking.isSuperuser || accounts.findByName(username)?.id === asking.id)
        throw forbidden('Tonearm generates the app passwords of clients. Get a new one in its settings.');
      await accounts.setPassword(ordinary(username).id, decodePassword(password));
      return NOTHING;
    }),

    getAvatar: user(({ params }) => {
      throw notFound('picture of', params.required('username'));
    }),
  };
}
