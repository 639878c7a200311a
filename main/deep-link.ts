// Links such as tonearm://album/7. Any web page may contain one, so it opens a page or a search of the library, and
// nothing else.
import type { PageMessage } from './ipc.ts';

const PAGES: Record<string, (id: string) => string> = {
  album: (id) => `/albums/${id}`,
  artist: (id) => `/artists/${id}`,
  playlist: (id) => `/playlists/${id}`,
  track: (id) => `/tracks?details=${id}`,
};
const LONGEST_LINK = 2_000;
const LONGEST_SEARCH = 200;

/** The message for the library window; undefined for an invalid link. */
export function messageForLink(link: string): Extract<PageMessage, { kind: 'open' | 'search' }> | undefined {
  if (link.length > LONGEST_LINK || !URL.canParse(link)) return undefined;
  const { protocol, host, pathname, searchParams, username, password } = new URL(link);
  if (protocol !== 'tonearm:' || username !== '' || password !== '') return undefined;
  const isBare = pathname === '' || pathname === '/';
  if (host === 'open' && isBare) return { kind: 'open', path: '/' };
  if (host === 'search' && isBare) return searchFor(searchParams.get('q') ?? '');
  const id = /^\/([1-9]\d{0,14})\/?$/.exec(pathname)?.[1];
  const page = Object.hasOwn(PAGES, host) ? PAGES[host] : undefined;
  return id !== undefined && page ? { kind: 'open', path: page(id) } : undefined;
}

function searchFor(given: string): { kind: 'search'; text: string } | undefined {
  const text = given
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, LONGEST_SEARCH);
  return text === '' ? undefined : { kind: 'search', text };
}
