// Handles links, files and command lines that reach the app at launch or while it runs. They wait until the server
// listens.
import { app } from 'electron';
import { readCommandLine } from './command-line.ts';
import type { Clock } from './clock.ts';
import { messageForLink } from './deep-link.ts';
import { notify } from './notifications.ts';
import { createOpenedFiles, type ImportOutcome } from './opened-files.ts';
import type { ServerClient } from './server-client.ts';
import type { Say } from './texts.ts';
import type { Windows } from './windows.ts';

interface LaunchRequestsDeps {
  windows: Pick<Windows, 'show' | 'tell'>;
  client: ServerClient;
  clock: Clock;
  /** Calls `run` now, or as soon as the server listens. */
  whenUp(run: () => void): void;
  /** Calls `run` now, or as soon as the first account exists, which then owns the imported music. */
  whenSetUp(run: () => void): void;
  isSounding(): boolean;
  say: Say;
}

/** Files are collected for this time, because macOS reports files that were dropped together one by one. */
const OPEN_DELAY_MS = 200;

/** Starts to listen for links and files. */
export function receiveLaunchRequests({
  windows,
  client,
  clock,
  whenUp,
  whenSetUp,
  isSounding,
  say,
}: LaunchRequestsDeps) {
  const files = createOpenedFiles({ client, onDone: onImported });

  /** Plays a single imported file, as expected when opening one; several files do not interrupt what is playing. */
  function onImported({ total, trackIds, playlistIds, failures }: ImportOutcome): void {
    const playlist = playlistIds.at(-1);
    if (playlist !== undefined) windows.show('library', `/playlists/${playlist}`);
    if (trackIds.length > 0 && (total === 1 || !isSounding()))
      windows.tell({ kind: 'play', trackIds }, { isNeeded: true });
    const [firstFailure] = failures;
    if (firstFailure) notify({ title: say('failed.import'), body: `${firstFailure.name}: ${firstFailure.reason}` });
    else if (total > 1)
      notify({ title: say('done.import'), body: say('done.importText', { done: total, count: total }) });
  }

  function openPaths(paths: readonly string[]): void {
    if (paths.length > 0) whenSetUp(() => void files.open(paths));
  }

  function openLink(text: string): void {
    const message = messageForLink(text);
    if (!message) return;
    whenUp(() => {
      windows.show('library', ...(message.kind === 'open' ? [message.path] : []));
      if (message.kind !== 'open') windows.tell(message);
    });
  }

  /** Handles a command line; `words` begin with the program, as at launch. */
  function startedWith(words: readonly string[], workingDirectory: string): void {
    const { links, paths, isHidden } = readCommandLine(words, { workingDirectory, appPath: app.getAppPath() });
    if (!isHidden) whenUp(() => windows.show('library'));
    links.forEach(openLink);
    openPaths(paths);
  }

  const dropped: string[] = [];
  app.on('open-file', (event, path) => {
    event.preventDefault();
    if (dropped.push(path) === 1) clock.after(OPEN_DELAY_MS, () => openPaths(dropped.splice(0)));
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    openLink(link);
  });
  app.on('second-instance', (_event, words, workingDirectory) => startedWith(words, workingDirectory));

  return { startedWith, openPaths };
}
