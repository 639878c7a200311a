// Login, registration, first set-up, refresh and change of password. Accounts themselves are managed in accounts.ts.
import type { LiveSettings } from '../config/live-settings.ts';
import type { Secrets } from '../config/secrets.ts';
import type { Db, MainDb } from '../db/client.ts';
import type { SessionId, UserId } from '../db/ids.ts';
import { SELF_REGISTERED_QUOTA } from '../db/rights.ts';
import { AppError, conflict, forbidden, invalid } from '../errors.ts';
import { createInFlight } from '../http/in-flight.ts';
import { createOpenAnswers } from '../http/open-answers.ts';
import { betterPasswordRequired } from '../http/own-machine.ts';
import { toFields } from '../http/problem.ts';
import type { Log } from '../log/log.ts';
import { createAccounts } from './accounts.ts';
import { createAppSignIn } from './app-sign-in.ts';
import { createAuthenticate } from './authenticate.ts';
import { createDesktopTickets } from './desktop-tickets.ts';
import { createLimits, createRegistrationLimit } from './sign-in-limits.ts';
import { createNotices } from './notices.ts';
import { verifyPassword } from './passwords.ts';
import {
  findOwner,
  findUserWithSamePassword,
  prepareIsStillAllowed,
  updateUser,
  type Caller,
  type UserRow,
} from './queries.ts';
import { createSessions } from './sessions.ts';
import { createListeners } from '../runtime/listeners.ts';
import { logFailedSignIn } from './failed-sign-ins.ts';
import { createSetupToken } from './setup-token.ts';
import { createTokens } from './tokens.ts';
import { usernameKey } from './username.ts';
import { createPasswordJudge, type WeakPasswordRule } from './weak-passwords.ts';
import { Credentials, type SignIn } from './wire.ts';
import { bindContext } from '../runtime/bind-context.ts';

interface AuthDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  nowForAges: () => Date;
  settings: LiveSettings;
  secrets: Secrets;
  /** The folder with the resources that come with the product. */
  resources: string;
}

/** The credentials of a sign-in. The caller's address also counts for the limits on failures. */
interface Login extends Caller {
  username: string;
  password: string;
}
/** Returns what happens to a weak password that this caller sets. */
export const ruleFor = ({ isFromOwnMachine }: Pick<Caller, 'isFromOwnMachine'>): WeakPasswordRule =>
  isFromOwnMachine ? 'note' : 'refuse';

/** The user and the session to which a token belongs. */
interface Holder {
  userId: UserId;
  sessionId: SessionId;
}

/** Seconds. */
const URL_TOKEN_TTL = 86_400;

export type AuthService = ReturnType<typeof createAuthService>;

export function createAuthService(deps: AuthDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, {
      isSetupRequired,
      isRegistrationAllowed,
      login,
      register,
      setUp,
      signInDesktop,
      issueUrlToken,
      refresh,
      endSessions,
      endOtherSessions,
      changePassword,
      ensureAdmin,
    }),
    /** Calls listeners when the first account was created, which sets the server up. */
    onSetUp: context.setUpListeners.add,
    accounts: context.accounts,
    sessions: context.sessions,
    notices: createNotices(context.db),
    inFlight: createInFlight(),
    openAnswers: context.openAnswers,
    isStillAllowed: prepareIsStillAllowed(context.db, context.now),
    authenticate: createAuthenticate({ db: context.db, log: context.log, now: context.now, tokens: context.tokens }),
    /** Signs in Subsonic clients, with separate limits on failures. */
    appSignIn: createAppSignIn({
      db: context.db,
      log: context.log,
      now: context.now,
      secretKey: context.secrets.compatSecretKey,
      limits: createLimits(),
    }),
    /** The set-up token, new at each start; printed while `isSetupRequired()` is true. */
    setupToken: context.setupToken.value,
    /** Issues a ticket for the desktop shell. Whoever has the ticket signs in as the owner. */
    issueDesktopTicket: context.desktopTickets.issue,
    /** Whether ADMIN_USERNAME belongs to an ordinary account, so that no administrator was created. */
    isAdminNameTaken: (): boolean => context.isAdminNameTaken && !context.accounts.hasSuperuser(),
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ db, log, now, nowForAges, settings, secrets, resources }: AuthDeps) {
  const judgePassword = createPasswordJudge(resources);
  const openAnswers = createOpenAnswers();
  const endOrphans = openAnswers.recheck;
  const sessions = createSessions({ db, now, nowForAges, endOrphans });
  const accounts = createAccounts({ db, now, secretKey: secrets.compatSecretKey, judgePassword, sessions, endOrphans });
  const tokens = createTokens({ secret: secrets.jwtSecret, now });
  const limits = createLimits();
  const refusalLimits = createLimits();
  const limitRegistration = createRegistrationLimit();
  const setupToken = createSetupToken();
  const desktopTickets = createDesktopTickets({ now });
  return {
    db,
    log,
    now,
    settings,
    secrets,
    judgePassword,
    openAnswers,
    endOrphans,
    sessions,
    accounts,
    tokens,
    limits,
    refusalLimits,
    limitRegistration,
    setupToken,
    desktopTickets,
    isAdminNameTaken: false,
    setUpListeners: createListeners<[]>(),
  };
}

