// One switch lets the local network in and sends it away again while the server runs; the network is told by name where
// the library is.
import type { RequestListener } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import type { Origin } from '../config/config.ts';
import type { WatchedSettings } from '../config/live-settings.ts';
import type { Log } from '../log/log.ts';
import {
  EVERYWHERE,
  isOnlyHere,
  listenOn,
  ONLY_HERE,
  phoneAddresses,
  urlHost,
  type Interfaces,
  type LanAddress,
} from './lan-addresses.ts';
import { createAnnouncement, type Announced } from './announcement.ts';
import { createListeners, type Listeners } from './listeners.ts';

/** A laptop goes from one network to the next. */
const LOOK_EVERY_MS = 5_000;

export interface SharingDeps {
  settings: WatchedSettings & { change(change: { HOST: string }): Promise<void> };
  /** Of HOST. From the environment it is taken as it stands, for containers and the like. */
  hostOrigin: Origin;
  log: Log;
  interfaces?: () => Interfaces;
}

export interface NetworkState {
  isShared: boolean;
  /** Why the switch cannot be used, in words. */
  lockedBecause: string | undefined;
  /** Why nobody can come although they may, in words. */
  problem: string | undefined;
  port: number;
  addresses: (LanAddress & { url: string })[];
  name: { url: string; problem: string | undefined } | undefined;
  isRegistrationOpen: boolean;
}

export type Sharing = ReturnType<typeof createSharing>;

export function createSharing({ settings, hostOrigin, log, interfaces = networkInterfaces }: SharingDeps) {
  const announcement = createAnnouncement({ log });
  const isFixed = hostOrigin === 'env';
  let doors: Listeners | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const isShared = (): boolean => !isOnlyHere(settings.get('HOST'));
  const wanted = (): string[] => (isFixed ? [settings.get('HOST')] : listenOn(settings.get('HOST'), interfaces()));
  const reachable = (): LanAddress[] =>
    phoneAddresses(settings.get('HOST'), interfaces()).filter(({ address }) => isFixed || doors?.isOpen(address));

  /** Brings doors and announcement in line with the setting and with the addresses of the moment. */
  async function follow(): Promise<void> {
    await doors?.follow(wanted());
    if (!doors || isStopped) return;
    void announcement.show(
      whatToTell(),
      reachable()
        .map(({ address }) => address)
        .join(),
    );
    clearInterval(timer);
    if (isShared()) timer = setInterval(() => void follow(), LOOK_EVERY_MS).unref();
  }

  function whatToTell(): Announced | undefined {
    if (!doors || !isShared() || reachable().length === 0) return undefined;
    return {
      name: `Tonearm on ${shortHostname()}`,
      host: `${ownName()}.local`,
      port: doors.port(),
      hasIpv6: reachable().some(({ family }) => family === 'ipv6'),
    };
  }

  settings.onChange(['HOST'], follow);

  return {
    /**
     * Starts to listen; gives the address for this computer. Throws an AppError that names the port when it is taken.
     */
    async start(app: RequestListener): Promise<string> {
      const started = createListeners(app);
      const [first = ONLY_HERE, ...others] = wanted();
      await started.start(settings.get('PORT'), [first, ...others]);
      doors = started;
      for (const problem of started.problems()) log.warn({ problem }, 'an address is not listened on');
      await follow();
      return `http://${first === EVERYWHERE || first === '::' ? ONLY_HERE : urlHost(first)}:${started.port()}`;
    },

    /** Throws `conflict` where HOST comes from the environment or the command line. */
    async share(isWished: boolean): Promise<void> {
      if (isWished !== isShared()) await settings.change({ HOST: isWished ? EVERYWHERE : ONLY_HERE });
      await follow();
    },

    state(): NetworkState {
      const port = doors?.port() ?? settings.get('PORT');
      const addresses = isShared()
        ? reachable().map((one) => ({ ...one, url: `http://${urlHost(one.address)}:${port}` }))
        : [];
      return {
        isShared: isShared(),
        lockedBecause: isFixed
          ? `HOST = ${settings.get('HOST')} comes from the environment or the command line and can only be ` +
            'changed there.'
          : undefined,
        problem:
          isShared() && addresses.length === 0
            ? (doors?.problems()[0] ?? 'This computer is not connected to a network.')
            : undefined,
        port,
        addresses,
        name:
          addresses.length > 0
            ? { url: `http://${ownName()}.local:${port}`, problem: announcement.problem() }
            : undefined,
        isRegistrationOpen: settings.get('ALLOW_REGISTRATION'),
      };
    },

    /** No new callers; says goodbye to the network. */
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      doors?.stop();
      await announcement.show(undefined);
    },

    end: (): void => doors?.end(),
  };
}

const shortHostname = (): string => hostname().split('.')[0] || 'this computer';
const ownName = (): string =>
  `tonearm-${shortHostname()
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')}`.slice(0, 63);
