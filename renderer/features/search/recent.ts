// Recent searches, by account, stored only in the browser.
import { getSession } from '../../api/session.ts';
import { asJson, storedChoice } from '../../stored-choice.ts';

const MAX_RECENT_SEARCHES = 8;
const recent = storedChoice<readonly string[]>({
  name: 'searches',
  key: () => `tonearm.searches.${getSession()?.user.id ?? ''}`,
  initial: [],
  ...asJson<readonly string[]>((texts) =>
    Array.isArray(texts) ? texts.filter((text) => typeof text === 'string').slice(0, MAX_RECENT_SEARCHES) : undefined,
  ),
});

/** Adds a search as the first of the recent searches. */
export function rememberSearch(text: string): void {
  const q = text.trim();
  if (q !== '')
    recent.set(
      [q, ...recent.get().filter((recentText) => recentText.toLowerCase() !== q.toLowerCase())].slice(
        0,
        MAX_RECENT_SEARCHES,
      ),
    );
}

export const forgetSearches = (): void => recent.set([]);

export const useRecentSearches = recent.use;
