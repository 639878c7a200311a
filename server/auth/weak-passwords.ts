// Passwords that are guessed first: blanks, one character again and again, the own name, and the commonest ones of
// leaked lists.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid, type AppError } from '../errors.ts';
import { usernameKey } from './username.ts';

const FEWEST_SIGNS = 3;

/**
 * What becomes of a weak password: from another machine it is refused; on the machine itself it is taken and noted, and
 * opens the account there only; the environment of the server is the administrator's own business.
 */
export type WeakPasswordRule = 'refuse' | 'note' | 'allow';

export type JudgePassword = (
  password: string,
  username: string,
  rule: WeakPasswordRule,
) => Promise<{ isWeak: boolean; hasWeakPassword: boolean }>;

/** Throws `invalid` that names the field and the reason. `resources` holds the list: one a line, in lower case. */
export function createPasswordJudge(resources: string): JudgePassword {
  const weakness = async (password: string, username: string): Promise<string | undefined> => {
    const text = password.normalize('NFKC').trim().toLowerCase();
    if (new Set(text).size < FEWEST_SIGNS) return `must hold at least ${FEWEST_SIGNS} different characters`;
    if (usernameKey(text) === usernameKey(username)) return 'must not be the user name';
    const common = await readFile(join(resources, 'common-passwords.txt'), 'utf8');
    return `\n${common}`.includes(`\n${text}\n`) ? 'is one of the commonest passwords; choose another' : undefined;
  };
  const refuse = (message: string): AppError => invalid([{ field: 'password', message }]);

  return async (password, username, rule) => {
    if (password.trim() === '') throw refuse('must not be made of blanks');
    const message = await weakness(password, username);
    if (message !== undefined && rule === 'refuse') throw refuse(message);
    return { isWeak: message !== undefined, hasWeakPassword: message !== undefined && rule === 'note' };
  };
}
