// Passwords that are guessed first: blanks, one character again and again, the own name, and the commonest ones of
// leaked lists.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid } from '../errors.ts';
import { usernameKey } from './username.ts';

const FEWEST_SIGNS = 3;

export type RefuseWeak = (password: string, username: string) => Promise<void>;

/** Throws `invalid` that names the field and the reason. `resources` holds the list: one a line, in lower case. */
export function createWeakPasswordCheck(resources: string): RefuseWeak {
  return async (password, username) => {
    const text = password.normalize('NFKC').trim().toLowerCase();
    const refuse = (message: string): never => {
      throw invalid([{ field: 'password', message }]);
    };
    if (text === '') refuse('must not be made of blanks');
    if (new Set(text).size < FEWEST_SIGNS) refuse(`must hold at least ${FEWEST_SIGNS} different characters`);
    if (usernameKey(text) === usernameKey(username)) refuse('must not be the user name');
    const common = await readFile(join(resources, 'common-passwords.txt'), 'utf8');
    if (`\n${common}`.includes(`\n${text}\n`)) refuse('is one of the commonest passwords; choose another');
  };
}
