// Announces the server on the local network by multicast DNS, so that phones find it by name. Nothing depends on it, so
// failures are only reported as text and never thrown.
import type { EventEmitter } from 'node:events';
import type Bonjour from 'bonjour-service';
import { messageOf } from '../errors.ts';
import type { Log } from '../log/log.ts';

export interface Announced {
  /** Shown to people: `Tonearm on attic`. */
  name: string;
  /** A name different from the system's, which the system announces itself and would treat as a conflict. */
  host: string;
  port: number;
  /** Whether to announce IPv6 addresses: only if the server listens on them. */
  hasIpv6: boolean;
}

/** `_http._tcp` is listed by network browsers, `_subsonic._tcp` is used by some phone apps. */
const SERVICES = [
  { type: 'http', txt: { path: '/' } },
  { type: 'subsonic', txt: { path: '/rest' } },
];
const GOODBYE_MS = 500;

export type Announcement = ReturnType<typeof createAnnouncement>;

export function createAnnouncement({ log }: { log: Log }) {
  let radio: Bonjour | undefined;
  let shown = '';
  let problem: string | undefined;
  let working: Promise<void> = Promise.resolve();

  const noteProblem = (error: unknown): void => {
    if (problem === undefined) log.warn({ err: error }, 'the server cannot be announced on the network');
    problem = messageOf(error);
  };

  async function begin({ name, host, port, hasIpv6 }: Announced): Promise<void> {
    const { default: Radio } = await import('bonjour-service');
    const started = new Radio({}, noteProblem);
    radio = started;
    emitterOf(started)
      .on('error', noteProblem)
      .on('warning', (error: Error) => log.debug({ err: error }, 'multicast'));
    for (const service of SERVICES)
      started.publish({ ...service, name, host, port, disableIPv6: !hasIpv6, probe: false });
  }

  /** Withdraws the announcement, so that the name disappears from lists, and closes the socket. */
  async function end(): Promise<void> {
    const ended = radio;
    radio = undefined;
    if (!ended) return;
    await new Promise<void>((resolve) => {
      const enough = setTimeout(resolve, GOODBYE_MS);
      ended.unpublishAll(() => {
        clearTimeout(enough);
        resolve();
      });
    });
    await new Promise<void>((resolve) => {
      ended.destroy(resolve);
    });
  }

  return {
    /** Announces this, or nothing if undefined. A different `key` makes it read the addresses again. */
    show(wish: Announced | undefined, key = ''): Promise<void> {
      const next = wish ? JSON.stringify([wish, key]) : '';
      if (next !== shown) {
        shown = next;
        working = working
          .then(end)
          .then(() => {
            problem = undefined;
            return wish && begin(wish);
          })
          .catch(noteProblem);
      }
      return working;
    },

    /** Why the announcement fails, if it does. */
    problem: (): string | undefined => problem,
  };
}

/** Without a listener for its socket's errors, the package throws them, and it offers no way to add one. */
const emitterOf = (radio: Bonjour): EventEmitter =>
  (radio as unknown as { server: { mdns: EventEmitter } }).server.mdns;
