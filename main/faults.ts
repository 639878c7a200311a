// Handles uncaught errors, for which Electron would show a stack trace in a modal window: the user sees one sentence,
// and a report is written on this computer. Crashes of Chromium's processes write their dumps there too.
import { app, crashReporter, dialog, shell } from 'electron';
import type { ShellLog } from './log.ts';
import type { Say } from './texts.ts';

/** Whether an error is displayed; further errors are only logged until the user closes it. */
let isShown = false;

/** Handles the uncaught errors that `faults` (`process`) reports. */
export function catchFaults(faults: NodeJS.EventEmitter, log: ShellLog, say: Say): void {
  crashReporter.start({ uploadToServer: false });
  const handlerFor =
    (kind: string) =>
    (error: unknown): void => {
      const report = log.report(kind, error);
      if (isShown) return;
      void show(report);
    };
  const show = async (report: string): Promise<void> => {
    isShown = true;
    await showFault(report, say);
    isShown = false;
  };
  faults.on('uncaughtException', handlerFor('uncaught exception'));
  faults.on('unhandledRejection', handlerFor('unhandled rejection'));
  app.on('render-process-gone', (_event, page, { reason, exitCode }) =>
    log.warn(`the page ${page.getURL().split(/[?#]/)[0]} ended: ${reason} (${exitCode})`),
  );
  app.on('child-process-gone', (_event, { type, name, reason, exitCode }) =>
    log.warn(`the process ${name ?? type} ended: ${reason} (${exitCode})`),
  );
}

async function showFault(report: string, say: Say): Promise<void> {
  await app.whenReady();
  const { response } = await dialog.showMessageBox({
    type: 'error',
    title: 'Tonearm',
    message: say('fault.title'),
    detail: say('fault.text', { file: report }),
    buttons: [say('fault.goOn'), say('fault.show'), say('action.quit')],
    defaultId: 0,
    cancelId: 0,
  });
  if (response === 1) shell.showItemInFolder(report);
  if (response === 2) app.quit();
}
