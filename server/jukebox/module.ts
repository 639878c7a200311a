import type { Base, Module } from '../module.ts';
import { listArtistsOf } from './queries.ts';
import { jukeboxRoutes } from './routes.ts';
import { createJukebox } from './service.ts';
import { jukeboxEvent, toJukeboxOut } from './wire.ts';

export function jukeboxModule({ db, now, events }: Base) {
  const jukebox = createJukebox({
    now,
    artistsOf: (ids) => listArtistsOf(db, ids),
    announce: (userId, state) => events.publish(jukeboxEvent, toJukeboxOut(state), { audience: { userId } }),
  });
  return { offers: jukebox, routes: jukeboxRoutes(jukebox) } satisfies Module;
}
