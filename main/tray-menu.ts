// The tray menu and tooltip for a status. Pure: the menu is data until tray-and-dock.ts builds it.
import type { MenuItemConstructorOptions } from 'electron';
import type { Actions } from './actions.ts';
import { countsBytes, isSounding, progressOf, underWay, type Status, type Work } from './status.ts';
import type { Say } from './texts.ts';

const MAX_NAME_CHARACTERS = 60; // titles can be as long as a paragraph
const SEPARATOR = { type: 'separator' } as const;

export function trayMenu(status: Status, say: Say, actions: Actions): MenuItemConstructorOptions[] {
  const { server, isHung, isSignedIn, sharing, work } = status;
  const isUsable = server === 'running' && isSignedIn && !isHung;
  const isDoing = (task: string): boolean => underWay(work).some((job) => job.task === task);
  const trouble = troubleOf(status, say);
  const lines = trouble === undefined ? workLines(work, say) : [trouble];
  return [
    { label: playingLine(status, say), enabled: false },
    {
      label: say(isSounding(status) ? 'action.pause' : 'action.play'),
      enabled: server === 'running',
      click: () => actions.player('toggle'),
    },
    { label: say('action.next'), enabled: isSounding(status), click: () => actions.player('next') },
    { label: say('action.previous'), enabled: isSounding(status), click: () => actions.player('previous') },
    likeItem(status, say, actions),
    sleepMenu(status, say, actions),
    SEPARATOR,
    ...lines.map((label): MenuItemConstructorOptions => ({ label, enabled: false })),
    { label: say('action.rescan'), enabled: isUsable && !isDoing('scan_local_folder'), click: () => actions.rescan() },
    { label: say('action.identify'), enabled: isUsable && !isDoing('enrich_library'), click: () => actions.identify() },
    SEPARATOR,
    {
      label: say('action.share'),
      type: 'checkbox',
      checked: sharing?.isOn === true,
      enabled: isUsable && sharing?.isLocked === false,
      click: ({ checked }) => actions.share(checked),
    },
    SEPARATOR,
    { label: say('action.open'), click: () => actions.open() },
    { label: say('action.player'), enabled: isUsable, click: () => actions.openPlayer() },
    {
      label: say('action.playerOnTop'),
      type: 'checkbox',
      checked: status.isPlayerOnTop,
      click: ({ checked }) => actions.keepPlayerOnTop(checked),
    },
    { label: say('action.settings'), enabled: isUsable, click: () => actions.openSettings() },
    { label: say('action.quit'), click: () => actions.quit() },
  ];
}

/** Returns the menu of the dock, to which macOS adds the windows and Quit. */
export const dockMenu = (status: Status, say: Say, actions: Actions): MenuItemConstructorOptions[] => [
  { label: playingLine(status, say), enabled: false },
  { label: say(isSounding(status) ? 'action.pause' : 'action.play'), click: () => actions.player('toggle') },
  { label: say('action.next'), enabled: isSounding(status), click: () => actions.player('next') },
  { label: say('action.previous'), enabled: isSounding(status), click: () => actions.player('previous') },
  likeItem(status, say, actions),
];

const likeItem = ({ player }: Status, say: Say, actions: Actions): MenuItemConstructorOptions => ({
  label: say('action.like'),
  type: 'checkbox',
  checked: player?.isLiked === true,
  enabled: typeof player?.isLiked === 'boolean',
  click: () => actions.player('like'),
});

const SLEEP_MINUTES = [15, 30, 45, 60, 90];

function sleepMenu(status: Status, say: Say, actions: Actions): MenuItemConstructorOptions {
  const isOn = status.player?.isSleeping === true;
  return {
    label: say(isOn ? 'sleep.on' : 'sleep.title'),
    enabled: isSounding(status) || isOn,
    submenu: [
      { label: say('sleep.off'), enabled: isOn, click: () => actions.sleep(null) },
      ...SLEEP_MINUTES.map((minutes) => ({
        label: say('sleep.minutes', { count: minutes }),
        click: () => actions.sleep(minutes),
      })),
    ],
  };
}

/** Returns one line: a problem, else running jobs, else the current track. */
export function trayToolTip(status: Status, say: Say): string {
  const [firstJob] = underWay(status.work);
  const trouble = troubleOf(status, say);
  if (trouble !== undefined) return `Tonearm: ${trouble}`;
  if (firstJob) return `Tonearm: ${say(`work.${firstJob.task}`)}${percentOf(status.work)}`;
  return isSounding(status) ? `Tonearm: ${playingLine(status, say)}` : 'Tonearm';
}

function troubleOf({ server, isHung }: Status, say: Say): string | undefined {
  if (server !== 'running') return say(`server.${server}`);
  return isHung ? say('server.hung') : undefined;
}

function playingLine({ player }: Status, say: Say): string {
  if (!player || player.status === 'idle' || player.title === null) return say('tray.nothing');
  const title = shorten(player.title);
  return player.artist === null ? title : say('tray.by', { title, artist: shorten(player.artist) });
}

function percentOf(work: readonly Work[]): string {
  const progress = progressOf(work);
  return typeof progress === 'number' ? ` ${Math.floor(progress * 100)} %` : '';
}

/** Returns one line for each task, because downloads come by the dozen. */
function workLines(work: readonly Work[], say: Say): string[] {
  return [...new Set(underWay(work).map(({ task }) => task))].map((task) => {
    const jobsOfTask = work.filter((job) => job.task === task);
    const name = say(`work.${task}`);
    const [singleJob] = jobsOfTask;
    if (jobsOfTask.length > 1 || singleJob === undefined)
      return say('tray.work', {
        name,
        done: jobsOfTask.length - underWay(jobsOfTask).length,
        total: jobsOfTask.length,
      });
    if (countsBytes(singleJob)) return `${name}${percentOf(jobsOfTask)}`;
    const { done, total } = singleJob;
    return total === null ? say('tray.workOpen', { name, done }) : say('tray.work', { name, done, total });
  });
}

/** Returns the name on one line, shortened, with `&` escaped, which otherwise marks an access key. */
function shorten(name: string): string {
  const line = name
    .replace(/[\p{C}\s]+/gu, ' ')
    .replaceAll('&', '&&')
    .trim();
  return line.length > MAX_NAME_CHARACTERS ? `${line.slice(0, MAX_NAME_CHARACTERS - 1)}…` : line;
}
