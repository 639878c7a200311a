// `tonearm user …`: manages accounts, with or without a running server.
import { createInterface } from 'node:readline/promises';
import type { App } from '../app.ts';
import type { AppPasswordRow } from '../auth/named-app-passwords.ts';
import type { UserRow } from '../auth/queries.ts';
import { AccountTermsIn, toAccountTerms } from '../auth/wire.ts';
import { ACCOUNT_LIMITS, RIGHT_LIST, RIGHTS, type AccountLimit, type AccountTerms } from '../db/rights.ts';
import { AppError, notFound } from '../errors.ts';
import { bool } from '../setting-kinds.ts';
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
    const terms = parseTerms(words);
    await accounts.create({ username: name, password: await askPassword(), isSuperuser: superuser, ...terms });
    return void console.log(`Created the account ${name}.`);
  }
  const user = accounts.findByName(name);
  if (!user) throw notFound('user', name);
  if (action === 'passwd') {
    await accounts.update(user.id, { password: await askPassword() });
    console.log(`Set the password of ${user.username} and signed out all sessions.`);
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

function lastUse({ lastUsedAt, address, client }: Pick<AppPasswordRow, 'lastUsedAt' | 'address' | 'client'>): string {
  if (lastUsedAt === null) return 'never used';
  return [`last used ${lastUsedAt.toISOString()}`, address && `from ${address}`, client && `by ${client}`]
    .filter(Boolean)
    .join(' ');
}

/** Read by the words of the command line, not of JSON: `can_edit=yes quota_bytes=5GB`. Throws `bad_request`. */
export function parseTerms(words: string[]): AccountTerms {
  const given = words.map((word): [string, unknown] => {
    const [, name, value] = /^([^=]*)=(.*)$/su.exec(word) ?? [];
    if (name === undefined || value === undefined)
      throw new AppError('bad_request', `"${word}" is not WHAT=VALUE, such as can_edit=yes or quota_bytes=5GB.`);
    return [name, termFromText(name, value)];
  });
  return toAccountTerms(AccountTermsIn.parse(Object.fromEntries(given)));
}

/** Throws `bad_request` with what is taken. */
function termFromText(name: string, text: string): unknown {
  const isRight = Object.values(RIGHTS).some((right) => right.name === name);
  const limit = Object.values(ACCOUNT_LIMITS).find((one) => one.name === name);
  if (isRight) {
    const parsed = bool.safeParse(text);
    if (parsed.success) return parsed.data;
    throw new AppError('bad_request', `${name} takes yes or no, not "${text}".`);
  }
  if (!limit) throw new AppError('bad_request', `There is no "${name}" of an account. There are ${TERMS.join(', ')}.`);
  if (text.toLowerCase() === 'none') return null;
  const value = limit.fromText(text);
  if (value !== undefined && value >= limit.least && value <= limit.most) return value;
  throw new AppError('bad_request', `${name} takes ${limit.takes}, or none, not "${text}".`);
}

const TERMS = [...Object.values(RIGHTS), ...Object.values(ACCOUNT_LIMITS)].map(({ name }) => name);

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
