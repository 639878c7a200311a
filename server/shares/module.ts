import type { UserId } from '../db/ids.ts';
import type { OpenAnswers } from '../http/open-answers.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import type { StreamingService } from '../streaming/service.ts';
import { shareRoutes } from './routes.ts';
import { createShareService } from './service.ts';
import { createShareMerge } from './track-merge.ts';
import type { ZipService } from '../zips/service.ts';

type SharesModuleDeps = Base &
  Pick<LibraryOffer, 'library' | 'onMerge'> & {
    streaming: StreamingService;
    zips: ZipService;
    auth: { accounts: { get: (id: UserId) => { username: string } }; openAnswers: OpenAnswers };
  };

export function sharesModule({ db, now, library, onMerge, streaming, zips, auth }: SharesModuleDeps) {
  const shares = createShareService({ db, now, openAnswers: auth.openAnswers });
  const usernameOf = (id: UserId): string => auth.accounts.get(id).username;
  onMerge(createShareMerge({ db }));
  return { offers: shares, rootRoutes: shareRoutes({ shares, library, streaming, zips, usernameOf }) } satisfies Module;
}
