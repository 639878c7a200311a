// Dialogs that are shown when the server cannot start or does not respond.
import { app, dialog } from 'electron';
import type { Clock } from './clock.ts';
import { nextFreePort } from './free-port.ts';
import type { StartFailure } from './server-process.ts';
import type { Say } from './texts.ts';

interface Failure extends StartFailure {
  /**
   * The previous version, if its server worked and the current version has failed twice. The user decides whether to go
   * back.
   */
  previousVersion: string | undefined;
}

/** Returns the arguments with which to start the server again, or undefined to quit. */
export async function askAfterFailure(
  { reason, port, previousVersion }: Failure,
  say: Say,
): Promise<string[] | undefined> {
  const free = port === undefined ? undefined : await nextFreePort(port);
  const answers = [
    ...(free === undefined ? [] : [{ label: say('start.otherPort', { port: String(free) }), args: portArgs(free) }]),
    { label: say('start.again'), args: [] },
    { label: say('start.quit'), args: undefined },
  ];
  const { response } = await dialog.showMessageBox({
    type: 'error',
    title: 'Tonearm',
    message: say('start.failed'),
    detail: [
      port === undefined ? reason : say('start.portInUse', { port: String(port) }),
      ...(previousVersion === undefined
        ? []
        : [say('start.goBack', { version: app.getVersion(), before: previousVersion })]),
    ].join('\n\n'),
    buttons: answers.map(({ label }) => label),
    defaultId: 0,
    cancelId: answers.length - 1,
  });
  return answers[response]?.args;
}

const portArgs = (port: number): string[] => ['--port', String(port), '--keep-port'];

/** The dialog is shown again after this time if the server still does not respond. */
const ASK_AGAIN_MS = 30_000;

interface HungDeps {
  clock: Clock;
  say: Say;
  restart(): void;
}

/**
 * Asks whether to wait for the server or to restart it. The dialog closes when the server responds again or has ended.
 */
export function createHungDialog({ clock, say, restart }: HungDeps) {
  let open: AbortController | undefined;
  let cancelPause = (): void => undefined;

  async function showDialog(): Promise<void> {
    const ownDialog = (open = new AbortController());
    const { response } = await dialog.showMessageBox({
      type: 'warning',
      title: 'Tonearm',
      message: say('hung.title'),
      detail: say('hung.text'),
      buttons: [say('hung.wait'), say('hung.restart')],
      defaultId: 0,
      cancelId: 0,
      signal: ownDialog.signal,
    });
    if (open !== ownDialog) return;
    open = undefined;
    if (response === 1) restart();
    else cancelPause = clock.after(ASK_AGAIN_MS, () => void showDialog());
  }

  return {
    show(isHung: boolean): void {
      cancelPause();
      open?.abort();
      open = undefined;
      if (isHung) void showDialog();
    },
  };
}
