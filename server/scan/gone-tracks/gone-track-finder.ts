// The last stage of a scan, when all rows are written: searches for tracks whose files are gone among the other tracks.
// Two tracks with equal audio become one. Then new tracks that may be the same music in other bytes are compared: by
// fingerprint, or by length and tags if a fingerprint is missing. If several tracks fit, the scan decides nothing, and
// a person is asked.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { withRelaxedCommit, type MainDb } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import { AppError } from '../../errors.ts';
import { NO_HASH } from '../../files/read-file.ts';
import type { ReaderPool } from '../../files/reader-pool.ts';
import { join, sourceIdOf } from '../../files/relative-path.ts';
import { fileOfSection } from '../../files/section-names.ts';
import { toAudio, toIdentity } from '../../files/track-draft.ts';
import type { Hearing } from '../../enrichment/hearing.ts';
import { identityUnderEdits, replaceTagsUnderEdits } from '../../library/edits/edit-history.ts';
import { withEditsOf } from '../../library/edits/identity-changes.ts';
import { prepareFindTrack } from '../../library/tracks/track-identity.ts';
import type { TrackIdentity } from '../../library/tracks/track-values.ts';
import type { TrackWriter } from '../../library/tracks/track-writer.ts';
import type { Relocation } from '../../relocation/service.ts';
import { SAME_RECORDING } from '../../media/fingerprint-match.ts';
import type { MusicRoots } from '../../storage/music-roots.ts';
import { toFileUri } from '../../storage/uri.ts';
import { forEachConcurrently } from '../../runtime/concurrency.ts';
import { yieldIfDue } from '../../runtime/time-slices.ts';
import { prepareComparison } from './comparable-tracks.ts';
import { createGoneTracks, type GoneTrack, type NewTrack, type Upgrade } from './gone-candidates.ts';
import { filterCertainFiles, seemsSame, type Match } from './same-music.ts';
import { bindContext } from '../../runtime/bind-context.ts';

/** A track in another folder or album counts as a successor only if it was added within this time. */
const MAX_SUCCESSOR_AGE_MS = 90 * 86_400_000;
const MAX_CONCURRENT_COMPARISONS = 8;

interface GoneTrackFinderDeps {
  db: MainDb;
  source: string;
  hearing: Pick<Hearing, 'ofTrack' | 'ofStoredAudio' | 'listSimilarTracks' | 'findStored' | 'store'>;
  relocation: Pick<Relocation, 'takeOverFile' | 'replace' | 'join' | 'takeMergedFile'>;
  tracks: Pick<TrackWriter, 'batch' | 'setIdentity' | 'statusOf'>;
  reader: Pick<ReaderPool, 'read'>;
}

interface GoneTrackSearch {
  root: MusicRoots;
  /** Tracks with a higher id are new. */
  lastOldId: TrackId;
  signal: AbortSignal;
}

type UpgradeSearch = Pick<GoneTrackSearch, 'root' | 'signal'> & { now: Date };

interface FoundTracks {
  /** Tracks that were merged into another track. */
  joinedIds: TrackId[];
  /** Tracks that took over the file of a new one. */
  adoptedIds: TrackId[];
  /** Tracks that took over the file of a track from before this scan, or were replaced by such a track. */
  upgradedIds: TrackId[];
}

export type GoneTrackFinder = ReturnType<typeof createGoneTrackFinder>;

