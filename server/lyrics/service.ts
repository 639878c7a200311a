// Lyrics that are not from files: looked up, picked or written by people. Looking them up sends artist, title, album
// and length of a track, and happens only with LYRICS_ENABLED.
import type { LiveSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { AppError, conflict, invalid, notFound } from '../errors.ts';
import type { Handler } from '../jobs/tasks.ts';
import type { TrackWriter } from '../library/tracks/track-writer.ts';
import type { Log } from '../log/log.ts';
import { parseLyrics } from '../media/lrc.ts';
import type { Lyrics } from '../media/types.ts';
import { ServiceError } from '../outbound/service-client.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { removeLyricsFile, writeLyricsFile } from './lyrics-file.ts';
import type { Lrclib } from './lrclib.ts';
import { isLyricsOfSong, pickLyrics, type OfferedLyrics, type WantedSong } from './match.ts';
import { createLyricsQueries, type SongRow } from './queries.ts';
import type { LOOKUP_LYRICS } from './tasks.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';
import { bindContext } from '../runtime/bind-context.ts';

interface LyricsDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  settings: LiveSettings;
  tracks: TrackWriter;
  audioStore: Pick<AudioStore, 'resolve'>;
  lrclib: Lrclib;
  libraryChanged: () => void;
}

export interface Candidate extends OfferedLyrics {
  fits: boolean;
}

/** Tracks without lyrics are looked up again after this time, because the service gets new lyrics every day. */
const LOOKUP_INTERVAL_MS = 30 * 86_400_000;
/** Lines whose time is later than this after the end of the track belong to another song. */
const MAX_TIME_AFTER_END_MS = 5_000;
/**
 * After this many failed tracks in a row, the service counts as unreachable: a single odd answer does not keep the
 * other tracks waiting.
 */
const MAX_CONSECUTIVE_FAILURES = 3;

export type LyricsService = ReturnType<typeof createLyricsService>;

export function createLyricsService(deps: LyricsDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, { candidates, pick, write, remove }),
    /**
     * Looks up the lyrics of a track now; returns why that was not possible, or undefined. Throws the reason of
     * `signal`.
     */
    async lookUp(id: TrackId, signal: AbortSignal): Promise<'off' | 'unavailable' | undefined> {
      if (!context.settings.get('LYRICS_ENABLED')) return 'off';
      try {
        await lookUp(context, getSong(context, id), signal);
        return undefined;
      } catch (error) {
        if (error instanceof ServiceError) return 'unavailable';
        throw error;
      }
    },
    /** Handles `lookup_lyrics`. Each look-up is noted at once, so an interrupted run continues where it stopped. */
    task: (async (_payload, { signal, progress }) => {
      const result = { tracks: 0, found: 0 };
      const askedBefore = new Date(context.now().getTime() - LOOKUP_INTERVAL_MS);
      let failures = 0;
      let lastFailure: ServiceError | undefined;
      for (const ids of context.queries.due(askedBefore)) {
        for (const id of ids) {
          signal.throwIfAborted();
          if (!context.settings.get('LYRICS_ENABLED')) return result;
          const song = context.queries.findSong(id);
          try {
            if (song && (await lookUp(context, song, signal))) result.found++;
            failures = 0;
          } catch (error) {
            if (!(error instanceof ServiceError)) throw error;
            lastFailure = error;
            if (++failures === MAX_CONSECUTIVE_FAILURES) throw error;
          }
          progress(++result.tracks, null, `${result.found} found`);
        }
        await yieldIfDue();
      }
      if (lastFailure) throw lastFailure; // the next attempt looks up the tracks that failed
      return result;
    }) satisfies Handler<typeof LOOKUP_LYRICS>,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ db, log, now, settings, tracks, audioStore, lrclib, libraryChanged }: LyricsDeps) {
  const queries = createLyricsQueries({ db });
  return { db, log, now, settings, tracks, audioStore, lrclib, libraryChanged, queries };
}

function getSong(context: Context, id: TrackId): SongRow {
  const song = context.queries.findSong(id);
  if (!song) throw notFound('track', id);
  return song;
}

/** Returns what to search for; undefined for a track that has too few tags for a lookup. */
function toWanted({ title, artistName, artists, album, durationMs }: SongRow): WantedSong | undefined {
  if (artistName === null || durationMs === null || durationMs <= 0) return undefined;
  return { title, artistName, artists: JSON.parse(artists) as string[], album: album || null, durationMs };
}

function toLyrics({ synced, plain }: OfferedLyrics, durationMs: number | null): Lyrics | undefined {
  const timedLyrics = synced === null ? undefined : parseLyrics(synced);
  const lastLineMs = timedLyrics?.lines.at(-1)?.startMs ?? 0;
  if (timedLyrics?.synced && (durationMs === null || lastLineMs <= durationMs + MAX_TIME_AFTER_END_MS))
    return timedLyrics;
  return plain === null ? undefined : parseLyrics(plain);
}

function store(
  context: Context,
  id: TrackId,
  lyrics: Lyrics | undefined,
  candidate: Pick<Candidate, 'id' | 'isInstrumental'> | undefined,
  isManual: boolean,
) {
  context.db.transaction(
    () => {
      if (!context.queries.findSong(id)) throw notFound('track', id);
      context.queries.put({
        trackId: id,
        isManual,
        lrclibId: candidate?.id ?? null,
        isInstrumental: candidate?.isInstrumental ?? false,
        synced: lyrics?.synced ?? false,
        lines: lyrics?.lines ?? [],
        updatedAt: context.now(),
      });
      context.tracks.settleHasLyrics(id);
    },
    { behavior: 'immediate' },
  );
  context.libraryChanged();
}

