import type { Base, Module } from '../module.ts';
import type { ConnectionLimits } from './connections.ts';
import { networkRoutes } from './routes.ts';
import { createNetworkAccess, type NetworkAccessDeps } from './network-access.ts';
import { networkEvent } from './wire.ts';

/** Values that tests override. */
export interface LanTuning {
  connectionLimits?: Partial<ConnectionLimits>;
}

type LanModuleDeps = Base & { settings: NetworkAccessDeps['settings']; tuning: LanTuning };

export function lanModule({ config, log, settings, events, tuning: { connectionLimits } }: LanModuleDeps) {
  const network = createNetworkAccess({ settings, hostOrigin: config.origins.HOST, log, connectionLimits });
  let goodbye: Promise<void> | undefined;
  settings.onChange(['HOST'], () =>
    events.publish(networkEvent, { shared: network.state().isShared }, { audience: 'superuser' }),
  );
  return {
    offers: network,
    routes: networkRoutes(network),
    /** Withdraws the announcement first, while jobs end. */
    stop(): void {
      goodbye = network.stop();
    },
    async close(): Promise<void> {
      await goodbye;
      network.end();
    },
  } satisfies Module;
}
