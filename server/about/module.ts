import type { CoversOffer } from '../covers/module.ts';
import { createChosenIdentityMoves } from './chosen-identity-moves.ts';
import { handledBy } from '../jobs/tasks.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import type { MusicBrainz } from '../enrichment/musicbrainz.ts';
import { userAgentOf } from '../outbound/user-agent.ts';
import { createSubjects } from './musicbrainz.ts';
import { aboutRoutes } from './routes.ts';
import { createAboutService } from './service.ts';
import { LOOKUP_ABOUT } from './tasks.ts';
import { createWikimedia } from './wikimedia.ts';

export interface AboutTuning {
  /**
   * Maximum number of requests per second to Wikidata, Wikipedia and Commons together: they ask clients for a few only.
   */
  wikimediaPerSecond?: number;
  /** Interval of the search for due artists and albums. */
  aboutEveryMs?: number;
}

const DAY_MS = 86_400_000;
const LOOKUP_INTERVAL_MS = 5 * 60_000;

type AboutModuleDeps = Base &
  Pick<LibraryOffer, 'library' | 'changes' | 'onAnnotationsMove'> &
  Pick<CoversOffer, 'covers' | 'placeholders'> & { musicBrainz: MusicBrainz; tuning: AboutTuning };

export function aboutModule({
  version,
  log,
  now,
  nowForAges,
  db,
  settings,
  jobs,
  library,
  changes,
  onAnnotationsMove,
  covers,
  placeholders,
  musicBrainz,
  tuning,
}: AboutModuleDeps) {
  const wikimedia = createWikimedia({
    settings,
    now,
    userAgent: () => userAgentOf(version, settings.get('CONTACT')),
    perSecond: tuning.wikimediaPerSecond ?? 5,
  });
  const about = createAboutService({
    db,
    log,
    now,
    nowForAges,
    settings,
    pictures: covers.artistPictures,
    subjects: createSubjects({ musicBrainz }),
    wikimedia,
    libraryChanged: changes.announceChange,
  });
  onAnnotationsMove(createChosenIdentityMoves(db.$client));
  const lookUp = (): void => {
    if (settings.get('ARTIST_INFO_ENABLED')) void jobs.tryEnqueue(LOOKUP_ABOUT, {});
  };
  changes.onAdded(lookUp);
  covers.artistPictures.onLost((artistKey) => {
    about.pictureLost(artistKey);
    lookUp();
  });
  /**
   * The state of the library and the time at the last search for due look-ups. The search is repeated after a day even
   * without changes, because stored information is refreshed.
   */
  let lastSearch = { version: 0, at: 0 };
  async function lookForDue(): Promise<void> {
    const currentSearch = { version: changes.version(), at: now().getTime() };
    if (
      !settings.get('ARTIST_INFO_ENABLED') ||
      (currentSearch.version === lastSearch.version && currentSearch.at < lastSearch.at + DAY_MS)
    )
      return;
    lastSearch = currentSearch;
    if (await about.hasDue()) lookUp();
  }
  let timer: NodeJS.Timeout | undefined;
  settings.onChange(['ARTIST_INFO_ENABLED', 'WIKIDATA_BASE_URL', 'WIKIPEDIA_BASE_URL', 'COMMONS_BASE_URL'], () => {
    wikimedia.reset();
    lookUp();
  });

  return {
    offers: { about },
    routes: aboutRoutes({ about, library, placeholders }),
    tasks: [handledBy(LOOKUP_ABOUT, about.task)],
    resume: lookUp,
    start(): void {
      const look = (): void => {
        lookForDue().catch((err: unknown) => log.error({ err }, 'could not look up artists'));
      };
      timer = setInterval(look, tuning.aboutEveryMs ?? LOOKUP_INTERVAL_MS).unref();
    },
    stop: (): void => clearInterval(timer),
  } satisfies Module;
}
