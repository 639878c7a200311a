// Looks artists and albums up: finds who an artist is, and stores what Wikidata, Wikipedia and Commons say.
import type { LiveSettings } from '../config/live-settings.ts';
import type { ArtistPictures } from '../covers/artist-pictures.ts';
import { UnusablePicture } from '../covers/picture.ts';
import type { MainDb } from '../db/client.ts';
import type { AlbumId, ArtistId } from '../db/ids.ts';
import type { About, SubjectKind } from '../db/schema.ts';
import { AppError, conflict, notFound } from '../errors.ts';
import { isVariousArtists } from '../library/albums/compilations.ts';
import type { Log } from '../log/log.ts';
import { ServiceError } from '../outbound/service-client.ts';
import { createLocks } from '../runtime/locks.ts';
import { describe } from './describe.ts';
import { identify } from './identify.ts';
import { isNobody, type ArtistCandidate, type Subjects } from './musicbrainz.ts';
import { createAboutQueries, type ArtistRow, type IdentityRow } from './queries.ts';
import type { Wikimedia } from './wikimedia.ts';

const DAY_MS = 86_400_000;

/** The age at which stored facts are requested again; facts change seldom. */
const REFRESH_MS = 90 * DAY_MS;

/** An artist who was not identified is looked up again after this time: MusicBrainz gets new entries every day. */
const IDENTIFY_AGAIN_MS = 30 * DAY_MS;

const RETRY_MS = { first: 10 * 60_000, longest: 7 * DAY_MS };

/** The number of an artist's pictures that are tried until one is usable. */
const MAX_TRIED_PICTURES = 3;

export interface AboutDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  nowForAges: () => Date;
  settings: LiveSettings;
  pictures: ArtistPictures;
  subjects: Subjects;
  wikimedia: Wikimedia;
  libraryChanged: () => void;
}

/** Looks up more about a subject, such as a picture. Returns the error if a service could not be reached. */
type LookUpMore = (facts: About) => Promise<ServiceError | undefined>;

/** How an artist was identified. */
type IdentifiedBy = 'tags' | 'albums' | 'person';

export interface KnownFacts {
  state: 'off' | 'due' | 'known' | 'unknown' | 'failed';
  facts: About | null;
}

export type Context = ReturnType<typeof createContext>;

export function createContext({
  db,
  log,
  now,
  nowForAges,
  settings,
  pictures,
  subjects,
  wikimedia,
  libraryChanged,
}: AboutDeps) {
  const queries = createAboutQueries({ db });
  // a page and the task may look up the same subject at the same time
  const oneByOne = createLocks<string>();
  return { log, now, nowForAges, settings, pictures, subjects, wikimedia, libraryChanged, queries, oneByOne };
}

export const isEnabled = ({ settings }: Context): boolean => settings.get('ARTIST_INFO_ENABLED');

const inMs = ({ now }: Context, ms: number): Date => new Date(now().getTime() + ms);

const retryAt = (context: Context, failures: number): Date =>
  inMs(context, Math.min(RETRY_MS.longest, RETRY_MS.first * 2 ** Math.min(failures - 1, 12)));

const isDue = ({ now }: Context, row: { dueAt: Date } | undefined): boolean => !row || row.dueAt <= now();

/** Whether the artist has to be looked up: the time has come, or a new album may tell who the artist is. */
export const isIdentityDue = (context: Context, { id }: ArtistRow, row: IdentityRow | undefined): boolean =>
  isDue(context, row) || (row?.failures === 0 && context.queries.newestAlbumOf(id) > row.askedAlbumId);

export function getArtist(context: Context, id: ArtistId): ArtistRow {
  const artist = context.queries.findArtist(id);
  if (!artist) throw notFound('artist', id);
  return artist;
}

/** Returns the mbid of the artist, if it is known, and how it was found. */
export function identityOf(
  context: Context,
  { nameKey, artistMbid }: ArtistRow,
): { mbid: string | null; identifiedBy: IdentifiedBy | null } {
  const row = context.queries.findIdentity(nameKey);
  if (row?.isManual) return { mbid: row.mbid, identifiedBy: 'person' };
  if (artistMbid !== null) return { mbid: artistMbid.toLowerCase(), identifiedBy: 'tags' };
  return { mbid: row?.mbid ?? null, identifiedBy: row?.mbid ? 'albums' : null };
}

