import { join } from 'node:path';
import type { AuthService } from '../auth/service.ts';
import { createEmptyCover } from '../covers/empty-cover.ts';
import type { InPlace } from '../db/removed-database.ts';
import type { Base, Module } from '../module.ts';
import { createCoverArt, type CoverArtDeps } from './cover-art.ts';
import { createEndpoints, type EndpointDeps } from './endpoints/table.ts';
import { createResponder } from './respond.ts';
import { createSubsonicRouter } from './router.ts';
import { createPlaybackSessions } from './playback-sessions.ts';

/** Dependencies of the endpoints that `subsonicModule` creates itself. */
type CreatedDeps =
  | 'accounts'
  | 'assertScannable'
  | 'canTranscode'
  | 'changedAt'
  | 'covers'
  | 'emptyCover'
  | 'fetchNow'
  | 'sessions'
  | 'showsRemote';
type SubsonicModuleDeps = Base &
  CoverArtDeps &
  Omit<EndpointDeps, CreatedDeps> & {
    auth: AuthService;
    inPlace: InPlace;
    changes: { current: () => { version: number } };
    downloads: Pick<EndpointDeps, 'fetchNow'>;
    scan: Pick<EndpointDeps, 'assertScannable'>;
  };

export function subsonicModule({
  auth,
  covers,
  placeholders,
  changes,
  downloads,
  scan,
  inPlace,
  ...deps
}: SubsonicModuleDeps) {
  const { version, log, now, settings, paths, library, playlists, streaming } = deps;
  const endpoints = createEndpoints({
    ...deps,
    accounts: auth.accounts,
    assertScannable: scan.assertScannable,
    canTranscode: streaming.canTranscode,
    changedAt: () => changes.current().version,
    covers: createCoverArt({ covers, placeholders, library, playlists, podcasts: deps.podcasts }),
    emptyCover: createEmptyCover(join(paths.resources, 'placeholder-cover.jpg')),
    fetchNow: downloads.fetchNow,
    sessions: createPlaybackSessions({ now }),
    showsRemote: () => settings.get('SUBSONIC_REMOTE_TRACKS'),
  });
  const respond = createResponder({ serverVersion: version });
  return {
    offers: createSubsonicRouter({
      log,
      appSignIn: auth.appSignIn,
      inFlight: auth.inFlight,
      openAnswers: auth.openAnswers,
      isStillAllowed: auth.isStillAllowed,
      inPlace,
      respond,
      endpoints,
      library,
      about: deps.about,
    }),
  } satisfies Module;
}