const issue = ({ tokens }: Context, user: UserRow, sessionId: SessionId, expiresInSeconds: number): SignIn => ({
  token: tokens.sign({ userId: user.id, sessionId, version: user.tokenVersion }, expiresInSeconds),
  expiresInSeconds,
  user,
});

function signIn(context: Context, user: UserRow, caller: Caller): SignIn {
  const expiresInSeconds = context.settings.get('ACCESS_TOKEN_TTL');
  return issue(context, user, context.sessions.start(user.id, expiresInSeconds, caller), expiresInSeconds);
}

/** Issues a new token for the same session. */
function renewToken(context: Context, tx: Db, user: UserRow, sessionId: SessionId): SignIn {
  const expiresInSeconds = context.settings.get('ACCESS_TOKEN_TTL');
  context.sessions.extend(tx, sessionId, expiresInSeconds);
  return issue(context, user, sessionId, expiresInSeconds);
}

const isSetupRequired = ({ accounts }: Context): boolean => !accounts.hasSuperuser();

const isRegistrationAllowed = ({ settings }: Context): boolean => settings.get('ALLOW_REGISTRATION');

/**
 * Signs a user in. Throws `unauthenticated`, with the same text and after the same time for a wrong name and a
 * wrong password, and `forbidden` for a weak password from another machine.
 */
async function login(context: Context, { username, password, ...caller }: Login): Promise<SignIn> {
  const user = context.accounts.findByName(username);
  const isFamiliar = (): boolean => user !== undefined && context.sessions.isFamiliar(user.id, caller.from);
  const attempt = await context.limits.attempt(caller, usernameKey(username), isFamiliar);
  if (!(await verifyPassword(user?.passwordHash, password)) || !user) {
    logFailedSignIn(context.log, caller, user?.id);
    throw new AppError('unauthenticated', 'The username or password is wrong.');
  }
  if (user.hasWeakPassword && !caller.isFromOwnMachine) throw betterPasswordRequired();
  await attempt.succeeded();
  return signIn(context, user, caller);
}

/**
 * Creates an account and signs it in; it never becomes a superuser. Throws `forbidden` while ALLOW_REGISTRATION is
 * off, `conflict` for a name in use, `invalid`, and at last `too_many_requests` for too many new accounts.
 */
async function register(
  context: Context,
  { username, password, ...caller }: Caller & { username?: unknown; password?: unknown },
) {
  const attempt = await context.refusalLimits.attempt(caller);
  if (!context.settings.get('ALLOW_REGISTRATION'))
    throw forbidden('Registration is off on this server. Ask its administrator for an account.');
  const rule = ruleFor(caller);
  const account = await context.accounts.assertNew({ username, password }, rule);
  const user = await context.limitRegistration(caller, () =>
    context.accounts.create({ ...account, quotaBytes: SELF_REGISTERED_QUOTA }, rule),
  );
  await attempt.succeeded();
  return signIn(context, user, caller);
}

async function setUp(
  context: Context,
  { username, password, token, ...caller }: Login & { token: string },
): Promise<SignIn> {
  if (context.accounts.hasSuperuser()) throw conflict('This server is already set up. Sign in instead.');
  const attempt = await context.limits.attempt(caller);
  if (!context.setupToken.matches(token))
    throw forbidden('The setup token is wrong. It is in the output of the server, and new at each start.');
  await attempt.succeeded();
  const user = await context.accounts.createFirst({ username, password }, ruleFor(caller));
  context.setUpListeners.notify();
  return signIn(context, user, caller);
}