export function createGoneTrackFinder(deps: GoneTrackFinderDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, { matchGoneTracks, postponeToScan, compareAgain, findUpgraded, findAmongNew }),
    goneTracks: context.goneTracks,
    isDue: (): boolean => context.isDue,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ db, source, hearing, relocation, tracks, reader }: GoneTrackFinderDeps) {
  const client = db.$client;
  const goneTracks = createGoneTracks(client, source);
  const findTrack = prepareFindTrack(client);
  const audioHashOf = client.prepare<[TrackId], string | null>('SELECT audio_hash FROM tracks WHERE id = ?').pluck();
  const setFormer = client.prepare<[string | null, TrackId, TrackId]>(
    'UPDATE trashed_tracks SET former_audio_hash = ? WHERE id = ? AND merged_into = ?',
  );
  const findUnfinishedScan = client.prepare<[string]>('SELECT 1 FROM unfinished_scans WHERE source = ?');
  /**
   * Takes over the file of the survivor for a gone track that a person edited. The gone track keeps its edits; undoing
   * the edits restores the current tags of its new file.
   */
  const takeOverEdited = client.transaction((goneId: TrackId, survivorId: TrackId): void => {
    const tags = identityUnderEdits(db, survivorId) ?? findTrack(survivorId)?.identity;
    relocation.takeOverFile(goneId, survivorId, 'same_audio');
    if (tags) replaceTagsUnderEdits(db, goneId, tags);
  }).immediate;
  /** Replaces the tags of a track, and keeps what a person edited; undoing the edits restores these tags. */
  const setTags = client.transaction((id: TrackId, identity: TrackIdentity, folder: number | undefined): void => {
    replaceTagsUnderEdits(db, id, identity);
    const track = findTrack(id);
    if (track && track.status !== 'manual')
      tracks.batch(() => tracks.setIdentity(id, withEditsOf(track.identity, identity), folder));
  }).immediate;
  return {
    source,
    hearing,
    relocation,
    tracks,
    reader,
    client,
    goneTracks,
    findTrack,
    audioHashOf,
    setFormer,
    findUnfinishedScan,
    takeOverEdited,
    setTags /** True if a comparison was due while a scan was running. */,
    isDue: false,
  };
}

/**
 * Merges tracks with equal audio. Likes, plays and other data go to the track that remains. A gone track that a
 * person edited or separated remains, and takes the file of the other track.
 */
async function joinEqualAudio(context: Context, { signal }: Pick<GoneTrackSearch, 'signal'>): Promise<TrackId[]> {
  const joinedIds: TrackId[] = [];
  for (const { goneId, survivorId, isEdited, isSection, isGivenBack } of await context.goneTracks.listJoinable()) {
    await nextTurn(); // requests wait for one track at most
    signal.throwIfAborted();
    // the sections of a moved file are recognized by their audio alone
    const doesGoneTrackStay =
      (isEdited || isSection || isGivenBack) && context.tracks.statusOf(survivorId) !== 'manual';
    const join = (): void =>
      !doesGoneTrackStay
        ? context.relocation.join(survivorId, goneId)
        : isSection || isGivenBack
          ? takeOverFileAndNames(context, goneId, survivorId, 'same_audio')
          : context.takeOverEdited(goneId, survivorId);
    if (tryOnTracks(() => withRelaxedCommit(context.client, join))) joinedIds.push(goneId);
  }
  return joinedIds;
}

/**
 * Takes over the file and the current tags or cue sheet of the new track; the tags are not applied to a gone track
 * that a person edited.
 */
function takeOverFileAndNames(
  context: Context,
  goneId: TrackId,
  newId: TrackId,
  reason: 'same_audio' | 'same_music',
): void {
  const newTrack = context.findTrack(newId);
  context.relocation.takeOverFile(goneId, newId, reason);
  if (newTrack) context.setTags(goneId, newTrack.identity, newTrack.folder);
}

/** Returns pairs of tracks that may be one recording. */
async function findMatches(
  context: Context,
  goneTracksToMatch: readonly GoneTrack[],
  { lastOldId, signal }: GoneTrackSearch,
): Promise<Match<NewTrack>[]> {
  const lengths: Pick<NewTrack, 'durationMs'>[] = [];
  for (const { durationMs } of context.goneTracks.listNew(lastOldId)) {
    await yieldIfDue();
    lengths.push({ durationMs });
  }
  const comparison = await prepareComparison(goneTracksToMatch, lengths, (id) =>
    context.hearing.ofStoredAudio(id, signal),
  );
  const matches: Match<NewTrack>[] = [];
  await forEachConcurrently(context.goneTracks.listNew(lastOldId), MAX_CONCURRENT_COMPARISONS, async (newTrack) => {
    await yieldIfDue();
    signal.throwIfAborted();
    const hasFingerprint =
      comparison.hasFingerprintOfLength(newTrack, newTrack.id) &&
      (await context.hearing.ofTrack(newTrack.id, signal)) !== undefined;
    // the tags of a copy of an existing track are not enough to match it with a gone track
    const mayMatchNames = (): boolean => !context.goneTracks.hasTwin(newTrack, lastOldId);
    for (const id of comparison.findSameMusic(
      newTrack,
      hasFingerprint ? context.hearing.listSimilarTracks(newTrack.id) : undefined,
      mayMatchNames,
    ))
      if (id !== newTrack.id) matches.push({ goneId: id, successor: newTrack });
  });
  return matches;
}