export const canBeAsked = ({ name }: ArtistRow, mbid: string | null): boolean =>
  !isVariousArtists(name) && !name.startsWith('[') && (mbid === null || !isNobody(mbid));

export function knownFacts(context: Context, kind: SubjectKind, mbid: string | null): KnownFacts {
  const row = mbid === null ? undefined : context.queries.findSubject(kind, mbid);
  const facts = row?.facts ?? null;
  if (isEnabled(context) && mbid !== null && isDue(context, row)) return { state: 'due', facts };
  if (facts) return { state: 'known', facts };
  if (!isEnabled(context)) return { state: 'off', facts };
  return { state: row && row.failures > 0 ? 'failed' : 'unknown', facts };
}

/**
 * Looks a subject up if it is due, and stores the results. Throws a ServiceError when a service could not be reached;
 * what the others returned is stored all the same.
 */
export const lookUpSubject = (
  context: Context,
  kind: SubjectKind,
  mbid: string,
  signal: AbortSignal,
  lookUpMore?: LookUpMore,
): Promise<boolean> =>
  context.oneByOne(`${kind} ${mbid}`, async () => {
    const previousRow = context.queries.findSubject(kind, mbid);
    if (!isDue(context, previousRow)) return false;
    const description = await describe(
      { subjects: context.subjects, wikimedia: context.wikimedia },
      { kind, mbid },
      previousRow?.facts ?? null,
      signal,
    );
    const { facts } = description;
    const fault = (facts && (await lookUpMore?.(facts))) ?? description.fault;
    const failures = fault ? (previousRow?.failures ?? 0) + 1 : 0;
    context.queries.putSubject({
      kind,
      mbid,
      facts,
      failures,
      askedAt: context.now(),
      dueAt: fault ? retryAt(context, failures) : inMs(context, facts ? REFRESH_MS : IDENTIFY_AGAIN_MS),
    });
    context.libraryChanged();
    if (fault) throw fault;
    return facts !== null;
  });

/**
 * Stores the first usable picture from Wikidata's page, unless the artist has a picture. Returns the error if the
 * pictures could not be requested.
 */
