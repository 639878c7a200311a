// Enriches one track in steps: tags, fingerprint, lookup, details, merge, cover.
import type { MainDb } from '../db/client.ts';
import type { AlbumId, TrackId } from '../db/ids.ts';
import { AppError, isDatabaseLocked, isDiskFull } from '../errors.ts';
import type { FindTrack, TrackWithIdentity } from '../library/tracks/track-identity.ts';
import type { TrackIdentity } from '../library/tracks/track-values.ts';
import type { Log } from '../log/log.ts';
import { compressFingerprint } from '../media/fingerprint-code.ts';
import type { Fingerprinter } from '../media/fingerprint.ts';
import type { AcoustId } from './acoustid.ts';
import { isAsScanned } from './tag-only-status.ts';
import { rankCandidates, type FileHint } from './candidates.ts';
import { completeMatch } from './details.ts';
import { findFingerprint, storeFingerprint } from './fingerprints.ts';
import { sectionStartOf } from './track-section.ts';
import { openLocalFile, type LocalFile, type LocalFileDeps } from './local-file.ts';
import type { Match } from './match.ts';
import type { MusicBrainz } from './musicbrainz.ts';
import type { Findings, Recorder } from './record.ts';
import { runStep, skipped, type StepName, type StepOutcome } from './steps.ts';

export interface EnricherDeps extends LocalFileDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  findKnown: FindTrack;
  /** Reads the tags of a file. Throws UnreadableAudio or an AppError. */
  readTags: (path: string, sourceId: string, previous?: TrackIdentity) => Promise<TrackIdentity>;
  fingerprinter: Pick<Fingerprinter, 'fingerprint'>;
  acoustId: AcoustId;
  musicBrainz: MusicBrainz;
  recorder: Recorder;
  /** Looks for the cover of an album that has none; returns whether one was found. */
  findCover: (albumId: AlbumId, signal: AbortSignal) => Promise<boolean>;
  /** Stores on the track why its result is not saved yet; undefined deletes that text. */
  noteUnsaved: (id: TrackId, reason: string | undefined) => void;
}

/** A step that has to be repeated because its service could not be reached. */
type UnavailableStep = 'lookup' | 'details';

/** Reasons of failed steps, for the result of the job. */
type Problems = Partial<Record<StepName, string>>;

export type Enriched =
  | {
      outcome: 'enriched' | 'failed';
      error: string | null;
      problems: Problems;
      isChanged: boolean;
      /** The step that has to be repeated later, if any. */
      awaits: UnavailableStep | null;
    }
  /** The track was edited by hand or deleted, or has no audio. */
  | { outcome: 'skipped'; reason: string }
  /** An unexpected error occurred; the track gets the status `failed`. */
  | { outcome: 'crashed'; error: string };

interface EnrichOptions {
  signal: AbortSignal;
  /** Whether a person requested the enrichment: then the track is looked up even if its tags name the recording. */
  isAsked: boolean;
  /** Whether to look for the album's cover now instead of in `cover_task`. */
  withCover: boolean;
}

export type Enricher = ReturnType<typeof createEnricher>;

export function createEnricher(deps: EnricherDeps) {
  const context = createContext(deps);

  return {
    /**
     * Enriches a track; for one track, only one enrichment runs at a time. Throws the reason of `signal`, and errors
     * that would fail for all tracks.
     */
    async enrich(id: TrackId, options: EnrichOptions): Promise<Enriched> {
      // the previous run may have been cancelled, which does not concern this one
      const previousRun = await context.runningEnrichments.get(id)?.catch(() => undefined);
      if (previousRun && !options.isAsked) return previousRun;
      const work = enrich(context, id, options);
      context.runningEnrichments.set(id, work);
      try {
        return await work;
      } finally {
        if (context.runningEnrichments.get(id) === work) context.runningEnrichments.delete(id);
      }
    },
  };
}

type Context = ReturnType<typeof createContext>;

function createContext(deps: EnricherDeps) {
  const { db, log, now, findKnown, readTags, fingerprinter, acoustId, musicBrainz, recorder, findCover } = deps;
  const { noteUnsaved } = deps;
  const runningEnrichments = new Map<TrackId, Promise<Enriched>>();
  return {
    deps,
    db,
    log,
    now,
    findKnown,
    readTags,
    fingerprinter,
    acoustId,
    musicBrainz,
    recorder,
    findCover,
    noteUnsaved,
    runningEnrichments,
  };
}

