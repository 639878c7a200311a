// API of signing in, of one's own account, and of all accounts for superusers.
import { z } from 'zod';
import { AppPasswordIdIn, SessionIdIn, UserIdIn, type SessionId, type UserId } from '../db/ids.ts';
import { notFound } from '../errors.ts';
import { idParam, toPaged } from '../http/paging.ts';
import { route, type Principal, type Route } from '../http/route.ts';
import { callerOf } from './authenticate.ts';
import { MAX_APP_PASSWORDS } from './named-app-passwords.ts';
import { ruleFor, type AuthService } from './service.ts';
import { downloadScope } from './tokens.ts';
import {
  AppPasswordCreate,
  AppPasswordList,
  AppPasswordOut,
  AuthStatus,
  RegisterBody,
  DesktopBody,
  LoginBody,
  NoticeList,
  NoticeParam,
  NewAppPasswordOut,
  PasswordChange,
  Privacy,
  SessionList,
  SetupBody,
  TokenResponse,
  UrlTokenIn,
  UrlTokenOut,
  UserCreate,
  UserOut,
  UserPage,
  UserQuery,
  UserUpdate,
  toAccountTerms,
  toAppPasswordInfo,
  toNoticeOut,
  toSessionOut,
  toTokenResponse,
  toUserOut,
} from './wire.ts';

const UserIdParam = idParam(UserIdIn);
const UserParam = z.object({
  user: z.string().min(1).max(64).meta({ description: 'id of an account, or else its name' }),
});
/** Fields in which a user name is also accepted. */
const NAME_ALIASES = { email: 'username' };
const SessionIdParam = idParam(SessionIdIn);
const AppPasswordIdParam = idParam(AppPasswordIdIn);
/** Returns the id of an account, given its id (digits) or its name. Throws `not_found`. */
function idOf(accounts: AuthService['accounts'], user: string): UserId {
  const id = /^\d+$/.test(user) ? UserIdIn.safeParse(Number(user)).data : accounts.findByName(user)?.id;
  if (id === undefined) throw notFound('user', user);
  return id;
}

/** Returns the owner of the access token. The router has already rejected tokens without a session. */
function holderOf({ id, sessionId }: Principal): { userId: UserId; sessionId: SessionId } {
  if (sessionId === undefined) throw new Error('no session');
  return { userId: id, sessionId };
}

/** `version` is the version of the application. */
export function authRoutes(auth: AuthService, { version }: { version: string }): Route[] {
  return [...sessionRoutes(auth, version), ...ownAccountRoutes(auth), ...userRoutes(auth), ...noticeRoutes(auth)];
}

const sessionRoutes = (auth: AuthService, version: string): Route[] => [
  route(
    {
      method: 'get',
      path: '/auth/status',
      access: 'public',
      summary: 'Whether the server is set up, and whether registration is open',
      reply: AuthStatus,
    },
    () => ({
      setup_required: auth.isSetupRequired(),
      registration_allowed: auth.isRegistrationAllowed(),
      admin_name_taken: auth.isAdminNameTaken(),
      version,
    }),
  ),

  route(
    {
      method: 'post',
      path: '/auth/login',
      access: 'public',
      makesRoom: true,
      summary: 'Sign in',
      problems: ['unauthenticated'],
      body: LoginBody,
      form: true,
      accepts: { body: NAME_ALIASES },
      reply: TokenResponse,
      secret: true,
    },
    async ({ body, req }) => toTokenResponse(await auth.login({ ...body, ...callerOf(req) })),
  ),

  route(
    {
      method: 'post',
      path: '/auth/register',
      access: 'public',
      summary: 'Create your own account and sign in; 403 while ALLOW_REGISTRATION is off',
      body: RegisterBody,
      form: true,
      accepts: { body: NAME_ALIASES },
      reply: TokenResponse,
      secret: true,
      status: [201],
    },
    async ({ body, req }) => toTokenResponse(await auth.register({ ...body, ...callerOf(req) })),
  ),

  route(
    {
      method: 'post',
      path: '/auth/setup',
      access: 'public',
      summary: 'Create the first superuser with the setup token that the server printed; 409 once there is one',
      body: SetupBody,
      form: true,
      accepts: { body: NAME_ALIASES },
      reply: TokenResponse,
      secret: true,
      status: [201],
    },
    async ({ body: { setup_token, username, password }, req }) =>
      toTokenResponse(await auth.setUp({ token: setup_token, username, password, ...callerOf(req) })),
  ),

  route(
    {
      method: 'post',
      path: '/auth/desktop',
      access: 'public',
      makesRoom: true,
      summary: 'Sign in the desktop app’s own window as the owner, with a ticket from the app',
      body: DesktopBody,
      reply: TokenResponse,
      secret: true,
    },
    async ({ body: { ticket }, req }) => toTokenResponse(await auth.signInDesktop({ ticket, ...callerOf(req) })),
  ),

  route(
    {
      method: 'post',
      path: '/auth/media-token',
      access: 'user',
      summary:
        'A token for URLs: for media (audio, covers), the event stream, or one download with its query; good for a day',
      body: UrlTokenIn,
      strict: true,
      reply: UrlTokenOut,
      secret: true,
    },
    ({ user, body }) => {
      const scope = body.scope === 'download' ? downloadScope(body.path) : body.scope;
      const { token, expiresInSeconds } = auth.issueUrlToken(holderOf(user), scope);
      return { token, scope: body.scope, expires_in: expiresInSeconds };
    },
  ),

  route(
    {
      method: 'post',
      path: '/auth/refresh',
      access: 'user',
      makesRoom: true,
      summary: 'Exchange a valid token for a new one',
      reply: TokenResponse,
      secret: true,
    },
    ({ user }) => toTokenResponse(auth.refresh(holderOf(user))),
  ),

  route(
    {
      method: 'post',
      path: '/auth/logout',
      access: 'user',
      makesRoom: true,
      summary: 'Sign out: ends the session of the token, with its tokens for URLs',
    },
    ({ user }) => {
      const { userId, sessionId } = holderOf(user);
      auth.sessions.end(userId, sessionId);
    },
  ),
];

