// `tonearm user …`: manages accounts, without a running server.
import { createInterface } from 'node:readline/promises';
import { z } from 'zod';
import type { App } from '../app.ts';
import type { AppPasswordRow } from '../auth/named-app-passwords.ts';
import type { UserRow } from '../auth/queries.ts';
import { AccountTermsIn, toAccountTerms, UserCreate } from '../auth/wire.ts';
import { ACCOUNT_LIMITS, RIGHT_LIST, RIGHTS, type AccountLimit, type AccountTerms } from '../db/rights.ts';
import { AppError, invalid, notFound } from '../errors.ts';
import { toFields } from '../http/problem.ts';
import type { Command } from './command-line.ts';

export async function runUser(
  { auth: { accounts, sessions }, db }: App,
  { args: [action, name, ...words], superuser }: Command,
): Promise<void> {
  if (action === 'list') {
    for (const user of accounts.list({ limit: 1_000, offset: 0 }).items)
      console.log(`${user.username} ${user.isSuperuser ? '(superuser)' : termsOf(user)}`.trimEnd());
    return;
  }
  if (!action || !name)
    throw new AppError(
      'bad_request',
      `Usage: ${['add', 'passwd', 'promote', 'access', 'sign-out'].map((one) => `user ${one} NAME`).join(', ')}, ` +
        'user set NAME WHAT=VALUE, user revoke NAME APP-PASSWORD, or user list.',
    );
  if (action === 'add') {
    const account = UserCreate.safeParse({ username: name, password: await askPassword() });
    if (!account.success) throw invalid(toFields(account.error));
    const terms = words.length === 0 ? {} : parseTerms(words);
    const { username, password } = account.data;
    const user = await accounts.create({ username, password, isSuperuser: superuser, ...terms }, 'note');
    return void console.log(`Created the account ${name}.${weakNote(user)}`);
  }
  const user = accounts.findByName(name);
  if (!user) throw notFound('user', name);
  if (action === 'passwd') {
    const changed = await accounts.update(user.id, { password: await askPassword() }, 'note');
    console.log(
      `Set the password of ${user.username}, signed out all sessions and revoked the app passwords.` +
        weakNote(changed),
    );
  } else if (action === 'promote') {
    await accounts.update(user.id, { isSuperuser: true });
    console.log(`${user.username} is now a superuser.`);
  } else if (action === 'set') {
    console.log(`${user.username} ${termsOf(await accounts.update(user.id, parseTerms(words)))}`);
  } else if (action === 'access') {
    for (const one of sessions.list(user.id))
      console.log(`session ${one.id}, ${lastUse(one)}, since ${one.createdAt.toISOString()}`);
    for (const one of accounts.appPasswords.list(user.id)) console.log(`app password ${one.name}, ${lastUse(one)}`);
  } else if (action === 'sign-out') {
    sessions.endAll(db, user.id);
    console.log(`Signed out ${user.username} everywhere. App passwords still work: see user access ${user.username}.`);
  } else if (action === 'revoke') {
    const given = words.join(' ');
    const found = accounts.appPasswords.list(user.id).find((one) => one.name === given);
    if (!found) throw notFound('app password', given);
    accounts.appPasswords.revoke(user.id, found.id);
    console.log(`Revoked the app password ${found.name} of ${user.username}.`);
  } else throw new AppError('bad_request', `There is no command "user ${action}".`);
}

const weakNote = ({ hasWeakPassword }: UserRow): string =>
  hasWeakPassword ? ' The password is easy to guess, so the account only works on this machine.' : '';

function lastUse({ lastUsedAt, address, client }: Pick<AppPasswordRow, 'lastUsedAt' | 'address' | 'client'>): string {
  if (lastUsedAt === null) return 'never used';
  return [`last used ${lastUsedAt.toISOString()}`, address && `from ${address}`, client && `by ${client}`]
    .filter(Boolean)
    .join(' ');
}

const WORDS = new Map<string, unknown>([
  ['yes', true],
  ['no', false],
  ['none', null],
]);

/** `can_edit=yes quota_bytes=none`. */
function parseTerms(words: string[]): AccountTerms {
  const given = words.map((word): [string, unknown] => {
    const [name = '', value = ''] = word.split('=');
    return [name, WORDS.has(value) ? WORDS.get(value) : Number.parseInt(value, 10)];
  });
  const parsed = z.strictObject(AccountTermsIn.omit({ is_superuser: true }).shape).safeParse(Object.fromEntries(given));
  if (!parsed.success) throw invalid(toFields(parsed.error));
  if (given.length === 0) throw new AppError('bad_request', 'Usage: user set NAME can_edit=yes.');
  return toAccountTerms(parsed.data);
}

const termsOf = (user: UserRow): string =>
  [
    ...RIGHT_LIST.filter((right) => user[right]).map((right) => RIGHTS[right].name),
    ...Object.entries(ACCOUNT_LIMITS).flatMap(([limit, { name }]) => {
      const value = user[limit as AccountLimit];
      return value === null ? [] : [`${name}=${value}`];
    }),
  ].join(' ');

/** From the terminal, or the first line of a pipe. */
export async function askPassword(question = 'Password: '): Promise<string> {
  const input = createInterface({
    input: process.stdin,
    ...(process.stdin.isTTY && { output: process.stderr }),
    terminal: process.stdin.isTTY,
  });
  try {
    if (process.stdin.isTTY) return await input.question(question);
    for await (const line of input) return line;
    throw new AppError('bad_request', 'Run this in a terminal, or pipe the password in.');
  } finally {
    input.close();
  }
}
