// System notifications: results of jobs that the user started, and a server crash while no window is visible.
import { BrowserWindow, Notification } from 'electron';
import type { Job } from './api-schemas.ts';
import { ScanCounts } from './api-schemas.ts';
import { isOpen } from './status.ts';
import type { Say } from './texts.ts';

interface Notice {
  title: string;
  body: string;
  onClick?: () => void;
}

export function notify({ title, body, onClick }: Notice): void {
  if (!Notification.isSupported()) return;
  const notice = new Notification({ title, body, silent: true });
  if (onClick) notice.on('click', onClick);
  notice.show();
}

/** Returns whether a window has the focus; its page then displays results itself. */
export const isSeen = (): boolean => BrowserWindow.getFocusedWindow() !== null;

/** Remembers jobs that the user started from tray or menu, and returns one notification for each when it has ended. */
export function createAskedJobs() {
  const requestedJobs = new Map<number, 'scan' | 'identify'>();
  return {
    note: (job: Job, kind: 'scan' | 'identify'): void => void requestedJobs.set(job.id, kind),
    noticeOfEnd(job: Job, say: Say): Omit<Notice, 'onClick'> | undefined {
      const request = requestedJobs.get(job.id);
      if (!request || isOpen(job)) return undefined;
      requestedJobs.delete(job.id);
      if (job.status === 'cancelled') return undefined;
      if (job.status === 'failed') return { title: say(`failed.${request}`), body: job.error ?? '' };
      if (request === 'identify') return { title: say('done.identify'), body: say('done.identifyText') };
      const counts = ScanCounts.safeParse(job.result).data;
      return {
        title: say('done.scan'),
        body: counts ? say('done.scanText', { count: counts.added, failed: counts.failed_count }) : '',
      };
    },
  };
}
