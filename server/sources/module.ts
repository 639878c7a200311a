import type { MediaOffer } from '../media/module.ts';
import type { Base, Module } from '../module.ts';
import type { CataloguePace } from './provider-http.ts';
import { createSources } from './registry.ts';
import { createRemoteCatalogue } from './remote-catalogue.ts';
import { sourceRoutes } from './routes.ts';

export interface SourcesTuning {
  /** Rate and time limits of the remote catalogue. */
  cataloguePace?: Partial<CataloguePace>;
}

export type SourcesOffer = ReturnType<typeof sourcesModule>['offers'];

type SourcesModuleDeps = Base & Pick<MediaOffer, 'findTool'> & { tuning: SourcesTuning };

export function sourcesModule({
  config,
  version,
  now,
  db,
  settings,
  musicFolders,
  findTool,
  tuning,
}: SourcesModuleDeps) {
  const catalogue = createRemoteCatalogue({
    settings,
    version,
    now,
    findTool,
    tmpDir: config.paths.tmp,
    pace: tuning.cataloguePace ?? {},
  });
  const sources = createSources({ db, musicFolders, catalogue });
  return { offers: { sources, catalogue }, routes: sourceRoutes(sources) } satisfies Module;
}
