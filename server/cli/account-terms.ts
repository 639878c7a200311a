// Parses the rights and limits of an account, such as `can_edit=yes quota_bytes=5GB`.
import { AccountTermsIn, toAccountTerms } from '../auth/wire.ts';
import { ACCOUNT_LIMITS, RIGHTS, type AccountTerms } from '../db/rights.ts';
import { bool } from '../setting-kinds.ts';
import { UsageError } from './usage-error.ts';

/** Parses the words. Throws UsageError, whose message lists the allowed ones. */
export function parseTerms(words: string[]): AccountTerms {
  const terms = words.map((word): [string, unknown] => {
    const [, name, value] = /^([^=]*)=(.*)$/su.exec(word) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`"${word}" is not WHAT=VALUE, such as can_edit=yes or quota_bytes=5GB.`);
    return [name, termFromText(name, value)];
  });
  return toAccountTerms(AccountTermsIn.parse(Object.fromEntries(terms)));
}

function termFromText(name: string, text: string): unknown {
  const isRight = Object.values(RIGHTS).some((right) => right.name === name);
  const limit = Object.values(ACCOUNT_LIMITS).find((candidate) => candidate.name === name);
  if (isRight) {
    const parsed = bool.safeParse(text);
    if (parsed.success) return parsed.data;
    throw new UsageError(`${name} takes yes or no, not "${text}".`);
  }
  if (!limit) throw new UsageError(`There is no "${name}" of an account. There are ${TERM_NAMES.join(', ')}.`);
  if (text.toLowerCase() === 'none') return null;
  const value = limit.fromText(text);
  if (value !== undefined && value >= limit.least && value <= limit.most) return value;
  throw new UsageError(`${name} takes ${limit.takes}, or none, not "${text}".`);
}

const TERM_NAMES = [...Object.values(RIGHTS), ...Object.values(ACCOUNT_LIMITS)].map(({ name }) => name);