/** Signs in the desktop app's own window as the owner. This works only from this machine, once per ticket. */
async function signInDesktop(context: Context, { ticket, ...caller }: Caller & { ticket: string }): Promise<SignIn> {
  const attempt = await context.limits.attempt(caller);
  if (!caller.isFromOwnMachine || !context.desktopTickets.redeem(ticket))
    throw forbidden('The ticket is invalid. Tickets are for the desktop app’s own window and work once.');
  await attempt.succeeded();
  const owner = findOwner(context.db);
  if (!owner) throw conflict('This server is not set up yet. Create the first account.');
  return signIn(context, owner, caller);
}

/** Issues a token for URLs, which may leak: it is valid for a day and one scope, and ends with its session. */
function issueUrlToken(
  { accounts, tokens }: Context,
  { userId, sessionId }: Holder,
  scope: string,
): { token: string; expiresInSeconds: number } {
  const version = accounts.get(userId).tokenVersion;
  const token = tokens.sign({ userId, sessionId, version }, URL_TOKEN_TTL, scope);
  return { token, expiresInSeconds: URL_TOKEN_TTL };
}

const refresh = (context: Context, { userId, sessionId }: Holder): SignIn =>
  renewToken(context, context.db, context.accounts.get(userId), sessionId);

/** Ends all sessions of a user. Throws `not_found`. */
function endSessions({ accounts, sessions, db, endOrphans }: Context, userId: UserId): void {
  accounts.get(userId);
  sessions.endAll(db, userId);
  endOrphans(userId);
}

/** Ends all other sessions of the user. */
function endOtherSessions({ sessions, db, endOrphans }: Context, { userId, sessionId }: Holder): void {
  sessions.endAll(db, userId, sessionId);
  endOrphans(userId);
}

/**
 * Changes the password and ends all sessions of the user but the caller's, and the app passwords if wished. Wrong
 * current passwords are counted per session, whatever the address: whoever took over a session cannot lock out
 * anybody else.
 */
async function changePassword(
  context: Context,
  { userId, sessionId }: Holder,
  change: { currentPassword: string; newPassword: string; revokesAppPasswords: boolean; caller: Caller },
): Promise<SignIn> {
  const user = context.accounts.get(userId);
  const attempt = await context.limits.attempt(change.caller, `session ${sessionId}`);
  if (!(await verifyPassword(user.passwordHash, change.currentPassword))) {
    throw new AppError('forbidden', 'The current password is incorrect.', {
      fields: [{ field: 'current_password', message: 'is wrong' }],
    });
  }
  await attempt.succeeded();
  const newPassword = await context.accounts.hashed(change.newPassword, user.username, ruleFor(change.caller));
  const result = context.db.transaction(
    (tx) => {
      if (!findUserWithSamePassword(tx, user)) throw conflict('The password was changed elsewhere in the meantime.');
      context.sessions.endAll(tx, userId, sessionId);
      if (change.revokesAppPasswords) context.accounts.appPasswords.revokeAll(tx, userId);
      const updatedUser = updateUser(tx, userId, { ...newPassword, tokenVersion: user.tokenVersion + 1 }) ?? user;
      return renewToken(context, tx, updatedUser, sessionId);
    },
    { behavior: 'immediate' },
  );
  context.endOrphans(userId);
  return result;
}

/**
 * Creates the first superuser from ADMIN_USERNAME and ADMIN_PASSWORD, for an unattended set-up. Throws for a name
 * that is not allowed. If somebody has registered the name, nobody becomes an administrator, and the server starts.
 */
async function ensureAdmin(context: Context): Promise<void> {
  const username = context.settings.get('ADMIN_USERNAME');
  const password = context.settings.get('ADMIN_PASSWORD');
  if (context.accounts.hasSuperuser() || (username === undefined && password === undefined)) return;
  if (username === undefined || password === undefined) {
    context.log.warn('ADMIN_USERNAME and ADMIN_PASSWORD only work together; no administrator created');
    return;
  }
  const account = Credentials.safeParse({ username, password });
  if (!account.success)
    throw invalid(toFields(account.error).map(({ field, message }) => ({ field: `admin_${field}`, message })));
  if (context.accounts.findByName(username)) {
    context.isAdminNameTaken = true;
    context.log.warn(
      { username },
      'ADMIN_USERNAME is already an ordinary account, so no administrator was created. Choose another name, or ' +
        'promote that account if it is yours: tonearm user promote NAME',
    );
    return;
  }
  const { isWeak } = await context.judgePassword(account.data.password, account.data.username, 'allow');
  if (isWeak) context.log.warn('ADMIN_PASSWORD is easy to guess. Choose a better password for this account.');
  const user = await context.accounts.createFirst(account.data, 'allow');
  context.log.info({ user_id: user.id }, 'administrator created from ADMIN_USERNAME');
}
