// Looks up and stores information about artists, albums and labels. Requests are made only with ARTIST_INFO_ENABLED;
// stored information is shown without any network. A look-up that fails, in whole or in part, is soon due again.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AlbumId, ArtistId } from '../db/ids.ts';
import type { About } from '../db/schema.ts';
import { notFound } from '../errors.ts';
import type { Handler } from '../jobs/tasks.ts';
import { ServiceError } from '../outbound/service-client.ts';
import type { LOOKUP_ABOUT } from './tasks.ts';
import type { CommonsFile } from './wikimedia.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';
import { bindContext } from '../runtime/bind-context.ts';
import {
  lookUpAlbum,
  lookUpSubject,
  type Context,
  createContext,
  type AboutDeps,
  lookUpArtist,
  candidates,
  toAppError,
  assertEnabled,
  isEnabled,
  getArtist,
  setIdentity,
  findAgain,
  identityOf,
  knownFacts,
  type KnownFacts,
  quietly,
  isIdentityDue,
  canBeAsked,
} from './look-ups.ts';

/** After this many failed look-ups in a row, the services are considered down. */
const MAX_CONSECUTIVE_FAILURES = 3;

interface Candidate extends CommonsFile {
  isCurrent: boolean;
}

export type AboutService = ReturnType<typeof createAboutService>;

export function createAboutService(deps: AboutDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, {
      ofArtist,
      ofAlbum,
      candidates,
      setIdentity,
      listPictures,
      readPicture,
      choosePicture,
      pictureLost,
      hasDue,
    }),
    disambiguationOf: (id: ArtistId): string | null => context.queries.disambiguationOf(id),
    /** Looks the artist up now if it is due. When a service fails, nothing is thrown and the artist stays due. */
    lookUpArtist: (id: ArtistId, signal: AbortSignal): Promise<void> =>
      isEnabled(context) ? quietly(lookUpArtist(context, id, signal)) : Promise.resolve(),
    lookUpAlbum: (id: AlbumId, signal: AbortSignal): Promise<void> =>
      isEnabled(context) ? quietly(lookUpAlbum(context, id, signal)) : Promise.resolve(),
    /** Handler of `lookup_about`. Each look-up is stored at once, so an interrupted run continues where it stopped. */
    task: (async (_payload, { signal, progress }) => {
      const result = { asked: 0, found: 0 };
      let failures = 0;
      let lastFault: ServiceError | undefined;
      const lookUpAll = async <Id>(ids: Iterable<Id>, lookUp: (id: Id) => Promise<boolean>): Promise<void> => {
        for (const id of ids) {
          signal.throwIfAborted();
          if (!isEnabled(context)) return;
          try {
            if (await lookUp(id)) result.found++;
            failures = 0;
          } catch (error) {
            if (!(error instanceof ServiceError)) throw error;
            lastFault = error;
            if (++failures === MAX_CONSECUTIVE_FAILURES) throw error;
          }
          progress(++result.asked, null, `${result.found} found`);
          await yieldIfDue();
        }
      };
      context.queries.dropUnused(context.nowForAges());
      for (const ids of context.queries.dueArtists(context.now()))
        await lookUpAll(ids, (id) => lookUpArtist(context, id, signal));
      for (const ids of context.queries.dueAlbums(context.now()))
        await lookUpAll(ids, (id) => lookUpAlbum(context, id, signal));
      await lookUpAll(context.queries.dueLabels(context.now()), (mbid) =>
        lookUpSubject(context, 'label', mbid, signal),
      );
      if (lastFault) throw lastFault; // the task is retried, which looks up the failed subjects again
      return result;
    }) satisfies Handler<typeof LOOKUP_ABOUT>,
  };
}

async function getFile(context: Context, name: string, signal: AbortSignal): Promise<CommonsFile> {
  assertEnabled(context);
  const [file] = await toAppError(context.wikimedia.findFiles([name], signal));
  if (!file) throw notFound('picture', name);
  return file;
}

