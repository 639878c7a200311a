import type { CoversOffer } from '../covers/module.ts';
import type { UserId } from '../db/ids.ts';
import type { OpenAnswers } from '../http/open-answers.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import type { StreamingService } from '../streaming/service.ts';
import type { ZipService } from '../zips/service.ts';
import { guestRoutes } from './guest-routes.ts';
import { shareRoutes } from './routes.ts';
import { createShareService } from './service.ts';
import { createShareMerge } from './track-merge.ts';

type SharesModuleDeps = Base &
  Pick<CoversOffer, 'covers'> &
  Pick<LibraryOffer, 'library' | 'onMerge'> & {
    streaming: StreamingService;
    zips: ZipService;
    auth: { accounts: { get: (id: UserId) => { username: string } }; openAnswers: OpenAnswers };
  };

export function sharesModule({ db, now, paths, covers, library, onMerge, streaming, zips, auth }: SharesModuleDeps) {
  const shares = createShareService({ db, now, openAnswers: auth.openAnswers });
  const usernameOf = (id: UserId): string => auth.accounts.get(id).username;
  onMerge(createShareMerge({ db }));
  return {
    offers: shares,
    routes: shareRoutes({ shares, library }),
    rootRoutes: guestRoutes({
      shares,
      library,
      covers,
      streaming,
      zips,
      usernameOf,
      rendererDir: paths.renderer,
    }),
  } satisfies Module;
}