/**
 * Lets the gone track take over the file, with its tags unless a person edited the track; the new track is removed.
 * If both files existed at the same time and the old one comes back, they become two tracks again.
 */
async function takeOver(
  context: Context,
  root: MusicRoots,
  { goneId, successor }: Match<NewTrack>,
  didBothExist = false,
): Promise<boolean> {
  if (fileOfSection(successor.name) !== undefined)
    return tryOnTracks(() => takeOverFileAndNames(context, goneId, successor.id, 'same_music'));
  const paths = [join(successor.path, successor.name)];
  const [result] = await context.reader.read({ root, paths, copyTo: null, hashLarge: false });
  const writeTakeover = context.client.transaction(() => {
    const fingerprint = context.hearing.findStored(successor.id);
    const formerHash = context.audioHashOf.get(goneId);
    context.relocation.takeOverFile(goneId, successor.id, 'same_music');
    if (didBothExist && formerHash !== NO_HASH) context.setFormer.run(formerHash ?? null, successor.id, goneId);
    if (fingerprint) context.hearing.store(goneId, fingerprint);
    if (result?.ok)
      context.setTags(goneId, toIdentity(result.content, sourceIdOf(successor.path, successor.name)), successor.folder);
  }).immediate;
  return tryOnTracks(() => withRelaxedCommit(context.client, writeTakeover));
}

async function adoptSameMusic(context: Context, search: GoneTrackSearch): Promise<TrackId[]> {
  if (context.goneTracks.listNew(search.lastOldId).next().done) return [];
  const missingTracks = await context.goneTracks.listGone();
  if (missingTracks.length === 0) return [];
  const adoptedIds: TrackId[] = [];
  for (const match of filterCertainFiles(await findMatches(context, missingTracks, search))) {
    search.signal.throwIfAborted();
    if (await takeOver(context, search.root, match)) adoptedIds.push(match.goneId);
  }
  return adoptedIds;
}

/**
 * Finds tracks whose file is gone and that became a track from before this scan, or a track that got its fingerprint
 * since. The fingerprints decide; if one of the two tracks cannot have a fingerprint, the names do.
 */
async function takeUpgrades(context: Context, { root, signal, now }: UpgradeSearch): Promise<TrackId[]> {
  const matches: Match<NewTrack>[] = [];
  const idsWithStoredCopy = new Set<TrackId>();
  for await (const upgrades of context.goneTracks.listUpgrades(earliestSuccessorDate(now)))
    for (const upgrade of await filterSameMusic(context, upgrades, signal)) {
      matches.push({ goneId: upgrade.goneTrack.id, successor: upgrade.successor });
      if (upgrade.hasStoredCopy) idsWithStoredCopy.add(upgrade.goneTrack.id);
    }
  const upgradedIds: TrackId[] = [];
  for (const match of filterCertainFiles(matches)) {
    signal.throwIfAborted();
    const isUpgraded = idsWithStoredCopy.has(match.goneId)
      ? tryOnTracks(() =>
          withRelaxedCommit(context.client, () => context.relocation.replace(match.goneId, match.successor.id)),
        )
      : await takeOver(context, root, match, true);
    if (isUpgraded) upgradedIds.push(match.goneId);
  }
  return upgradedIds;
}

async function filterSameMusic(
  context: Context,
  upgrades: readonly Upgrade[],
  signal: AbortSignal,
): Promise<Upgrade[]> {
  const sameUpgrades: Upgrade[] = [];
  for (const upgrade of upgrades) {
    await yieldIfDue();
    signal.throwIfAborted();
    if (await isUpgrade(context, upgrade, signal)) sameUpgrades.push(upgrade);
  }
  return sameUpgrades;
}

