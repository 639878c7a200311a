// Switches access from the local network while the server runs, and announces the server there.
import type { RequestListener } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import type { Origin } from '../config/config.ts';
import type { WatchedSettings } from '../config/live-settings.ts';
import { inNetworks } from '../http/addresses.ts';
import type { Log } from '../log/log.ts';
import { createConnections, type ConnectionLimits } from './connections.ts';
import {
  ALL_ADDRESSES,
  isOnlyHere,
  listenOn,
  LOOPBACK_ADDRESS,
  phoneAddresses,
  urlHost,
  type Interfaces,
  type LanAddress,
} from './lan-addresses.ts';
import { createAnnouncement, type ServerAnnouncement } from './announcement.ts';
import { createListeners, type Listeners } from './listeners.ts';
import { ownHostNames } from './own-names.ts';

/** Detects changed addresses, as when a laptop changes networks. */
const ADDRESS_CHECK_MS = 5_000;

export interface NetworkAccessDeps {
  settings: WatchedSettings & { change(change: { HOST: string }): Promise<void> };
  /** Where the value of HOST comes from. A value from the environment is used unchanged, for containers. */
  hostOrigin: Origin;
  log: Log;
  connectionLimits?: Partial<ConnectionLimits> | undefined;
  interfaces?: () => Interfaces;
}

export interface NetworkState {
  isShared: boolean;
  /** The reason why the switch cannot be used, if so. */
  lockedBecause: string | undefined;
  /** The reason why the server cannot be reached although it is shared. */
  problem: string | undefined;
  port: number;
  addresses: (LanAddress & { url: string })[];
  name: { url: string; problem: string | undefined } | undefined;
  isRegistrationOpen: boolean;
}

export type NetworkAccess = ReturnType<typeof createNetworkAccess>;

export function createNetworkAccess({
  settings,
  hostOrigin,
  log,
  connectionLimits,
  interfaces = networkInterfaces,
}: NetworkAccessDeps) {
  const announcement = createAnnouncement({ log });
  const isFixed = hostOrigin === 'env';
  let listeners: Listeners | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const isShared = (): boolean => !isOnlyHere(settings.get('HOST'));
  const hostsToListenOn = (): string[] =>
    isFixed ? [settings.get('HOST')] : listenOn(settings.get('HOST'), interfaces());
  const reachable = (): LanAddress[] =>
    phoneAddresses(settings.get('HOST'), interfaces()).filter(({ address }) => isFixed || listeners?.isOpen(address));

  /** Adapts listeners and announcement to the setting and the current addresses. */
  async function updateAccess(): Promise<void> {
    await listeners?.follow(hostsToListenOn());
    if (!listeners || isStopped) return;
    void announcement.show(
      announcementOf(),
      reachable()
        .map(({ address }) => address)
        .join(),
    );
    clearInterval(timer);
    if (isShared()) timer = setInterval(() => void updateAccess(), ADDRESS_CHECK_MS).unref();
  }

  function announcementOf(): ServerAnnouncement | undefined {
    if (!listeners || !isShared() || reachable().length === 0) return undefined;
    return {
      name: `Tonearm on ${shortHostname()}`,
      host: `${ownName()}.local`,
      port: listeners.port(),
      hasIpv6: reachable().some(({ family }) => family === 'ipv6'),
    };
  }

  settings.onChange(['HOST'], updateAccess);

  return {
    /** Starts listening and returns the local URL. Throws an AppError if the port is in use. */
    async start(app: RequestListener): Promise<string> {
      const newListeners = createListeners(
        app,
        createConnections({ limits: connectionLimits, isProxy: inNetworks(settings.get('TRUSTED_PROXIES')) }),
      );
      const [firstHost = LOOPBACK_ADDRESS, ...otherHosts] = hostsToListenOn();
      await newListeners.start(settings.get('PORT'), [firstHost, ...otherHosts]);
      listeners = newListeners;
      for (const problem of newListeners.problems()) log.warn({ problem }, 'cannot listen on an address');
      await updateAccess();
      const isEverywhere = firstHost === ALL_ADDRESSES || firstHost === '::';
      return `http://${isEverywhere ? LOOPBACK_ADDRESS : urlHost(firstHost)}:${newListeners.port()}`;
    },

    /** Switches network access. Throws `conflict` if HOST is set in the environment or on the command line. */
    async share(isWished: boolean): Promise<void> {
      if (isWished !== isShared()) await settings.change({ HOST: isWished ? ALL_ADDRESSES : LOOPBACK_ADDRESS });
      await updateAccess();
    },

    isShared,
    /** Reads the names of this computer, under which the server can be reached while it is shared. */
    ownNames: ownHostNames,

    state(): NetworkState {
      const port = listeners?.port() ?? settings.get('PORT');
      const addresses = isShared()
        ? reachable().map((address) => ({ ...address, url: `http://${urlHost(address.address)}:${port}` }))
        : [];
      return {
        isShared: isShared(),
        lockedBecause: isFixed
          ? `HOST = ${settings.get('HOST')} comes from the environment or the command line and can only be ` +
            'changed there.'
          : undefined,
        problem:
          isShared() && addresses.length === 0
            ? (listeners?.problems()[0] ?? 'This computer is not connected to a network.')
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

    /** Stops accepting connections and withdraws the announcement. */
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      listeners?.stop();
      await announcement.show(undefined);
    },

    end: (): void => listeners?.end(),
  };
}

const shortHostname = (): string => hostname().split('.')[0] || 'this computer';
const ownName = (): string =>
  `tonearm-${shortHostname()
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')}`.slice(0, 63);