/** Returns the path of the track's audio, if a lyrics file can be beside it. Throws `gone` and `unavailable`. */
async function audioPathOf(context: Context, { storageUri, sectionStart }: SongRow): Promise<string | undefined> {
  if (storageUri?.startsWith('file:') !== true || sectionStart !== null) return undefined;
  const { path } = await context.audioStore.resolve(storageUri);
  return typeof path === 'string' ? path : undefined;
}

/** Deletes the lyrics file if possible; the stored lyrics are removed either way. */
async function tryRemoveFile(context: Context, song: SongRow): Promise<boolean> {
  try {
    const path = await audioPathOf(context, song);
    return path !== undefined && (await removeLyricsFile(path));
  } catch (error) {
    context.log.warn({ track_id: song.id, err: error }, 'lyrics file not removed');
    return false;
  }
}

/** Writes the lyrics file if possible; the lyrics are stored either way. */
async function tryWriteFile(context: Context, song: SongRow, lyrics: Lyrics | undefined): Promise<void> {
  const { id } = song;
  if (!context.settings.get('LYRICS_WRITE_FILES') || !lyrics) return;
  try {
    const path = await audioPathOf(context, song);
    if (path !== undefined) await writeLyricsFile(path, lyrics.lines);
  } catch (error) {
    context.log.warn({ track_id: id, err: error }, 'lyrics file not written');
  }
}

/**
 * Looks up the lyrics of a track; returns whether the track has lyrics now. Throws a ServiceError or the reason of
 * `signal`, and then stores nothing.
 */
async function lookUp(context: Context, song: SongRow, signal: AbortSignal): Promise<boolean> {
  const wantedSong = toWanted(song);
  if (!wantedSong) return false;
  const exactMatch = await context.lrclib.find(wantedSong, signal);
  const pickedLyrics =
    (exactMatch && pickLyrics(wantedSong, [exactMatch])) ??
    pickLyrics(wantedSong, await context.lrclib.searchSong(wantedSong, signal));
  const lyrics = pickedLyrics && toLyrics(pickedLyrics, song.durationMs);
  if (!pickedLyrics || (!lyrics && !pickedLyrics.isInstrumental)) {
    context.queries.setAsked(song.id, context.now());
    return false;
  }
  // a person may have written lyrics in the meantime
  if (context.queries.find(song.id)) return true;
  store(context, song.id, lyrics, pickedLyrics, false);
  await tryWriteFile(context, song, lyrics);
  return true;
}

function assertEnabled(context: Context): void {
  if (!context.settings.get('LYRICS_ENABLED')) throw conflict('Looking up lyrics is off on this server.');
}

const toAppError = async <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    throw cause instanceof ServiceError ? new AppError('unavailable', cause.message, { cause }) : cause;
  });

/**
 * Returns the lyrics that the service has for a text, or for the track itself. Throws `conflict` when the service
 * is switched off, and `unavailable`.
 */
async function candidates(
  context: Context,
  id: TrackId,
  query: string | undefined,
  signal: AbortSignal,
): Promise<Candidate[]> {
  assertEnabled(context);
  const wantedSong = toWanted(getSong(context, id));
  if (query === undefined && !wantedSong) throw conflict('The track has no artist or length; enter what to look for.');
  const offeredLyrics = await toAppError(
    query === undefined
      ? context.lrclib.searchSong(wantedSong as WantedSong, signal)
      : context.lrclib.searchText(query, signal),
  );
  const distance = ({ duration }: OfferedLyrics): number =>
    Math.abs((duration ?? 0) * 1_000 - (wantedSong?.durationMs ?? 0));
  return offeredLyrics
    .map((candidate) => ({ ...candidate, fits: wantedSong !== undefined && isLyricsOfSong(wantedSong, candidate) }))
    .sort((a, b) => Number(b.fits) - Number(a.fits) || distance(a) - distance(b));
}

/** Stores the lyrics that a person picked. Throws `not_found`. */
async function pick(context: Context, id: TrackId, lrclibId: number, signal: AbortSignal): Promise<void> {
  assertEnabled(context);
  const song = getSong(context, id);
  const pickedLyrics = await toAppError(context.lrclib.findById(lrclibId, signal));
  if (!pickedLyrics) throw notFound('lyrics', lrclibId);
  const lyrics = toLyrics(pickedLyrics, null);
  store(context, id, lyrics, pickedLyrics, true);
  await tryWriteFile(context, song, lyrics);
}

/** Stores the lyrics that a person wrote: LRC, TTML or plain. Throws `invalid` for blank text. */
async function write(context: Context, id: TrackId, text: string): Promise<void> {
  const song = getSong(context, id);
  const lyrics = parseLyrics(text);
  if (!lyrics) throw invalid([{ field: 'text', message: 'has no lines' }]);
  store(context, id, lyrics, undefined, true);
  await tryWriteFile(context, song, lyrics);
}

/**
 * Removes the lyrics that a person wrote or picked, and hides the lyrics that were looked up or are in the file.
 */
async function remove(context: Context, id: TrackId): Promise<void> {
  // a scan may have read the lyrics back from the file that was written here
  const wasWritten = await tryRemoveFile(context, getSong(context, id));
  const storedLyrics = context.queries.find(id);
  if (!storedLyrics?.isManual || storedLyrics.lines.length === 0 || wasWritten)
    return store(context, id, undefined, undefined, true);
  context.db.transaction(
    () => {
      context.queries.remove(id);
      context.tracks.settleHasLyrics(id);
    },
    { behavior: 'immediate' },
  );
  context.libraryChanged();
}
