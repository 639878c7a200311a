// Signs in the desktop app's own window. The shell that started this server requests a ticket over its IPC channel
// (cli/shell-link.ts) and passes it to its page, which redeems it. A ticket is valid once, for 30 seconds, and never
// stored.
import { createHash, randomBytes } from 'node:crypto';

const TICKET_LIFETIME_MS = 30_000;
/** The maximum number of unused tickets, enough for windows that start at the same time; the oldest are dropped. */
const MAX_OPEN_TICKETS = 16;

const digest = (ticket: string): string => createHash('sha256').update(ticket).digest('base64');

export function createDesktopTickets({ now }: { now: () => Date }) {
  const expiryByHash = new Map<string, number>(); // tickets are hashed, so that the time of a lookup reveals nothing

  return {
    issue(): string {
      const ticket = randomBytes(32).toString('base64url');
      if (expiryByHash.size >= MAX_OPEN_TICKETS) expiryByHash.delete(expiryByHash.keys().next().value ?? '');
      expiryByHash.set(digest(ticket), now().getTime() + TICKET_LIFETIME_MS);
      return ticket;
    },

    /** Returns true the first time, if the ticket has not expired. */
    redeem(ticket: string): boolean {
      const key = digest(ticket);
      const expiryMs = expiryByHash.get(key);
      expiryByHash.delete(key);
      return expiryMs !== undefined && now().getTime() < expiryMs;
    },
  };
}
