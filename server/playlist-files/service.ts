// Makes playlists of the playlist files in the music folders, and lets them follow their files: a changed file makes a
// new version. A playlist follows until a person changes it; the person may then choose to follow again. A playlist
// whose file is gone stays as it is, and follows again when the file is back. One deleted for good stays away until its
// file changes.
import type { MainDb } from '../db/client.ts';
import type { PlaylistId, TrackId, UserId } from '../db/ids.ts';
import type { WatchedSettings } from '../config/live-settings.ts';
import type { MusicFolders } from '../config/music-folders.ts';
import { AppError, conflict } from '../errors.ts';
import { parentOf } from '../files/relative-path.ts';
import { findOwner, findUserByKey } from '../auth/queries.ts';
import { usernameKey } from '../auth/username.ts';
import type { FileMatcher, PlacedEntry } from '../playlists/file-match.ts';
import { foldPart, foldStem } from '../playlists/file-locations.ts';
import { getOwn } from '../playlists/access.ts';
import { findReadable, type PlaylistSummary } from '../playlists/queries.ts';
import type { PlaylistService } from '../playlists/service.ts';
import { bindContext } from '../runtime/bind-context.ts';
import { createLocks } from '../runtime/locks.ts';
import { inSlices, mapInSlices, partsOf } from '../runtime/time-slices.ts';
import { keyOfPath } from '../storage/music-roots.ts';
import {
  createPlaylistFileRows,
  type FileRow,
  type PlaylistFileChange,
  type StoredLine,
  type UnmatchedRow,
} from './queries.ts';
import { readPlaylistFile, type ReadFile } from './read-file.ts';

interface PlaylistFilesDeps {
  db: MainDb;
  settings: Pick<WatchedSettings, 'get'>;
  musicFolders: Pick<MusicFolders, 'roots' | 'offlineReason'>;
  playlists: PlaylistService;
  matcher: FileMatcher;
}

/** What a scan did with playlist files. */
export interface FollowResult {
  /** The number of playlists that were made or changed. */
  playlistCount: number;
  /** Files that could not be used, or of which a part could not. */
  faults: { path: string; reason: string }[];
}

interface FollowOptions {
  signal?: AbortSignal;
}

/** A file that was read, and the tracks of its lines. */
interface MatchedFile {
  row: FileRow;
  file: Extract<ReadFile, { kind: 'list' | 'smart' }>;
  lines: StoredLine[];
}

/** Files are matched together, because a pass over the paths of a large library takes seconds. */
const FILES_PER_PASS = 200;
const LINES_PER_PASS = 100_000;
const LINES_PER_WRITE = 500;
/** Names of lists of an album, without the extension. */
const GENERIC_NAMES = ['album', 'tracks', 'tracklist'];

export type PlaylistFilesService = ReturnType<typeof createPlaylistFiles>;

