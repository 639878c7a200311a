// A minimal server with some routes and a real database, for tests of single modules.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { MainDb } from '../../server/db/client.ts';
import type { AlbumId, ArtistId, TrackId } from '../../server/db/ids.ts';
import { albums, artists, tracks } from '../../server/db/schema.ts';
import { errorHandler, notFoundHandler } from '../../server/http/problem.ts';
import { mountRoutes } from '../../server/http/mount.ts';
import type { Route } from '../../server/http/route.ts';
import { createLog } from '../../server/log/log.ts';
import { principal } from '../support/principals.ts';
import { openMigrated } from '../support/temp-database.ts';

export const silent = createLog('silent');
export const SNAPSHOT_TIME = new Date('2024-01-01T00:00:00Z');

export interface Served {
  url: string;
  close(): Promise<void>;
}

/** Serves routes; the token `good` authenticates a user. */
export async function serveRoutes(routes: Route[]): Promise<Served> {
  const app = express().disable('x-powered-by').disable('etag').set('query parser', false);
  app.use(
    mountRoutes(routes, {
      checkReplies: true,
      authenticate: (req, { query }) => {
        const token =
          req.headers.authorization?.replace('Bearer ', '') ??
          (query ? new URL(req.originalUrl, 'http://localhost').searchParams.get('token') : null);
        return token === 'good' ? principal(1, 'someone') : undefined;
      },
    }),
  );
  app.use(notFoundHandler, errorHandler(silent));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type OpenLibrary = ReturnType<typeof openLibrary>;

export function openLibrary(path: string) {
  const db: MainDb = openMigrated(path);
  let count = 0;
  const times = { createdAt: SNAPSHOT_TIME, updatedAt: SNAPSHOT_TIME };
  return {
    db,
    addArtist: (name: string): ArtistId =>
      db
        .insert(artists)
        .values({ name, nameKey: name, sortName: name, sortKey: name, ...times })
        .returning()
        .get().id,
    addAlbum: (values: Partial<typeof albums.$inferInsert> = {}): AlbumId =>
      db
        .insert(albums)
        .values({ title: 'Album', titleSort: 'album', artistSort: '', ...times, ...values })
        .returning()
        .get().id,
    addTrack: (values: Partial<typeof tracks.$inferInsert> = {}): TrackId =>
      db
        .insert(tracks)
        .values({
          title: 'Track',
          titleSort: 'track',
          artistSort: '',
          albumSort: '',
          source: 'local_folder',
          sourceId: String(++count),
          availability: 'available',
          metadataStatus: 'pending',
          ...times,
          ...values,
        })
        .returning()
        .get().id,
  };
}
