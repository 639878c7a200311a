import type { Base, Module } from '../module.ts';
import { jukeboxRoutes } from './routes.ts';
import { createJukebox } from './service.ts';
import { jukeboxEvent, toJukeboxOut } from './wire.ts';

export function jukeboxModule({ now, events }: Base) {
  const jukebox = createJukebox({
    now,
    announce: (userId, state) => events.publish(jukeboxEvent, toJukeboxOut(state), { audience: { userId } }),
  });
  return { offers: jukebox, routes: jukeboxRoutes(jukebox) } satisfies Module;
}
