// Signs in the desktop app's own window. The shell that started this server requests a ticket over its IPC channel
// (cli/shell-link.ts) and passes it to its page, which redeems it: valid once, for 30 seconds, and never stored.
import { createHash, randomBytes } from 'node:crypto';

const GOOD_FOR_MS = 30_000;
/** Open tickets; the oldest are dropped. Enough for windows that start at the same time. */
const MAX_OPEN = 16;

const digest = (ticket: string): string => createHash('sha256').update(ticket).digest('base64');

export function createDesktopTickets({ now }: { now: () => Date }) {
  const until = new Map<string, number>(); // by hash, so that the time of a lookup reveals nothing

  return {
    issue(): string {
      const ticket = randomBytes(32).toString('base64url');
      if (until.size >= MAX_OPEN) until.delete(until.keys().next().value ?? '');
      until.set(digest(ticket), now().getTime() + GOOD_FOR_MS);
      return ticket;
    },

    /** True the first time, if the ticket has not expired. */
    redeem(ticket: string): boolean {
      const key = digest(ticket);
      const end = until.get(key);
      until.delete(key);
      return end !== undefined && now().getTime() < end;
    },
  };
}
