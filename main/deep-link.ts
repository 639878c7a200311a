// Parses links such as tonearm://album/7 and tonearm://play/album/7. Any web page may contain such a link, so a link
// can only open a page, search or play.
import type { PageMessage, PlayableItem } from './ipc.ts';

const PAGES: Record<PlayableItem, (id: string) => string> = {
  album: (id) => `/albums/${id}`,
  artist: (id) => `/artists/${id}`,
  playlist: (id) => `/playlists/${id}`,
  track: (id) => `/tracks?details=${id}`,
};
const MAX_LINK_CHARACTERS = 2_000;
const MAX_SEARCH_CHARACTERS = 200;

type LinkMessage = Extract<PageMessage, { kind: 'open' | 'search' | 'playItem' }>;

/** Returns the message for the library window; undefined for an invalid link. */
export function messageForLink(link: string): LinkMessage | undefined {
  if (link.length > MAX_LINK_CHARACTERS || !URL.canParse(link)) return undefined;
  const { protocol, host, pathname, searchParams, username, password } = new URL(link);
  if (protocol !== 'tonearm:' || username !== '' || password !== '') return undefined;
  const isBare = pathname === '' || pathname === '/';
  if (host === 'open' && isBare) return { kind: 'open', path: '/' };
  if (host === 'search' && isBare) return searchFor(searchParams.get('q') ?? '');
  const [, item = '', id] =
    /^([a-z]+)\/([1-9]\d{0,14})\/?$/.exec(host === 'play' ? pathname.slice(1) : host + pathname) ?? [];
  if (id === undefined || !isPlayable(item)) return undefined;
  return host === 'play' ? { kind: 'playItem', item, id: Number(id) } : { kind: 'open', path: PAGES[item](id) };
}

const isPlayable = (item: string): item is PlayableItem => Object.hasOwn(PAGES, item);

function searchFor(text: string): { kind: 'search'; text: string } | undefined {
  const searchText = text
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, MAX_SEARCH_CHARACTERS);
  return searchText === '' ? undefined : { kind: 'search', text: searchText };
}
