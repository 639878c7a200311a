import { join } from 'node:path';
import type { AnalysisTuning } from '../analysis/module.ts';
import type { AnalysisPass } from '../analysis/pass.ts';
import { createEnergyRanks } from '../library/lists/energy-ranks.ts';
import type { LibraryOffer } from '../library/module.ts';
import { createStatements } from '../library/lists/statement-cache.ts';
import type { Base, Module } from '../module.ts';
import type { PlaylistService } from '../playlists/service.ts';
import { createFacts } from './track-facts.ts';
import { createMixes } from './mixes.ts';
import { createRadioExclusions } from './radio-exclusions.ts';
import { createRadio } from './radio.ts';
import { likenessRoutes } from './routes.ts';
import { createSeeds } from './seeds.ts';
import { createLikenessService } from './service.ts';
import { createSounds } from './sounds.ts';
import { createStoredMixes } from './stored-mixes.ts';

/** Tuning of the analysis and of the index of sounds. */
export interface LikenessTuning extends AnalysisTuning {
  /** Delay after the start before the index of sounds is maintained; null for never. */
  likenessAfterMs?: number | null;
}

export type LikenessOffer = ReturnType<typeof likenessModule>['offers']['likeness'];

type LikenessModuleDeps = Base &
  Pick<LibraryOffer, 'library' | 'onMerge' | 'onAnnotationsMove'> & {
    analysis: Pick<AnalysisPass, 'queries' | 'stored'>;
    playlists: PlaylistService;
    isServing: () => boolean;
    tuning: LikenessTuning;
  };

const AFTER_MS = 60_000;

export function likenessModule(deps: LikenessModuleDeps) {
  const {
    config,
    paths,
    log,
    now,
    db,
    musicFolders,
    library,
    onMerge,
    onAnnotationsMove,
    analysis,
    playlists,
    isServing,
    tuning,
  } = deps;
  const { likenessAfterMs: afterMs = AFTER_MS } = tuning;
  const statements = createStatements(db.$client);
  const energyRanks = createEnergyRanks(db.$client);
  const sounds = createSounds({
    log,
    now,
    workerUrl: paths.workers.likeness,
    databasePath: config.paths.database,
    indexPath: join(config.paths.cache, 'likeness', 'sounds.index'),
    changes: () => `${analysis.queries.changes()}:${analysis.stored()}`,
    isBusy: isServing,
    onCounted: ({ energies }) => void energyRanks.store(energies),
    afterMs: afterMs ?? 0,
  });
  const choosersBy = (random: () => number) => {
    const facts = createFacts({ statements, isOffline: musicFolders.isOffline, random });
    const seeds = createSeeds({ facts, library, playlists, random });
    return { facts, seeds, radio: createRadio({ sounds, facts, seeds, library, now, random }) };
  };
  const { facts, radio } = choosersBy(Math.random);
  const mixes = createMixes({ statements, storedMixes: createStoredMixes(db.$client), choosersBy, now });
  const exclusions = createRadioExclusions({ db, now });
  const likeness = createLikenessService({ statements, sounds, facts, radio, library, now });
  onMerge(exclusions.merge);
  onAnnotationsMove(exclusions.annotations);
  return {
    offers: { likeness: { ...likeness, sounds } },
    routes: likenessRoutes({ likeness, sounds, radio, mixes, exclusions, library }),
    start: () => {
      if (afterMs !== null) sounds.start();
    },
    stop: sounds.stop,
    close: sounds.close,
  } satisfies Module;
}
