// `tonearm user …`: manages accounts, without a running server.
import type { App } from '../app.ts';
import type { AppPasswordRow } from '../auth/named-app-passwords.ts';
import type { UserRow } from '../auth/queries.ts';
import { Credentials } from '../auth/wire.ts';
import { ACCOUNT_LIMITS, RIGHT_LIST, RIGHTS, type AccountLimit } from '../db/rights.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { toFields } from '../http/problem.ts';
import { parseTerms } from './account-terms.ts';
import { askYes } from './ask-yes.ts';
import { askNewSecret } from './ask-secret.ts';
import type { Command } from './command-line.ts';

export async function runUser(
  { auth: { accounts, sessions }, db }: App,
  { args: [action, name = '', ...words], superuser, isConfirmed }: Command,
): Promise<void> {
  if (action === 'list') {
    const users = accounts.listAll();
    if (users.length === 0) console.error('There are no accounts yet: tonearm user add NAME --superuser');
    for (const user of users)
      console.log(`${user.username} ${user.isSuperuser ? '(superuser)' : termsOf(user)}`.trimEnd());
    return;
  }
  if (action === 'add') {
    const parsedName = Credentials.pick({ username: true }).safeParse({ username: name });
    if (!parsedName.success) throw invalid(toFields(parsedName.error));
    const { username } = parsedName.data;
    if (accounts.findByName(username)) throw conflict(`An account named ${username} already exists.`);
    const password = await askPassword();
    const account = { username, password, isSuperuser: superuser, ...parseTerms(words) };
    const user = await accounts.create(account, 'note');
    return void console.log(`Created the account ${username}.${weakPasswordNote(user)}`);
  }
  const user = accounts.findByName(name);
  if (!user) throw notFound('user', name);
  if (action === 'passwd') {
    const changedUser = await accounts.update(user.id, { password: await askPassword() }, 'note');
    console.log(
      `Set the password of ${user.username}, signed out all sessions and revoked the app passwords.` +
        weakPasswordNote(changedUser),
    );
  } else if (action === 'delete') {
    if (isConfirmed !== true) await confirmDeletion(user.username);
    accounts.delete(user.id);
    console.log(`Deleted the account ${user.username} with its playlists, likes and history.`);
  } else if (action === 'promote') {
    await accounts.update(user.id, { isSuperuser: true });
    console.log(`${user.username} is now a superuser.`);
  } else if (action === 'set') {
    console.log(`${user.username} ${termsOf(await accounts.update(user.id, parseTerms(words)))}`);
  } else if (action === 'access') {
    for (const session of sessions.list(user.id))
      console.log(`session ${session.id}, ${lastUse(session)}, since ${session.createdAt.toISOString()}`);
    for (const appPassword of accounts.appPasswords.list(user.id))
      console.log(`app password ${appPassword.name}, ${lastUse(appPassword)}`);
  } else if (action === 'sign-out') {
    sessions.endAll(db, user.id);
    console.log(`Signed out ${user.username} everywhere. App passwords still work: see user access ${user.username}.`);
  } else {
    const passwordName = words.join(' ');
    const appPassword = accounts.appPasswords.list(user.id).find((candidate) => candidate.name === passwordName);
    if (!appPassword) throw notFound('app password', passwordName);
    accounts.appPasswords.revoke(user.id, appPassword.id);
    console.log(`Revoked the app password ${appPassword.name} of ${user.username}.`);
  }
}

async function confirmDeletion(username: string): Promise<void> {
  if (!process.stdin.isTTY) throw conflict('Without a terminal, deleting an account needs --yes.');
  if (!(await askYes(`Delete the account ${username} with its playlists, likes and history? [y/N] `)))
    throw conflict('Nothing was deleted.');
}

const askPassword = (): Promise<string> =>
  askNewSecret('Password', (password) => {
    const fault = Credentials.shape.password.safeParse(password).error?.issues[0];
    return fault && `A password ${fault.message}.`;
  });

const weakPasswordNote = ({ hasWeakPassword }: UserRow): string =>
  hasWeakPassword ? ' The password is easy to guess, so the account only works on this machine.' : '';

function lastUse({ lastUsedAt, address, client }: Pick<AppPasswordRow, 'lastUsedAt' | 'address' | 'client'>): string {
  if (lastUsedAt === null) return 'never used';
  return [`last used ${lastUsedAt.toISOString()}`, address && `from ${address}`, client && `by ${client}`]
    .filter(Boolean)
    .join(' ');
}

const termsOf = (user: UserRow): string =>
  [
    ...RIGHT_LIST.filter((right) => user[right]).map((right) => RIGHTS[right].name),
    ...Object.entries(ACCOUNT_LIMITS).flatMap(([limit, { name }]) => {
      const value = user[limit as AccountLimit];
      return value === null ? [] : [`${name}=${value}`];
    }),
  ].join(' ');
