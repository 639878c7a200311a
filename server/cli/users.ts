// `tonearm user add|list|passwd|promote`: manages accounts without a running server.
import { createInterface } from 'node:readline/promises';
import type { App } from '../app.ts';
import { UserCreate } from '../auth/wire.ts';
import { AppError, invalid, notFound } from '../errors.ts';
import { toFields } from '../http/problem.ts';
import type { Command } from './command-line.ts';

export async function runUser(
  { auth: { accounts } }: App,
  { args: [action, name], superuser }: Command,
): Promise<void> {
  if (action === 'list') {
    for (const user of accounts.list({ limit: 1_000, offset: 0 }).items)
      console.log(`${user.username}${user.isSuperuser ? ' (superuser)' : ''}`);
    return;
  }
  if (!action || !name)
    throw new AppError('bad_request', 'Usage: user add NAME, user passwd NAME, user promote NAME, or user list.');
  if (action === 'add') {
    const account = UserCreate.safeParse({ username: name, password: await askPassword() });
    if (!account.success) throw invalid(toFields(account.error));
    await accounts.create({ ...account.data, isSuperuser: superuser });
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
  } else throw new AppError('bad_request', `There is no command "user ${action}".`);
}

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
