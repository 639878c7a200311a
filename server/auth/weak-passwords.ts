// Recognizes passwords that are guessed first: blanks, one repeated character, the user name, and the commonest ones of
// leaked lists.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid, type AppError } from '../errors.ts';
import { usernameKey } from './username.ts';

const MIN_DISTINCT_CHARACTERS = 3;

/**
 * What happens to a weak password. `refuse`: from another machine it is refused. `note`: on the machine itself it is
 * accepted and marked, and works only there. `allow`: from the server's environment it is accepted, at the
 * administrator's own risk.
 */
export type WeakPasswordRule = 'refuse' | 'note' | 'allow';

export type JudgePassword = (
  password: string,
  username: string,
  rule: WeakPasswordRule,
) => Promise<{ isWeak: boolean; hasWeakPassword: boolean }>;

/**
 * Returns a function that throws `invalid` with the field and the reason. The folder `resources` has the list of common
 * passwords, one per line in lower case.
 */
export function createPasswordJudge(resources: string): JudgePassword {
  const weaknessOf = async (password: string, username: string): Promise<string | undefined> => {
    const text = password.normalize('NFKC').trim().toLowerCase();
    if (new Set(text).size < MIN_DISTINCT_CHARACTERS)
      return `must have at least ${MIN_DISTINCT_CHARACTERS} different characters`;
    if (usernameKey(text) === usernameKey(username)) return 'must not be the username';
    const commonPasswords = await readFile(join(resources, 'common-passwords.txt'), 'utf8');
    return `\n${commonPasswords}`.includes(`\n${text}\n`) ? 'is a very common password; choose another' : undefined;
  };
  const weakPasswordError = (message: string): AppError => invalid([{ field: 'password', message }]);

  return async (password, username, rule) => {
    if (password.trim() === '') throw weakPasswordError('must not consist only of spaces');
    const message = await weaknessOf(password, username);
    if (message !== undefined && rule === 'refuse') throw weakPasswordError(message);
    return { isWeak: message !== undefined, hasWeakPassword: message !== undefined && rule === 'note' };
  };
}