async function storeFirstUsablePicture(
  context: Context,
  { id, nameKey }: ArtistRow,
  { files }: About,
  signal: AbortSignal,
): Promise<ServiceError | undefined> {
  const candidates = files.slice(0, MAX_TRIED_PICTURES);
  const currentPicture = context.pictures.find(nameKey);
  if (
    currentPicture?.origin === 'commons' &&
    currentPicture.source !== null &&
    candidates.includes(currentPicture.source)
  )
    return undefined;
  if (candidates.length === 0 || !context.pictures.isWanted(nameKey, { source: candidates[0] ?? null }))
    return undefined;
  try {
    for (const file of await context.wikimedia.findFiles(candidates, signal)) {
      const bytes = await context.wikimedia.download(file, signal);
      try {
        await context.pictures.offer(nameKey, bytes, { origin: 'commons', source: file.name, credit: file.credit });
        return undefined;
      } catch (error) {
        if (!(error instanceof UnusablePicture)) throw error;
        context.log.warn({ artist_id: id, file: file.name, reason: error.message }, 'picture of an artist not used');
      }
    }
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Returns the mbid that was found, or null. Throws a ServiceError, or the reason of `signal`. */
async function identifyArtist(context: Context, artist: ArtistRow, signal: AbortSignal): Promise<string | null> {
  const { mbid, identifiedBy } = identityOf(context, artist);
  if (mbid !== null || identifiedBy === 'person') return mbid;
  const artistKey = artist.nameKey;
  const row = context.queries.findIdentity(artistKey);
  if (!isIdentityDue(context, artist, row)) return null;
  const askedAlbumId = context.queries.newestAlbumOf(artist.id);
  const setIdentity = (foundMbid: string | null, failures: number, dueAt: Date): void => {
    // a person may have identified the artist during the request
    if (context.queries.findIdentity(artistKey)?.isManual !== true)
      context.queries.putIdentity({ artistKey, mbid: foundMbid, isManual: false, failures, dueAt, askedAlbumId });
  };
  try {
    const foundMbid = await identify(
      artist.name,
      context.queries.albumsOf(artist.id),
      context.subjects.artistsOfAlbum,
      signal,
    );
    setIdentity(foundMbid, 0, inMs(context, IDENTIFY_AGAIN_MS));
    return foundMbid;
  } catch (error) {
    const failures = (row?.failures ?? 0) + 1;
    if (error instanceof ServiceError) setIdentity(null, failures, retryAt(context, failures));
    throw error;
  }
}

export async function lookUpArtist(context: Context, id: ArtistId, signal: AbortSignal): Promise<boolean> {
  const artist = context.queries.findArtist(id);
  if (!artist || !canBeAsked(artist, identityOf(context, artist).mbid)) return false;
  const mbid = await context.oneByOne(`name ${artist.nameKey}`, () => identifyArtist(context, artist, signal));
  return (
    mbid !== null &&
    lookUpSubject(context, 'artist', mbid, signal, (facts) => storeFirstUsablePicture(context, artist, facts, signal))
  );
}

export async function lookUpAlbum(context: Context, id: AlbumId, signal: AbortSignal): Promise<boolean> {
  const mbid = context.queries.findAlbum(id)?.releaseGroupMbid?.toLowerCase();
  if (mbid === undefined) return false;
  const isFound = await lookUpSubject(context, 'release-group', mbid, signal);
  for (const label of context.queries.findSubject('release-group', mbid)?.facts?.labels ?? [])
    await lookUpSubject(context, 'label', label.mbid, signal);
  return isFound;
}

export function assertEnabled(context: Context): void {
  if (!isEnabled(context)) throw conflict('Looking up artists is off on this server.');
}

export const toAppError = async <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    throw cause instanceof ServiceError ? new AppError('unavailable', cause.message, { cause }) : cause;
  });

/** Ignores a ServiceError: the subject stays due and is looked up later. */
export async function quietly(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

/** Deletes the picture from Commons, which shows the artist that this one was taken for before. */
async function forgetFound(context: Context, artist: ArtistRow): Promise<void> {
  if (context.pictures.find(artist.nameKey)?.origin === 'commons') await context.pictures.reset(artist.id);
}

export async function findAgain(context: Context, id: ArtistId, signal: AbortSignal): Promise<void> {
  const artist = getArtist(context, id);
  const { facts } = knownFacts(context, 'artist', identityOf(context, artist).mbid);
  const fault = facts && (await storeFirstUsablePicture(context, artist, facts, signal));
  if (fault) throw fault;
}

/** Returns MusicBrainz artists that may be this artist. Throws `conflict`, `unavailable`. */
export async function candidates(
  context: Context,
  id: ArtistId,
  text: string | undefined,
  signal: AbortSignal,
): Promise<ArtistCandidate[]> {
  const { name } = getArtist(context, id);
  assertEnabled(context);
  return toAppError(context.subjects.searchArtists(text ?? name, signal));
}

/**
 * Stores which MusicBrainz artist this is, as chosen by a person. Null means none of the candidates; undefined
 * removes the choice, so that tags and albums decide again.
 */
export async function setIdentity(
  context: Context,
  id: ArtistId,
  mbid: string | null | undefined,
  signal: AbortSignal,
): Promise<void> {
  const artist = getArtist(context, id);
  const previousMbid = identityOf(context, artist).mbid;
  if (mbid === undefined) context.queries.deleteIdentity(artist.nameKey);
  else
    context.queries.putIdentity({
      artistKey: artist.nameKey,
      mbid,
      isManual: true,
      failures: 0,
      dueAt: context.now(),
      askedAlbumId: 0,
    });
  if (identityOf(context, artist).mbid !== previousMbid) await forgetFound(context, artist);
  context.libraryChanged();
  if (isEnabled(context)) await quietly(lookUpArtist(context, id, signal).then(() => findAgain(context, id, signal)));
}