async function runSteps(
  context: Context,
  track: TrackWithIdentity,
  storageUri: string,
  { signal, isAsked, withCover }: EnrichOptions,
): Promise<Enriched> {
  const { id } = track;
  const file = openWhenNeeded(context, storageUri, signal);
  try {
    // The row of a track that was just scanned has all tags of its file, so the file need not be read again.
    const tags: StepOutcome<TrackIdentity> =
      // the tags of a file with several tracks are not those of one track
      (!isAsked && isAsScanned(track)) || track.sectionStart !== null
        ? { outcome: 'done', value: { ...track.identity, lyrics: undefined } }
        : await file.use('tags', ({ path }) => context.readTags(path, track.sourceId, track.identity));
    const fingerprint = await fingerprintOf(context, track, file);
    const lookup = await lookUp(context, track, tags, fingerprint, { signal, isAsked });
    const { details, matches, taggedMatch } = await addDetails(context, tags, lookup, signal);
    const awaits = isServiceDown(details) ? 'details' : isServiceDown(matches) ? 'lookup' : null;
    const findings: Findings = {
      tags,
      fingerprint,
      lookup: matches,
      taggedMatch,
      isUnanswered: awaits !== null,
    };
    const recordedOutcome = context.recorder.record(id, findings);
    if (!recordedOutcome) return toSkipped('The track was edited or deleted meanwhile.');
    const cover =
      withCover && recordedOutcome.albumId !== null
        ? await tryCover(context, recordedOutcome.albumId, signal)
        : undefined;
    return {
      outcome: recordedOutcome.status,
      error: recordedOutcome.error,
      isChanged: recordedOutcome.isChanged,
      awaits,
      problems: problemsOf({ tags, fingerprint, lookup: matches, details, cover }),
    };
  } finally {
    await file.release();
  }
}

/** Opens the file for the first step that needs it. If that fails, all steps that need the file fail. */
function openWhenNeeded(context: Context, storageUri: string, signal: AbortSignal) {
  let opening: Promise<StepOutcome<LocalFile>> | undefined;
  return {
    async use<T>(name: StepName, work: (file: LocalFile, signal: AbortSignal) => Promise<T>): Promise<StepOutcome<T>> {
      const file = await (opening ??= runStep(name, signal, (stepSignal) =>
        openLocalFile(context.deps, storageUri, stepSignal),
      ));
      return file.outcome === 'done' ? runStep(name, signal, (stepSignal) => work(file.value, stepSignal)) : file;
    },
    async release(): Promise<void> {
      const file = await opening?.catch(() => undefined); // the step that opened the file reports the error
      if (file?.outcome === 'done') await file.value.release();
    },
  };
}

/** Returns the compressed fingerprint, which is computed once per track and stored. */
async function fingerprintOf(
  context: Context,
  { id, durationMs, format, ...track }: TrackWithIdentity,
  file: ReturnType<typeof openWhenNeeded>,
): Promise<StepOutcome<string>> {
  const storedFingerprint = findFingerprint(context.db, id);
  if (storedFingerprint) return { outcome: 'done', value: compressFingerprint(storedFingerprint.raw) };
  if (durationMs === null || format === null) return skipped('its length is unknown');
  return file.use('fingerprint', async ({ path }, stepSignal) => {
    const fingerprint = await context.fingerprinter.fingerprint(
      { path, format, durationMs, ...sectionStartOf(track) },
      stepSignal,
    );
    storeFingerprint(context.db, id, fingerprint, context.now());
    return fingerprint.compressed;
  });
}

async function lookUp(
  context: Context,
  track: TrackWithIdentity,
  tags: StepOutcome<TrackIdentity>,
  fingerprint: StepOutcome<string>,
  { signal, isAsked }: Pick<EnrichOptions, 'signal' | 'isAsked'>,
): Promise<StepOutcome<Match[]>> {
  const reason = context.acoustId.whyNot();
  if (reason !== undefined) return skipped(reason);
  const tagged = tags.outcome === 'done' ? tags.value : undefined;
  if (!isAsked && tagged?.recordingMbid !== undefined && tagged.artists.length > 0)
    return skipped('its tags already name the recording');
  if (fingerprint.outcome !== 'done') return skipped('it has no fingerprint');
  const hint = toHint(tagged, track.durationMs ?? 0);
  return runStep('lookup', signal, async (stepSignal) =>
    rankCandidates(
      await context.acoustId.lookUp({ fingerprint: fingerprint.value, durationMs: hint.durationMs }, stepSignal),
      hint,
    ),
  );
}

