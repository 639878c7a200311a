// Tasks of users, each with a check that it is done.
import type { Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import type { Stage } from '../stage.ts';
import type { Hand } from './hand.ts';

export interface Task {
  name: string;
  perform: (hand: Hand) => Promise<void>;
  isDone: (page: Page) => Promise<unknown>;
}

interface Names {
  album: { id: number; title: string };
  artist: { id: number; name: string };
  track: { id: number; title: string };
  playlist: { id: number; name: string };
  genre: string;
}

const TASK_PAGES = {
  Home: '/',
  Albums: '/albums',
  Artists: '/artists',
  Tracks: '/tracks',
  Genres: '/genres',
  Folders: '/folders',
  Liked: '/liked',
  Explore: '/explore',
  Map: '/map',
  Playlists: '/playlists',
  History: '/history',
  Statistics: '/statistics',
  Trash: '/trash',
  Activity: '/activity',
  'Library care': '/care',
};
/** Names of the pages in the side bar, without playlists, which are listed one by one. */
const IN_SIDE_BAR = new Set(['Home', 'Albums', 'Artists', 'Tracks', 'Liked', 'Explore', 'Statistics', 'Library care']);
/** The pages that are tabs of another one. */
const TABS_OF: Partial<Record<string, string>> = {
  Genres: 'Albums',
  Folders: 'Albums',
  Map: 'Explore',
  History: 'Statistics',
  Activity: 'Library care',
};
/** Names of the pages in the bottom bar of a phone; other pages are behind More. */
const IN_BAR = new Set(['Home', 'Albums', 'Artists']);

const isAt = (path: string) => (page: Page) => until(() => new URL(page.url()).pathname === path);
const dialog = (page: Page) => page.getByRole('dialog').first().waitFor();
const sounds = (page: Page) => page.getByRole('button', { name: 'Pause', exact: true }).first().waitFor();

async function pressInBar(hand: Hand, name: string): Promise<void> {
  const bar = hand.page.getByRole('navigation', { name: 'Library' });
  if (hand.inputMethod === 'mouse' || IN_BAR.has(name))
    return hand.press(bar.getByRole('link', { name: new RegExp(`^${name}`) }));
  await hand.press(bar.getByRole('button', { name: 'More' }));
  return hand.press(hand.page.getByRole('menuitem', { name: new RegExp(`^${name}`) }));
}

const goTo = (name: string, path: string): Task => ({
  name: `go to ${name}`,
  async perform(hand) {
    const barName = TABS_OF[name] ?? name;
    if (hand.inputMethod === 'keyboard' || !IN_SIDE_BAR.has(barName)) return searchTask(name, isAt(path)).perform(hand);
    await pressInBar(hand, barName);
    if (barName === name) return undefined;
    const tabs = hand.page.getByRole('navigation', { name: 'Related pages' });
    return hand.press(tabs.getByRole('link', { name: new RegExp(`^${name}`) }));
  },
  isDone: isAt(path),
});

/** Returns the task of finding an item by its name in the search, and opening, playing or running it. */
const searchTask = (text: string, isDone: Task['isDone']): Task => ({
  name: `find ${text}`,
  async perform(hand) {
    const result = await hand.search(text);
    if (hand.inputMethod !== 'keyboard') return hand.press(result);
    await until(async () => (await result.getAttribute('aria-selected')) === 'true');
    return hand.key('Enter');
  },
  isDone,
});

/** Actions that are in the submenu Manage. */
const MANAGED = new Set(['Cover…', 'Merge into another album…', 'Split album…', 'Delete', 'Duplicate…', 'Versions']);

const inMenu = (text: string, action: string, key: string, isDone: Task['isDone']): Task => ({
  name: `${action} ${text}`,
  async perform(hand) {
    const result = await hand.search(text);
    if (hand.inputMethod === 'keyboard')
      await until(async () => (await result.getAttribute('aria-selected')) === 'true');
    await hand.menu(result);
    if (hand.inputMethod === 'keyboard') return hand.key(key);
    if (MANAGED.has(action)) return hand.chooseIn('Manage', action);
    return hand.press(hand.page.getByRole('menuitem', { name: action }).first());
  },
  isDone,
});

/** Returns the length of the queue that the player reports to other windows. */
const queueLength = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const channel = new BroadcastChannel('tonearm.player');
        channel.addEventListener('message', ({ data }: MessageEvent<{ queue?: object[] }>) => {
          if (!data.queue) return;
          channel.close();
          resolve(data.queue.length);
        });
        channel.postMessage({ kind: 'hello' });
      }),
  );

