// Announces the server on the local network by multicast DNS, so that phones find it by name. Nothing depends on the
// announcement, so failures are only reported as text and never thrown.
import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type Bonjour from 'bonjour-service';
import { messageOf } from '../errors.ts';
import type { Log } from '../log/log.ts';

export interface ServerAnnouncement {
  /** The name shown to people: `Tonearm on attic`, or `Tonearm on attic (2)` if the first one is taken. */
  name: string;
  /**
   * A host name different from the system's: the system announces its own name, and would treat a second announcement
   * as a conflict.
   */
  host: string;
  port: number;
  /** Whether to announce IPv6 addresses, which is useful only if the server listens on them. */
  hasIpv6: boolean;
}

/** Service types: `_http._tcp` is listed by network browsers, `_subsonic._tcp` is used by some phone apps. */
const SERVICE_TYPES = [
  { type: 'http', txt: { path: '/' } },
  { type: 'subsonic', txt: { path: '/rest' } },
];
/** Time in which another server can claim a name. Three queries are sent in it, as in RFC 6762, section 8.1. */
const PROBE_DURATION_MS = 750;
const PROBE_COUNT = 3;
const GOODBYE_TIMEOUT_MS = 500;

export function createAnnouncement({ log }: { log: Log }) {
  let radio: Bonjour | undefined;
  let announcedKey = '';
  let problem: string | undefined;
  let pendingWork: Promise<void> = Promise.resolve();
  let latestAbort = new AbortController();

  const noteProblem = (error: unknown): void => {
    if (problem === undefined) log.warn({ err: error }, 'the server cannot be announced on the network');
    problem = messageOf(error);
  };

  async function begin({ name, host, port, hasIpv6 }: ServerAnnouncement, signal: AbortSignal): Promise<void> {
    const { default: Radio } = await import('bonjour-service');
    const newRadio = new Radio({}, noteProblem);
    radio = newRadio;
    emitterOf(newRadio)
      .on('error', noteProblem)
      .on('warning', (error: Error) => log.debug({ err: error }, 'multicast'));
    const freeName = await findFreeName(newRadio, name, signal);
    if (signal.aborted) return;
    for (const service of SERVICE_TYPES)
      newRadio.publish({ ...service, name: freeName, host, port, disableIPv6: !hasIpv6, probe: false });
  }

  /** Withdraws the announcement, so that the name disappears from lists, and closes the socket. */
  async function end(): Promise<void> {
    const oldRadio = radio;
    radio = undefined;
    if (!oldRadio) return;
    await new Promise<void>((resolve) => {
      const enough = setTimeout(resolve, GOODBYE_TIMEOUT_MS);
      oldRadio.unpublishAll(() => {
        clearTimeout(enough);
        resolve();
      });
    });
    await new Promise<void>((resolve) => {
      oldRadio.destroy(resolve);
    });
  }

  return {
    /**
     * Replaces the announcement; with undefined, nothing is announced. A different `key` causes the addresses to be
     * read again.
     */
    show(announcement: ServerAnnouncement | undefined, key = ''): Promise<void> {
      const nextKey = announcement ? JSON.stringify([announcement, key]) : '';
      if (nextKey !== announcedKey) {
        announcedKey = nextKey;
        latestAbort.abort();
        latestAbort = new AbortController();
        const { signal } = latestAbort;
        pendingWork = pendingWork
          .then(end)
          .then(() => {
            problem = undefined;
            return announcement && begin(announcement, signal);
          })
          .catch(noteProblem);
      }
      return pendingWork;
    },

    /** Returns why the announcement has failed; undefined if it has not. */
    problem: (): string | undefined => problem,
  };
}

/**
 * Returns a name that no other server uses; resolves early if aborted. The probing of the package is not used, because
 * it gives up if a name is taken, and then only one of two servers is shown.
 */
async function findFreeName(radio: Bonjour, name: string, signal: AbortSignal): Promise<string> {
  const takenNames = new Set<string>();
  const browser = radio.find({ type: 'http' }, (service) => takenNames.add(service.name));
  for (let n = 0; n < PROBE_COUNT && !signal.aborted; n++) {
    if (n > 0) browser.update();
    // an abort ends the loop, and the caller checks the signal
    await sleep(PROBE_DURATION_MS / PROBE_COUNT, undefined, { signal }).catch(() => undefined);
  }
  browser.stop();
  let freeName = name;
  for (let n = 2; takenNames.has(freeName); n++) freeName = `${name} (${n})`;
  return freeName;
}

/**
 * Returns the package's socket, to which an error listener is added. The package has no option for that, and without a
 * listener it throws.
 */
const emitterOf = (radio: Bonjour): EventEmitter =>
  (radio as unknown as { server: { mdns: EventEmitter } }).server.mdns;