async function isUpgrade(
  context: Context,
  { goneTrack, successor, soundsSame }: Upgrade,
  signal: AbortSignal,
): Promise<boolean> {
  if (soundsSame !== undefined || !seemsSame(goneTrack, successor)) return soundsSame ?? false;
  const hasBothFingerprints =
    (await context.hearing.ofStoredAudio(goneTrack.id, signal)) &&
    (await context.hearing.ofTrack(successor.id, signal));
  return (
    !hasBothFingerprints ||
    context.hearing
      .listSimilarTracks(goneTrack.id)
      .some(({ id, similarity }) => id === successor.id && similarity >= SAME_RECORDING)
  );
}

/** Lets tracks without a file take over the files of tracks that a person merged into them. */
async function takeMergedFiles(
  context: Context,
  { root, signal }: Pick<GoneTrackSearch, 'root' | 'signal'>,
): Promise<TrackId[]> {
  const upgradedIds = new Set<TrackId>();
  for (const {
    keptId,
    mergedId,
    folderId,
    path,
    name,
    sizeBytes,
    mtimeUs,
  } of await context.goneTracks.listMergedFiles()) {
    await yieldIfDue();
    signal.throwIfAborted();
    if (upgradedIds.has(keptId)) continue;
    const filePath = join(path, name);
    const [result] = await context.reader.read({
      root,
      paths: [{ path: filePath, sizeBytes, mtimeUs }],
      copyTo: null,
      hashLarge: true,
    });
    if (!result?.ok) continue; // the merged track's file is gone too
    const { content, audioHash } = result;
    const storedAudio = { storageUri: toFileUri(filePath), contentHash: null, audioHash, sizeBytes };
    const takeFile = (): void =>
      context.relocation.takeMergedFile(keptId, { mergedId, folderId, name, audio: toAudio(content, storedAudio) });
    if (tryOnTracks(() => withRelaxedCommit(context.client, takeFile))) upgradedIds.add(keptId);
  }
  return [...upgradedIds];
}

/** Matches gone tracks with others. To be called when everything that the scan found is written. */
async function matchGoneTracks(context: Context, search: GoneTrackSearch & { now: Date }): Promise<FoundTracks> {
  context.isDue = false;
  return {
    joinedIds: await joinEqualAudio(context, search),
    adoptedIds: await adoptSameMusic(context, search),
    upgradedIds: [...(await takeUpgrades(context, search)), ...(await takeMergedFiles(context, search))],
  };
}

/** Makes the running or the next scan compare gone tracks even if it has written nothing. */
function postponeToScan(context: Context): void {
  context.isDue = true;
}

/** Compares again between scans. After an interrupted scan not all files are known, so nothing is compared. */
const compareAgain = async (
  context: Context,
  search: UpgradeSearch,
): Promise<Pick<FoundTracks, 'joinedIds' | 'upgradedIds'>> =>
  context.findUnfinishedScan.get(context.source) === undefined
    ? { joinedIds: await joinEqualAudio(context, search), upgradedIds: await takeUpgrades(context, search) }
    : { joinedIds: [], upgradedIds: [] };

/**
 * Of these tracks, whose files seem to be replaced, returns those whose music is now a track from before this scan.
 */
async function findUpgraded(
  context: Context,
  ids: readonly TrackId[],
  { signal, now }: Pick<UpgradeSearch, 'signal' | 'now'>,
) {
  const sameUpgrades = await filterSameMusic(
    context,
    context.goneTracks.upgradesOf(ids, earliestSuccessorDate(now)),
    signal,
  );
  return new Set(
    filterCertainFiles(sameUpgrades.map(({ goneTrack, successor }) => ({ goneId: goneTrack.id, successor }))).map(
      goneIdOf,
    ),
  );
}

/** Of these tracks, whose files seem to be replaced, returns those that became one of the new tracks. */
async function findAmongNew(
  context: Context,
  goneTracksToMatch: readonly GoneTrack[],
  search: GoneTrackSearch,
): Promise<Set<TrackId>> {
  return new Set(filterCertainFiles(await findMatches(context, goneTracksToMatch, search)).map(goneIdOf));
}

const earliestSuccessorDate = (now: Date): Date => new Date(now.getTime() - MAX_SUCCESSOR_AGE_MS);
const goneIdOf = <F>({ goneId }: Match<F>): TrackId => goneId;

/** Runs `write`; returns false when one of the two tracks was deleted meanwhile. */
export function tryOnTracks(write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if (error instanceof AppError && (error.code === 'not_found' || error.code === 'conflict')) return false;
    throw error;
  }
}