const ownAccountRoutes = (auth: AuthService): Route[] => [
  route(
    {
      method: 'get',
      path: '/users/me',
      aliases: ['/me', '/auth/me'],
      access: 'user',
      summary: 'Your account',
      reply: UserOut,
    },
    ({ user }) => toUserOut(auth.accounts.get(user.id)),
  ),

  route(
    {
      method: 'patch',
      path: '/users/me',
      access: 'user',
      summary: 'Change your password; ends all other sessions, and your app passwords if you wish',
      makesRoom: true,
      body: PasswordChange,
      strict: true,
      reply: TokenResponse,
      secret: true,
    },
    async ({ user, body, req }) =>
      toTokenResponse(
        await auth.changePassword(holderOf(user), {
          currentPassword: body.current_password,
          newPassword: body.password,
          revokesAppPasswords: body.revoke_app_passwords,
          caller: callerOf(req),
        }),
      ),
  ),

  route(
    {
      method: 'put',
      path: '/users/me/privacy',
      access: 'user',
      summary: 'Say whether others see what you play',
      body: Privacy,
      strict: true,
      reply: UserOut,
    },
    ({ user, body }) => toUserOut(auth.accounts.setHidesPlaying(user.id, body.hides_playing)),
  ),

  route(
    {
      method: 'get',
      path: '/users/me/subsonic-password',
      aliases: ['/admin/users/me/subsonic-password'],
      access: 'user',
      summary: 'Your app password called default, for Subsonic clients; created if there is none',
      reply: AppPasswordOut,
      secret: true,
      problems: ['conflict', 'storage_full'],
    },
    ({ user }) => auth.accounts.appPasswords.reveal(user.id),
  ),

  route(
    {
      method: 'post',
      path: '/users/me/subsonic-password',
      aliases: ['/admin/users/me/subsonic-password'],
      access: 'user',
      summary: 'Replace your app password called default',
      reply: AppPasswordOut,
      secret: true,
    },
    ({ user }) => auth.accounts.appPasswords.rotate(user.id),
  ),

  route(
    {
      method: 'get',
      path: '/users/me/app-passwords',
      access: 'user',
      summary: 'Your app passwords by name, and when and from where each was last used',
      reply: AppPasswordList,
    },
    ({ user }) => auth.accounts.appPasswords.list(user.id).map(toAppPasswordInfo),
  ),

  route(
    {
      method: 'post',
      path: '/users/me/app-passwords',
      access: 'user',
      summary: `Create an app password, which is shown in this answer only; an account can have ${MAX_APP_PASSWORDS}`,
      body: AppPasswordCreate,
      strict: true,
      reply: NewAppPasswordOut,
      secret: true,
      status: [201],
    },
    ({ user, body }) => {
      const { row, username, password } = auth.accounts.appPasswords.create(user.id, body.name);
      return { ...toAppPasswordInfo(row), username, password };
    },
  ),

  route(
    {
      method: 'delete',
      path: '/users/me/app-passwords/:id',
      access: 'user',
      summary: 'Revoke an app password',
      params: AppPasswordIdParam,
    },
    ({ user, params }) => auth.accounts.appPasswords.revoke(user.id, params.id),
  ),

  route(
    {
      method: 'get',
      path: '/users/me/sessions',
      access: 'user',
      summary: 'Where you are signed in, the latest used first',
      reply: SessionList,
    },
    ({ user }) => auth.sessions.list(user.id).map((session) => toSessionOut(session, user.sessionId)),
  ),

  route(
    {
      method: 'delete',
      path: '/users/me/sessions',
      access: 'user',
      summary: 'Sign out everywhere else',
    },
    ({ user }) => auth.endOtherSessions(holderOf(user)),
  ),

  route(
    {
      method: 'delete',
      path: '/users/me/sessions/:id',
      access: 'user',
      summary: 'End a session, with its tokens for URLs',
      params: SessionIdParam,
    },
    ({ user, params }) => auth.sessions.end(user.id, params.id),
  ),
];