/** Completes the best match from MusicBrainz. Without a lookup, gets the recording that the tags name. */
async function addDetails(
  context: Context,
  tags: StepOutcome<TrackIdentity>,
  lookup: StepOutcome<Match[]>,
  signal: AbortSignal,
) {
  const tagged = tags.outcome === 'done' ? tags.value : undefined;
  const [bestMatch, ...otherMatches] = lookup.outcome === 'done' ? lookup.value : [];
  const bestKnownMatch =
    bestMatch ??
    (tagged?.recordingMbid === undefined
      ? undefined
      : {
          score: null,
          recordingMbid: tagged.recordingMbid,
          releaseGroupMbid: tagged.releaseGroupMbid,
          artists: [],
          genres: [],
        });
  const details: StepOutcome<Match | undefined> =
    !context.musicBrainz.isEnabled() || !bestKnownMatch
      ? skipped('there is nothing to look up')
      : await runStep('details', signal, (stepSignal) =>
          completeMatch(context.musicBrainz, bestKnownMatch, tagged, stepSignal),
        );
  const completedMatch = details.outcome === 'done' ? details.value : bestKnownMatch;
  if (lookup.outcome !== 'done') return { details, matches: lookup, taggedMatch: completedMatch };
  // a match without a title is useless
  const titledMatches = [completedMatch, ...otherMatches].filter((match) => match?.title !== undefined) as Match[];
  if (bestMatch && titledMatches.length === 0 && details.outcome === 'failed')
    return { details, matches: details, taggedMatch: undefined }; // the recording is known, but its title is not
  return { details, matches: { outcome: 'done' as const, value: titledMatches }, taggedMatch: undefined };
}

/** Looks for the album's cover. An error does not change the outcome of the enrichment. */
const tryCover = ({ findCover, log }: Context, albumId: AlbumId, signal: AbortSignal): Promise<StepOutcome<boolean>> =>
  runStep('cover', signal, (stepSignal) => findCover(albumId, stepSignal)).catch((error: unknown) => {
    signal.throwIfAborted();
    log.warn({ album_id: albumId, err: error }, 'cover not resolved');
    return { outcome: 'failed', reason: 'looking for it failed', isPassing: true };
  });

async function enrich(context: Context, id: TrackId, options: EnrichOptions): Promise<Enriched> {
  const track = context.findKnown(id);
  if (!track) return toSkipped('The track was deleted.');
  if (track.status === 'manual') return toSkipped('The track was edited by hand.');
  if (track.storageUri === null || track.availability !== 'available') return toSkipped('The track has no audio.');
  try {
    const enriched = await runSteps(context, track, track.storageUri, options);
    context.noteUnsaved(id, undefined);
    return enriched;
  } catch (error) {
    options.signal.throwIfAborted();
    const reason = reasonUnsaved(error);
    context.noteUnsaved(id, reason && `What was found could not be saved: ${reason}. It is tried again.`);
    if (reason !== undefined) throw error;
    context.log.error({ track_id: id, err: error }, 'enrichment of a track crashed');
    return { outcome: 'crashed', error: context.recorder.recordCrash(id, error) };
  }
}

/** Returns why nothing can be saved, for an error that would occur for every track. */
function reasonUnsaved(error: unknown): string | undefined {
  if (isDatabaseLocked(error)) return 'another program has locked the database';
  return isDiskFull(error) || (error instanceof AppError && error.code === 'storage_full')
    ? 'the disk is full'
    : undefined;
}

const toSkipped = (reason: string): Enriched => ({ outcome: 'skipped', reason });

/** Returns whether the step failed because its service could not be reached. */
const isServiceDown = (step: StepOutcome<unknown>): boolean => step.outcome === 'failed' && step.isPassing;

/** Returns the hint for ranking candidates: the tags, without values from the file name. */
function toHint(tags: TrackIdentity | undefined, durationMs: number): FileHint {
  const isFromTag = (field: string): boolean => tags?.provenance?.[field] !== 'path';
  return {
    durationMs,
    title: isFromTag('title') ? tags?.title : undefined,
    artists: tags?.artists ?? [],
    album: tags?.album,
    trackNumber: isFromTag('trackNumber') ? tags?.trackNumber : undefined,
    discNumber: isFromTag('discNumber') ? tags?.discNumber : undefined,
  };
}

const problemsOf = (steps: Partial<Record<StepName, StepOutcome<unknown> | undefined>>): Problems =>
  Object.fromEntries(
    Object.entries(steps).flatMap(([name, step]) => (step?.outcome === 'failed' ? [[name, step.reason] as const] : [])),
  );