export function createPlaylistFiles(deps: PlaylistFilesDeps) {
  const context = createContext(deps);
  return {
    ...bindContext(context, { follow, matchAgain, startFollowing, stopFollowing }),
    /** Returns whether scans read playlist files. */
    isEnabled: (): boolean => deps.settings.get('PLAYLIST_FILES'),
    noteChanges: (changes: readonly PlaylistFileChange[]): void => {
      if (changes.length > 0) context.rows.noteChanges(changes);
    },
    hasUnmatchedLines: context.rows.hasUnmatched,
    /** Returns whether deleted or restored tracks may have changed playlists that follow. */
    hasChangedPlaylists: (): boolean => context.rows.listChanged().length > 0,
    moveTrack: context.rows.moveTrack,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext(deps: PlaylistFilesDeps) {
  return { ...deps, rows: createPlaylistFileRows(deps.db), withLock: createLocks<'files'>() };
}

/** Reads the files that are new or changed. Does nothing while there is no account to own the playlists. */
const follow = (context: Context, { signal }: FollowOptions = {}): Promise<FollowResult> =>
  context.withLock('files', async () => {
    const result: FollowResult = { playlistCount: 0, faults: [] };
    const ownerId = findOwnerId(context);
    if (ownerId === undefined) return result;
    for (let lastId = 0; ;) {
      const rows = context.rows.listPending(lastId, FILES_PER_PASS);
      if (rows.length === 0) return result;
      lastId = rows.at(-1)?.id ?? 0;
      await followFiles(context, rows, ownerId, result, signal);
    }
  });

/** Returns the account that new playlists belong to: the one in the settings, or the one that set the server up. */
function findOwnerId({ db, settings }: Context): UserId | undefined {
  const name = settings.get('PLAYLIST_FILES_OWNER');
  const chosenOwner = name === undefined ? undefined : findUserByKey(db, usernameKey(name));
  return (chosenOwner ?? findOwner(db))?.id;
}

async function followFiles(
  context: Context,
  rows: readonly FileRow[],
  ownerId: UserId,
  result: FollowResult,
  signal: AbortSignal | undefined,
): Promise<void> {
  let files: Omit<MatchedFile, 'lines'>[] = [];
  let lineCount = 0;
  const finishPass = async (): Promise<void> => {
    for (const matchedFile of await matchFiles(context, files)) {
      signal?.throwIfAborted();
      if (await apply(context, matchedFile, ownerId, result)) result.playlistCount++;
    }
    [files, lineCount] = [[], 0];
  };
  for (const row of rows) {
    signal?.throwIfAborted();
    const file = await readPlaylistFile(context.musicFolders.roots(), row.path);
    const isReady = sortOut(context, row, file, result);
    if (!isReady) continue;
    files.push({ row, file: file as MatchedFile['file'] });
    lineCount += file.kind === 'list' ? file.entries.length : 0;
    if (lineCount >= LINES_PER_PASS) await finishPass();
  }
  await finishPass();
}

/** Deals with files that change no playlist; returns false for these. */
function sortOut(context: Context, row: FileRow, file: ReadFile, result: FollowResult): boolean {
  const { rows } = context;
  const { contentHash } = file;
  if (file.kind === 'gone') {
    rows.noteGone(row.path);
    return false;
  }
  const playlist = findPlaylist(context, row);
  if (row.playlistId === null && contentHash !== null && row.contentHash === null) {
    const formerRow = findFormerPlace(context, contentHash, row);
    if (formerRow) {
      rows.adopt(row, formerRow);
      return false;
    }
  }
  if (file.kind === 'faulty') {
    result.faults.push({ path: row.path, reason: `the playlist ${file.reason}` });
    rows.setApplied(row, { contentHash, playlistName: row.playlistName, fault: file.reason });
    return false;
  }
  if (playlist && playlist.file?.state !== 'follows') {
    rows.setRead(row); // the stored contents stay those that made the playlist
    return false;
  }
  if (row.contentHash === contentHash) {
    rows.setRead(row); // only the time of the file changed, or its playlist was deleted for good
    return false;
  }
  const skipReason = playlist ? undefined : reasonToSkip(context, row, file);
  if (skipReason === undefined) return true;
  result.faults.push({ path: row.path, reason: skipReason });
  rows.setApplied(row, { contentHash, playlistName: null, fault: null });
  return false;
}

/** Returns why a file makes no playlist. */
function reasonToSkip({ rows }: Context, { path }: FileRow, file: MatchedFile['file']): string | undefined {
  // the folder for playlists may be reached by a link or another mount, where each scan would double the playlists
  if (file.contentHash !== null && rows.isWritten(file.contentHash)) return 'a playlist that Tonearm wrote';
  if (file.kind === 'smart') return undefined;
  if (file.entries.length === 0) return 'a playlist without tracks';
  if (file.isRadio) return 'a list of web addresses; add them as internet radio stations';
  return isAlbumList(path, file.entries) ? 'the list of the tracks in its own folder' : undefined;
}

/**
 * Returns whether a file is the list that programs for ripping put into the folder of each album: it names only files
 * beside it, and is itself named for the album, such as `00-artist-album.m3u` or `Artist - Album.m3u`.
 */
function isAlbumList(path: string, entries: StoredEntries): boolean {
  const [folderName = '', name = ''] = path.split('/').slice(-2);
  if (name === '' || entries.some(({ location }) => /[/\\]/.test(location))) return false;
  const [album, stem] = [foldPart(folderName), foldStem(name)];
  return /^0+[-_. ]/.test(stem) || stem === album || stem.endsWith(` - ${album}`) || GENERIC_NAMES.includes(stem);
}

const findPlaylist = ({ db, rows }: Context, { playlistId }: FileRow): PlaylistSummary | undefined => {
  const ownerId = playlistId === null ? undefined : rows.findOwner(playlistId);
  return ownerId === undefined || playlistId === null ? undefined : findReadable(db, ownerId, playlistId);
};

/** Returns the row of the only file with the same contents that is not at its place any more. */
function findFormerPlace({ rows, musicFolders }: Context, contentHash: string, row: FileRow): FileRow | undefined {
  const keys = musicFolders.roots().map(({ key }) => key);
  const goneTwins = rows
    .listTwins(contentHash, row.id)
    .filter(({ isGone, path }) => isGone === 1 && musicFolders.offlineReason(keyOfPath(keys, path)) === undefined);
  return goneTwins.length === 1 ? goneTwins[0] : undefined;
}

/** Finds the tracks of several files at once. */
async function matchFiles(context: Context, files: readonly Omit<MatchedFile, 'lines'>[]): Promise<MatchedFile[]> {
  const entriesByFile = await Promise.all(
    files.map(({ row, file }) => placeEntries(context, row, file.kind === 'list' ? file.entries : [])),
  );
  const matches = await context.matcher.matchLines(entriesByFile.flat());
  let start = 0;
  return files.map(({ row, file }, n) => {
    const entries = entriesByFile[n] ?? [];
    const lines = entries.map((entry, index) => ({ ...entry, match: matches[start + index] as StoredLine['match'] }));
    start += entries.length;
    return { row, file, lines };
  });
}

/** Adds the folder of the file, and the tracks that the same lines had before: a track may have moved since. */
function placeEntries({ rows }: Context, { id, path }: FileRow, entries: StoredEntries): Promise<PlacedEntry[]> {
  const folder = parentOf(path);
  const previousIds = new Map<string, TrackId>();
  for (const { trackId, ...line } of rows.listLines(id))
    if (trackId !== null) previousIds.set(keyOfLine(line), trackId);
  return mapInSlices(entries, (entry) => ({ ...entry, folder, previousTrackId: previousIds.get(keyOfLine(entry)) }));
}

type StoredEntries = Extract<ReadFile, { kind: 'list' }>['entries'];
const keyOfLine = (line: { location: string; title?: string | null | undefined }): string =>
  `${line.location}\n${line.location === '' ? (line.title ?? '') : ''}`;

/** Gives the contents of a file to its playlist, or makes one. Returns whether there is a new version. */
async function apply(
  context: Context,
  { row, file, lines }: MatchedFile,
  ownerId: UserId,
  result: FollowResult,
): Promise<boolean> {
  const { rows } = context;
  const fault =
    file.kind === 'smart' && file.omittedRules.length > 0
      ? `has rules that do not exist here and were left out: ${file.omittedRules.join(', ')}`
      : null;
  if (fault !== null) result.faults.push({ path: row.path, reason: `the playlist ${fault}` });
  await storeLines(context, row.id, lines);
  const applied = { contentHash: file.contentHash, playlistName: file.name, fault };
  const contents = {
    trackIds: lines.flatMap(({ match }) => match.trackId ?? []),
    rules: file.kind === 'smart' ? file.rules : undefined,
  };
  const isStored = await (row.playlistId === null
    ? makePlaylist(context, row, { name: file.name, description: descriptionOf(file), ...contents }, ownerId)
    : applyContents(context, row, { fileName: file.name, ...contents }));
  // only now, because an interrupted change of a long list is completed when the file is read again
  if (isStored) rows.setApplied(row, applied);
  return isStored;
}

const descriptionOf = (file: MatchedFile['file']): string | null =>
  file.kind === 'smart' ? (file.description ?? null) : null;

type Contents = Omit<Parameters<PlaylistService['applyFile']>[1], 'name'>;

function makePlaylist(
  { rows, playlists, settings }: Context,
  row: FileRow,
  contents: Contents & { name: string; description: string | null },
  ownerId: UserId,
): Promise<boolean> {
  const newList = { ...contents, isPublic: settings.get('PLAYLIST_FILES_PUBLIC') };
  return unlessChanged(() =>
    playlists.create(ownerId, newList, 'file', (_tx, playlistId) => rows.setVersion(row.id, playlistId)),
  );
}

/** Returns false, and changes nothing, if a person changed or deleted the playlist meanwhile. */
async function applyContents(
  context: Context,
  row: FileRow,
  { fileName, ...contents }: Contents & { fileName: string | undefined },
): Promise<boolean> {
  const { rows, playlists } = context;
  const playlist = findPlaylist(context, row);
  if (playlist?.file?.state !== 'follows') return false;
  if ((contents.rules === undefined) !== (playlist.rules === null)) {
    rows.setRead(row);
    return false;
  }
  const name = playlist.name === row.playlistName && fileName !== playlist.name ? fileName : undefined;
  return unlessChanged(() =>
    playlists.applyFile(playlist, { name, ...contents }, () => rows.setVersion(row.id, playlist.id)),
  );
}

/** Returns false if the playlist was changed, or if one of its tracks was deleted, while its file was matched. */
async function unlessChanged(change: () => Promise<unknown>): Promise<boolean> {
  try {
    await change();
    return true;
  } catch (error) {
    if (!(error instanceof AppError) || !['conflict', 'not_found'].includes(error.code)) throw error;
    return false;
  }
}

async function storeLines({ db, rows }: Context, fileId: number, lines: readonly StoredLine[]): Promise<void> {
  rows.removeLines(fileId);
  let position = 0;
  await inSlices(
    partsOf(lines, LINES_PER_WRITE),
    (part) => {
      rows.insertLines(fileId, position, part);
      position += part.length;
    },
    (work) => db.transaction(work, { behavior: 'immediate' }),
  );
}

/** Looks for tracks of lines that had none, and puts them where they are in the file. */
const matchAgain = (context: Context, { signal }: FollowOptions = {}): Promise<{ matched: number }> =>
  context.withLock('files', async () => {
    let matched = 0;
    for (let lastLine: Pick<UnmatchedRow, 'fileId' | 'position'> = { fileId: 0, position: -1 }; ;) {
      signal?.throwIfAborted();
      const lines = context.rows.listUnmatched(lastLine, LINES_PER_PASS);
      const nextLastLine = lines.at(-1);
      if (!nextLastLine) break;
      lastLine = nextLastLine;
      matched += await matchLinesAgain(context, lines);
    }
    // a restored track brings its entry back, although its line may have another track by now
    for (const fileId of context.rows.listChanged()) await applyMatches(context, fileId, new Map());
    return { matched };
  });

async function matchLinesAgain(context: Context, lines: readonly UnmatchedRow[]): Promise<number> {
  const { rows, matcher, db } = context;
  const entries = await mapInSlices(lines, (line) => ({
    line: line.line,
    location: line.location,
    title: line.title ?? undefined,
    artist: line.artist ?? undefined,
    album: line.album ?? undefined,
    durationMs: line.durationMs ?? undefined,
    folder: parentOf(line.path),
  }));
  const matches = await matcher.matchLines(entries);
  const matchedLines = lines.flatMap((line, n) => {
    const trackId = matches[n]?.trackId;
    return trackId === undefined ? [] : [{ line, trackId }];
  });
  for (const [fileId, fileLines] of Map.groupBy(matchedLines, ({ line }) => line.fileId)) {
    // the playlist first, because only lines without a track are looked at after an interruption
    await applyMatches(context, fileId, new Map(fileLines.map(({ line, trackId }) => [line.position, trackId])));
    await inSlices(
      fileLines,
      ({ line, trackId }) => rows.setTrack(trackId, line),
      (work) => db.transaction(work, { behavior: 'immediate' }),
    );
  }
  return matchedLines.length;
}

/** Gives a playlist the tracks of its lines, and those that were matched now, by position. */
async function applyMatches(context: Context, fileId: number, matches: ReadonlyMap<number, TrackId>): Promise<void> {
  const row = context.rows.find(fileId);
  if (!row) return;
  const trackIds = context.rows
    .listLineTracks(fileId)
    .flatMap(({ position, trackId }) => trackId ?? matches.get(position) ?? []);
  await applyContents(context, row, { fileName: undefined, trackIds, rules: undefined });
}

/** Lets a playlist follow its file again, and gives it the contents of the file. Throws `conflict` without a file. */
async function startFollowing(context: Context, userId: UserId, id: PlaylistId): Promise<void> {
  const row = getOwnFile(context, userId, id);
  if (row.isGone === 1) throw conflict('The file of this playlist is no longer in the music folder.');
  context.rows.setFollowing(row.id);
  await follow(context);
}

function stopFollowing(context: Context, userId: UserId, id: PlaylistId): void {
  context.rows.setStopped(getOwnFile(context, userId, id).id);
}

function getOwnFile({ db, rows }: Context, userId: UserId, id: PlaylistId): FileRow {
  getOwn(db, userId, id);
  const row = rows.findByPlaylist(id);
  if (!row) throw conflict('This playlist was not made of a file in a music folder.');
  return row;
}
