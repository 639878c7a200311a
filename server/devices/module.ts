import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import { createDeviceRegistry } from './registry.ts';
import { deviceRoutes } from './routes.ts';
import { deviceCommandEvent, devicesEvent } from './wire.ts';

export function devicesModule({ now, events, library }: Base & Pick<LibraryOffer, 'library'>) {
  const registry = createDeviceRegistry({
    now,
    library,
    announce: (userId) => events.publish(devicesEvent, {}, { audience: { userId }, isFleeting: true }),
  });
  const routes = deviceRoutes({
    registry,
    send: (userId, command) => events.publish(deviceCommandEvent, command, { audience: { userId }, isFleeting: true }),
  });
  return { offers: registry, routes } satisfies Module;
}
