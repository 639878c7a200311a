// How the desktop app signs its own window in. The shell that started this server asks for a ticket over the private
// channel between the two processes (cli/shell-link.ts), hands it to its page, and the page gives it back here: good
// once, for half a minute, never stored.
import { createHash, randomBytes } from 'node:crypto';

const GOOD_FOR_MS = 30_000;
/** Windows that start at the same moment; the oldest go when there are more. */
const MOST = 16;

const digest = (ticket: string): string => createHash('sha256').update(ticket).digest('base64');

export type DesktopTickets = ReturnType<typeof createDesktopTickets>;

export function createDesktopTickets({ now }: { now: () => Date }) {
  const until = new Map<string, number>(); // by hash, so that looking one up tells nothing by its time

  return {
    issue(): string {
      const ticket = randomBytes(32).toString('base64url');
      if (until.size >= MOST) until.delete(until.keys().next().value ?? '');
      until.set(digest(ticket), now().getTime() + GOOD_FOR_MS);
      return ticket;
    },

    /** True once, and not after its time. */
    redeem(ticket: string): boolean {
      const key = digest(ticket);
      const end = until.get(key);
      until.delete(key);
      return end !== undefined && now().getTime() < end;
    },
  };
}