const userRoutes = ({ accounts, sessions, endSessions }: AuthService): Route[] => [
  route(
    {
      method: 'get',
      path: '/users',
      access: 'superuser',
      summary: 'All accounts by name',
      query: UserQuery,
      reply: UserPage,
    },
    ({ query }) => toPaged(accounts.list(query), query, toUserOut),
  ),

  route(
    {
      method: 'post',
      path: '/users',
      access: 'superuser',
      summary: 'Create an account',
      body: UserCreate,
      strict: true,
      reply: UserOut,
      status: [201],
    },
    async ({ body: { username, password, ...terms }, req }) =>
      toUserOut(await accounts.create({ username, password, ...toAccountTerms(terms) }, ruleFor(callerOf(req)))),
  ),

  route(
    {
      method: 'patch',
      path: '/users/:id',
      access: 'superuser',
      summary: 'Rename an account, set its password, promote or demote it, change its rights',
      params: UserIdParam,
      body: UserUpdate,
      strict: true,
      reply: UserOut,
    },
    async ({ params, body: { username, password, revoke_app_passwords: revokesAppPasswords, ...terms }, req }) =>
      toUserOut(
        await accounts.update(
          params.id,
          { username, password, revokesAppPasswords, ...toAccountTerms(terms) },
          ruleFor(callerOf(req)),
        ),
      ),
  ),

  route(
    {
      method: 'delete',
      path: '/users/:id',
      access: 'superuser',
      summary: 'Delete an account with its playlists, likes and history',
      params: UserIdParam,
    },
    ({ params }) => accounts.delete(params.id),
  ),

  route(
    {
      method: 'get',
      path: '/users/:id/sessions',
      access: 'superuser',
      summary: 'Where an account is signed in, the latest used first',
      params: UserIdParam,
      reply: SessionList,
    },
    ({ user, params }) => {
      accounts.get(params.id);
      return sessions.list(params.id).map((session) => toSessionOut(session, user.sessionId));
    },
  ),

  route(
    {
      method: 'delete',
      path: '/users/:id/sessions',
      access: 'superuser',
      summary: 'Sign an account out everywhere',
      params: UserIdParam,
    },
    ({ params }) => endSessions(params.id),
  ),

  route(
    {
      method: 'delete',
      path: '/users/:id/sessions/:session_id',
      access: 'superuser',
      summary: 'End a session of an account, with its tokens for URLs',
      params: UserIdParam.extend({ session_id: SessionIdParam.shape.id }),
    },
    ({ params }) => sessions.end(params.id, params.session_id),
  ),

  route(
    {
      method: 'get',
      path: '/users/:id/app-passwords',
      access: 'superuser',
      summary: 'The app passwords of an account by name, and when and from where each was last used',
      params: UserIdParam,
      reply: AppPasswordList,
    },
    ({ params }) => {
      accounts.get(params.id);
      return accounts.appPasswords.list(params.id).map(toAppPasswordInfo);
    },
  ),

  route(
    {
      method: 'delete',
      path: '/users/:id/app-passwords/:app_password_id',
      access: 'superuser',
      summary: 'Revoke an app password of an account',
      params: UserIdParam.extend({ app_password_id: AppPasswordIdParam.shape.id }),
    },
    ({ params }) => accounts.appPasswords.revoke(params.id, params.app_password_id),
  ),

  route(
    {
      method: 'post',
      path: '/users/:user/subsonic-password',
      aliases: ['/admin/users/:user/subsonic-password'],
      access: 'superuser',
      summary: 'Replace the app password of an account that is called default',
      params: UserParam,
      reply: AppPasswordOut,
      secret: true,
    },
    ({ params }) => accounts.appPasswords.rotate(idOf(accounts, params.user)),
  ),
];

const noticeRoutes = ({ notices }: AuthService): Route[] => [
  route(
    {
      method: 'get',
      path: '/notices',
      access: 'superuser',
      summary: 'Notices for administrators, for example after an upgrade',
      reply: NoticeList,
    },
    () => notices.list().map(toNoticeOut),
  ),

  route(
    {
      method: 'delete',
      path: '/notices/:name',
      access: 'superuser',
      summary: 'Dismiss a notice',
      params: NoticeParam,
    },
    ({ params }) => notices.dismiss(params.name),
  ),
];