/** Throws `not_found`. */
function ofArtist(context: Context, id: ArtistId) {
  const artist = getArtist(context, id);
  const { mbid, identifiedBy } = identityOf(context, artist);
  const row = context.queries.findIdentity(artist.nameKey);
  const subject = knownFacts(context, 'artist', mbid);
  const unidentified = (): KnownFacts['state'] =>
    isIdentityDue(context, artist, row) ? 'due' : (row?.failures ?? 0) > 0 ? 'failed' : 'unknown';
  const isSearched = mbid === null && identifiedBy === null && isEnabled(context);
  return {
    mbid,
    by: identifiedBy,
    state: !canBeAsked(artist, mbid) ? ('unknown' as const) : isSearched ? unidentified() : subject.state,
    facts: subject.facts,
    inLibrary: context.queries.inLibrary(subject.facts?.people.map((person) => person.mbid) ?? []),
    picture: context.pictures.find(artist.nameKey),
  };
}

/** Throws `not_found`. */
function ofAlbum(context: Context, id: AlbumId): KnownFacts & { labels: About[] } {
  const album = context.queries.findAlbum(id);
  if (!album) throw notFound('album', id);
  const group = knownFacts(context, 'release-group', album.releaseGroupMbid?.toLowerCase() ?? null);
  const labels = (group.facts?.labels ?? []).map(({ mbid }) => context.queries.findSubject('label', mbid)?.facts);
  return { ...group, labels: labels.filter((label) => label != null) };
}

/** Lists pictures of the artist on Commons. Throws `conflict`, `unavailable`. */
async function listPictures(context: Context, id: ArtistId, signal: AbortSignal): Promise<Candidate[]> {
  const artist = getArtist(context, id);
  assertEnabled(context);
  const facts = knownFacts(context, 'artist', identityOf(context, artist).mbid).facts;
  if (!facts) return [];
  const pageFiles = await toAppError(context.wikimedia.findFiles(facts.files, signal));
  const ofCategory =
    facts.category === null ? [] : await toAppError(context.wikimedia.listCategory(facts.category, signal));
  const currentSource = context.pictures.find(artist.nameKey)?.source;
  return [...new Map([...pageFiles, ...ofCategory].map((file) => [file.name, file])).values()].map((file) => ({
    ...file,
    isCurrent: file.name === currentSource,
  }));
}

/** Returns the unchecked bytes of a picture on Commons. Throws `not_found`, `conflict`, `unavailable`. */
const readPicture = async (context: Context, name: string, signal: AbortSignal): Promise<Buffer> =>
  toAppError(context.wikimedia.download(await getFile(context, name, signal), signal));

/** Makes a picture on Commons the artist's picture. With null, the picture is found automatically again. */
async function choosePicture(context: Context, id: ArtistId, name: string | null, signal: AbortSignal): Promise<void> {
  getArtist(context, id);
  if (name === null) {
    await context.pictures.reset(id);
    if (isEnabled(context)) await quietly(findAgain(context, id, signal));
    return;
  }
  const file = await getFile(context, name, signal);
  const bytes = await toAppError(context.wikimedia.download(file, signal));
  await context.pictures.set(id, bytes, { source: file.name, credit: file.credit });
}

/** Makes the artist due after its picture was lost or damaged, so that the picture is fetched again. */
const pictureLost = ({ queries, now }: Context, artistKey: string): void => queries.makeDue(artistKey, now());

/** Whether the task has work to do. */
async function hasDue(context: Context): Promise<boolean> {
  for (const ids of context.queries.dueArtists(context.now())) {
    if (ids.map((id) => getArtist(context, id)).some((artist) => canBeAsked(artist, identityOf(context, artist).mbid)))
      return true;
    await nextTurn();
  }
  for (const ids of context.queries.dueAlbums(context.now())) {
    if (ids.length > 0) return true;
    await nextTurn();
  }
  return context.queries.dueLabels(context.now()).length > 0;
}
