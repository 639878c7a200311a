// Tells the local network by multicast DNS that there is a library here: phones find it by name. Nothing depends on it,
// so whatever goes wrong is a sentence to show and never an error.
import type { EventEmitter } from 'node:events';
import type Bonjour from 'bonjour-service';
import { messageOf } from '../errors.ts';
import type { Log } from '../log/log.ts';

export interface Announced {
  /** What people see: `Tonearm on attic`. */
  name: string;
  /** A name of our own, because the system announces its own name and would take a second one for a stranger's. */
  host: string;
  port: number;
  /** IPv6 addresses are announced only where they are listened on. */
  hasIpv6: boolean;
}

/** `_http._tcp` is what browsers of a network list; `_subsonic._tcp` what some phone apps look for. */
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
    if (problem === undefined) log.warn({ err: error }, 'the network cannot be told of this server');
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

  /** Says goodbye, so that nobody keeps the name in a list, and lets go of the socket. */
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
    /** Announces this from now on, or nothing. The addresses are taken anew when `key` differs from last time. */
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

    /** What keeps the network from hearing it. */
    problem: (): string | undefined => problem,
  };
}

/** The package throws what its socket reports unless somebody listens, and has no way of its own to do so. */
const emitterOf = (radio: Bonjour): EventEmitter =>
  (radio as unknown as { server: { mdns: EventEmitter } }).server.mdns;