/** Returns the task with the check that the queue has become longer. */
function untilQueueGrows(task: Task): Task {
  let previousCount = 0;
  return {
    ...task,
    async perform(hand) {
      previousCount = await queueLength(hand.page);
      await task.perform(hand);
    },
    isDone: (page) => until(async () => (await queueLength(page)) > previousCount),
  };
}

export function tasksOf({ api }: Pick<Stage, 'api'>, { album, artist, track, playlist, genre }: Names): Task[] {
  const scheme = (name: string) => (page: Page) =>
    page.waitForFunction(
      (wantedScheme) => document.documentElement.dataset['mantineColorScheme'] === wantedScheme,
      name,
    );
  /** Each input method repeats the task, so that it switches back and forth. */
  const countTurns = async (path: string): Promise<Task['isDone']> => {
    let wasLiked = (await api<{ liked: boolean }>(path)).liked;
    return async () => {
      await until(async () => (await api<{ liked: boolean }>(path)).liked !== wasLiked);
      wasLiked = !wasLiked;
    };
  };
  const undoDeletion = async (page: Page) => {
    await page
      .getByRole('alert')
      .filter({ hasText: /deleted/ })
      .waitFor();
    await page.keyboard.press('Control+z');
    await page
      .getByRole('alert')
      .filter({ hasText: /deleted/ })
      .waitFor({ state: 'detached' });
  };
  const like = (path: string): Task['isDone'] => {
    const turn = countTurns(path);
    return async (page) => (await turn)(page);
  };
  return [
    ...Object.entries(TASK_PAGES).map(([name, path]) => goTo(name, path)),
    searchTask(album.title, isAt(`/albums/${album.id}`)),
    searchTask(artist.name, isAt(`/artists/${artist.id}`)),
    searchTask(playlist.name, isAt(`/playlists/${playlist.id}`)),
    searchTask(genre, (page) => until(() => page.url().includes('genre='))),
    searchTask(track.title, sounds),
    searchTask('Play or pause', sounds),
    searchTask('Full-screen player', dialog),
    searchTask('New playlist', dialog),
    searchTask('New smart playlist', isAt('/playlists/new-smart')),
    searchTask('Keyboard shortcuts', dialog),
    searchTask('Appearance: Dark', scheme('dark')),
    searchTask('Appearance: Light', scheme('light')),
    inMenu(album.title, 'Play', 'p', sounds),
    inMenu(album.title, 'Shuffle', 's', sounds),
    untilQueueGrows(inMenu(album.title, 'Play next', 'n', async () => {})),
    untilQueueGrows(inMenu(album.title, 'Add to queue', 'q', async () => {})),
    inMenu(album.title, 'Start radio', 'r', sounds),
    inMenu(album.title, 'Like', 'l', like(`/albums/${album.id}`)),
    inMenu(album.title, 'Edit…', 'e', dialog),
    inMenu(album.title, 'Cover…', 'c', dialog),
    inMenu(album.title, 'Merge into another album…', 'm', dialog),
    inMenu(album.title, 'Split album…', 'x', dialog),
    inMenu(album.title, 'Share…', 'k', dialog),
    inMenu(album.title, 'Open', 'o', isAt(`/albums/${album.id}`)),
    inMenu(album.title, 'Delete', 'Delete', undoDeletion),
    inMenu(artist.name, 'Play', 'p', sounds),
    inMenu(artist.name, 'Shuffle', 's', sounds),
    inMenu(artist.name, 'Start radio', 'r', sounds),
    inMenu(artist.name, 'Like', 'l', like(`/artists/${artist.id}`)),
    inMenu(artist.name, 'Edit…', 'e', dialog),
    untilQueueGrows(inMenu(track.title, 'Play next', 'n', async () => {})),
    untilQueueGrows(inMenu(track.title, 'Add to queue', 'q', async () => {})),
    inMenu(track.title, 'Like', 'l', like(`/tracks/${track.id}`)),
    inMenu(track.title, 'Details', 'i', dialog),
    inMenu(track.title, 'Edit…', 'e', dialog),
    inMenu(track.title, 'Delete', 'Delete', undoDeletion),
    inMenu(playlist.name, 'Play', 'p', sounds),
    inMenu(playlist.name, 'Shuffle', 's', sounds),
    inMenu(playlist.name, 'Rename…', 'e', dialog),
    inMenu(playlist.name, 'Duplicate…', 'u', dialog),
    inMenu(playlist.name, 'Versions', 'v', (page) => until(() => page.url().includes('versions=true'))),
    inMenu(genre, 'Play', 'p', sounds),
    inMenu(genre, 'Shuffle', 's', sounds),
    inMenu(genre, 'Edit…', 'e', dialog),
  ];
}
