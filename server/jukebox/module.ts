import { inArray } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import type { ArtistId, TrackId } from '../db/ids.ts';
import { tracks } from '../db/schema.ts';
import type { Base, Module } from '../module.ts';
import { jukeboxRoutes } from './routes.ts';
import { createJukebox } from './service.ts';
import { jukeboxEvent, toJukeboxOut } from './wire.ts';

export function jukeboxModule({ db, now, events }: Base) {
  const jukebox = createJukebox({
    now,
    artistsOf: (ids) => artistsOf(db, ids),
    announce: (userId, state) => events.publish(jukeboxEvent, toJukeboxOut(state), { audience: { userId } }),
  });
  return { offers: jukebox, routes: jukeboxRoutes(jukebox) } satisfies Module;
}

function artistsOf(db: Db, ids: readonly TrackId[]): Map<TrackId, ArtistId | null> {
  const rows = db
    .select({ id: tracks.id, artistId: tracks.artistId })
    .from(tracks)
    .where(inArray(tracks.id, [...ids]));
  return new Map(rows.all().map(({ id, artistId }) => [id, artistId]));
}
