// Announces the server on the local network by multicast DNS, so that phones find it by name. Nothing depends on it, so
// failures are only reported as text and never thrown.
import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type Bonjour from 'bonjour-service';
import { messageOf } from '../errors.ts';
import type { Log } from '../log/log.ts';

export interface ServerAnnouncement {
  /** Shown to people: `Tonearm on attic`, and `Tonearm on attic (2)` if that is taken. */
  name: string;
  /** A name different from the system's, which the system announces itself and would treat as a conflict. */
  host: string;
  port: number;
  /** Whether to announce IPv6 addresses: only if the server listens on them. */
  hasIpv6: boolean;
}

/** `_http._tcp` is listed by network browsers, `_subsonic._tcp` is used by some phone apps. */
const SERVICE_TYPES = [
  { type: 'http', txt: { path: '/' } },
  { type: 'subsonic', txt: { path: '/rest' } },
];
/** Time in which another server can claim a name: three queries, as in RFC 6762, section 8.1. */
const PROBE_DURATION_MS = 750;
const PROBE_COUNT = 3;
const GOODBYE_TIMEOUT_MS = 500;

export function createAnnouncement({ log }: { log: Log }) {
  let radio: Bonjour | undefined;
  let announcedKey = '';
  let problem: string | undefined;
  let working: Promise<void> = Promise.resolve();
  let latest = new AbortController();

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
    /** Announces this, or nothing if undefined. A different `key` makes it read the addresses again. */
    show(wish: ServerAnnouncement | undefined, key = ''): Promise<void> {
      const nextKey = wish ? JSON.stringify([wish, key]) : '';
      if (nextKey !== announcedKey) {
        announcedKey = nextKey;
        latest.abort();
        latest = new AbortController();
        const { signal } = latest;
        working = working
          .then(end)
          .then(() => {
            problem = undefined;
            return wish && begin(wish, signal);
          })
          .catch(noteProblem);
      }
      return working;
    },

    /** Why the announcement fails, if it does. */
    problem: (): string | undefined => problem,
  };
}

/**
 * The package's own probing gives up where a name is taken; of two servers with one name, only one is shown. Resolves
 * early if aborted.
 */
async function findFreeName(radio: Bonjour, name: string, signal: AbortSignal): Promise<string> {
  const takenNames = new Set<string>();
  const browser = radio.find({ type: 'http' }, (service) => takenNames.add(service.name));
  for (let n = 0; n < PROBE_COUNT && !signal.aborted; n++) {
    if (n > 0) browser.update();
    // The caller looks at the signal.
    await sleep(PROBE_DURATION_MS / PROBE_COUNT, undefined, { signal }).catch(() => undefined);
  }
  browser.stop();
  let freeName = name;
  for (let n = 2; takenNames.has(freeName); n++) freeName = `${name} (${n})`;
  return freeName;
}

/** Adds an error listener to the package's socket, which the package has no option for; without one it throws. */
const emitterOf = (radio: Bonjour): EventEmitter =>
  (radio as unknown as { server: { mdns: EventEmitter } }).server.mdns;
