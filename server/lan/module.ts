import type { Base, Module } from '../module.ts';
import type { ConnectionLimits } from './connections.ts';
import { networkRoutes } from './routes.ts';
import { createSharing, type SharingDeps } from './sharing.ts';
import { networkEvent } from './wire.ts';

/** For tests. */
export interface LanTuning {
  connectionLimits?: Partial<ConnectionLimits>;
}

type LanModuleDeps = Base & { settings: SharingDeps['settings']; tuning: LanTuning };

export function lanModule({ config, log, settings, events, tuning: { connectionLimits } }: LanModuleDeps) {
  const sharing = createSharing({ settings, hostOrigin: config.origins.HOST, log, connectionLimits });
  let goodbye: Promise<void> | undefined;
  settings.onChange(['HOST'], () =>
    events.publish(networkEvent, { shared: sharing.state().isShared }, { audience: 'superuser' }),
  );
  return {
    offers: sharing,
    routes: networkRoutes(sharing),
    /** The announcement is withdrawn while jobs end. */
    stop(): void {
      goodbye = sharing.stop();
    },
    async close(): Promise<void> {
      await goodbye;
      sharing.end();
    },
  } satisfies Module;
}
