// Finds the tracks of a playlist file: by the exact path in a music folder, then by the longest matching end of the
// path, in any case and with any extension, then by artist and title. Ambiguous matches are left out.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { createStatements } from '../library/lists/statement-cache.ts';
import type { RowAs } from '../db/rows.ts';
import type { tracks } from '../db/schema.ts';
import { inSlices, mapInSlices } from '../runtime/time-slices.ts';
import { textToName } from '../storage/file-names.ts';
import { keyOfPath, pathInRoot, rootPathOf, type MusicRoot } from '../storage/music-roots.ts';
import type { FileEntry } from './file-entry.ts';
import { commonTail, foldPart, foldStem, plainName, readingsOf, titleInName } from './file-locations.ts';
import { artistAndTitle } from './playlist-file.ts';
import type { SongMatcher } from './song-match.ts';

export interface UnmatchedLine {
  line: number;
  text: string;
  reason: string;
}
interface MatchedFile {
  trackIds: TrackId[];
  unmatched: UnmatchedLine[];
}

/** An entry of a playlist file in a music folder. */
export interface PlacedEntry extends FileEntry {
  /** The folder of the playlist file, in the tree of music folders; undefined for an uploaded file. */
  folder?: string | undefined;
  /** The track that an earlier version of the file gave to the same line. It counts if no track is at the path. */
  previousTrackId?: TrackId | undefined;
}

export type LineMatch = { trackId: TrackId } | { trackId: undefined; reason: string };

interface Line extends PlacedEntry {
  readings: string[][];
  trackId?: TrackId | undefined;
  isTie?: boolean;
}

/** How well a file of the library fits a line. */
interface Fit {
  /** The number of equal names, counted from the end of the path. */
  tail: number;
  /** SAME_NAME for the same extension, plus 1 for the music folder of the playlist file. */
  rank: number;
}

interface FileMatchDeps {
  db: MainDb;
  songs: SongMatcher;
  /** Returns the music folders, for absolute paths inside them. */
  folders: () => MusicRoot[];
}

const SAME_NAME = 2;
const SOURCE = 'local_folder';
/** The number of rows that are read before yielding to requests. */
const ROWS_PER_READ = 5_000;
const LINES_PER_QUERY = 200;
const yieldToRequests = (): Promise<void> => new Promise(setImmediate);

export type FileMatcher = ReturnType<typeof createFileMatcher>;

export function createFileMatcher({ db, songs, folders }: FileMatchDeps) {
  const statements = createStatements(db.$client);
  const tracksAt = (paths: readonly string[]): { id: TrackId; sourceId: string }[] =>
    statements.rows(
      `SELECT t.id, t.source_id AS sourceId FROM json_each(@paths) p CROSS JOIN tracks t ON t.source = '${SOURCE}'
        AND t.source_id = p.value`,
      { paths: JSON.stringify(paths) },
    );

  const existingTracks = (ids: readonly TrackId[]): Set<TrackId> =>
    new Set(
      statements
        .rows<RowAs<typeof tracks, 'id'>>('SELECT id FROM tracks WHERE id IN (SELECT value FROM json_each(@ids))', {
          ids: JSON.stringify(ids),
        })
        .map(({ id }) => id),
    );

  interface KeyedRoot {
    /** Path of the music folder in the form of the file's locations. */
    root: string | undefined;
    key: string;
  }

  /** Returns the music folders. A folder inside another one comes before it. */
  function listTops(): KeyedRoot[] {
    const tops = folders().map(({ key, path }) => ({ key, root: readingsOf(path)[0]?.join('/') }));
    return tops.toSorted((a, b) => (b.root?.length ?? 0) - (a.root?.length ?? 0));
  }

  /** Returns the names of a folder's absolute path. */
  function segmentsOfFolder(folder: string, tops: readonly KeyedRoot[]): string[] {
    const keys = tops.map(({ key }) => key);
    const key = keyOfPath(keys, folder);
    const top = tops.find((candidate) => candidate.key === key);
    const inFolder = folder === rootPathOf(key) ? '' : pathInRoot(key, folder);
    return `${top?.root ?? ''}/${inFolder.normalize('NFC')}`.split('/').filter((name) => name !== '');
  }

  /** Returns the lines with the readings of their locations. */
  function readLocations(entries: readonly PlacedEntry[]): Promise<Line[]> {
    const tops = listTops();
    const basesByFolder = new Map<string, string[]>();
    const baseOf = (folder: string): string[] => {
      const base = basesByFolder.get(folder) ?? segmentsOfFolder(folder, tops);
      basesByFolder.set(folder, base);
      return base;
    };
    return mapInSlices(entries, (entry) => ({
      ...entry,
      readings: readingsOf(entry.location, entry.folder === undefined ? [] : baseOf(entry.folder)),
    }));
  }

  /**
   * Returns the possible paths of a line, in the form of `source_id`. Where the folder of the playlist is not known, it
   * is assumed to be a music folder.
   */
  function pathsOf({ readings, folder }: Line, tops: readonly KeyedRoot[]): string[] {
    const ownKey =
      folder === undefined
        ? ''
        : keyOfPath(
            tops.map(({ key }) => key),
            folder,
          );
    const ownFirst = tops.toSorted((a, b) => Number(b.key === ownKey) - Number(a.key === ownKey));
    return readings
      .map((parts) => parts.join('/'))
      .flatMap((path) => {
        const top = tops.find(({ root }) => root !== undefined && path.startsWith(`${root}/`));
        if (top) return [inTree(top.key, path.slice((top.root?.length ?? 0) + 1))];
        return [...ownFirst.map(({ key }) => inTree(key, path)), path];
      });
  }

  async function matchByPath(lines: Line[]): Promise<void> {
    const tops = listTops();
    for (let start = 0; start < lines.length; start += LINES_PER_QUERY) {
      const batch = lines.slice(start, start + LINES_PER_QUERY).map((line) => ({ line, paths: pathsOf(line, tops) }));
      const idsByPath = new Map(
        tracksAt([...new Set(batch.flatMap(({ paths }) => paths))]).map(({ id, sourceId }) => [sourceId, id]),
      );
      const previousIds = existingTracks(batch.flatMap(({ line }) => line.previousTrackId ?? []));
      for (const { line, paths } of batch) {
        const { previousTrackId } = line;
        line.trackId =
          paths.map((path) => idsByPath.get(path)).find((id) => id !== undefined) ??
          (previousTrackId !== undefined && previousIds.has(previousTrackId) ? previousTrackId : undefined);
      }
      await yieldToRequests();
    }
  }

  /** Reads all paths of the library once for all lines. */
  async function matchByTail(lines: Line[]): Promise<void> {
    const linesByStem = new Map<string, Line[]>();
    await inSlices(lines, (line) => {
      for (const stem of new Set(line.readings.map((parts) => foldStem(parts.at(-1) ?? '')))) {
        const namesakes = linesByStem.get(stem);
        if (namesakes) namesakes.push(line);
        else linesByStem.set(stem, [line]);
      }
    });
    if (linesByStem.size === 0) return;
    const keys = folders().map(({ key }) => key);
    const bestByLine = new Map<Line, Fit & { ids: TrackId[] }>();
    for (let lastSourceId = ''; ;) {
      const rows = statements.rows<FileRow>(
        `SELECT id, source_id AS sourceId FROM tracks WHERE source = '${SOURCE}' AND source_id > @after
          ORDER BY source_id LIMIT ${ROWS_PER_READ}`,
        { after: lastSourceId },
      );
      await inSlices(pairsOf(rows, linesByStem), ({ id, parts, line }) => {
        const fit = fitOf(line, parts, keys);
        const bestMatch = bestByLine.get(line);
        const difference = bestMatch ? fit.tail - bestMatch.tail || fit.rank - bestMatch.rank : 1;
        if (difference > 0) bestByLine.set(line, { ...fit, ids: [id] });
        // two matches are enough to be ambiguous
        else if (difference === 0 && bestMatch && bestMatch.ids.length < 2) bestMatch.ids.push(id);
      });
      if (rows.length < ROWS_PER_READ) break;
      lastSourceId = rows.at(-1)?.sourceId ?? '';
      await yieldToRequests();
    }
    for (const [line, { ids, tail, rank }] of bestByLine) {
      // Names such as "01 Intro.mp3" are in many folders, so a file name alone is enough only if the line has no
      // folder, and the same extension.
      const isProof = tail > 1 || (rank >= SAME_NAME && line.readings.some((parts) => parts.length === 1));
      if (ids.length === 1 && isProof) [line.trackId] = ids;
      else line.isTie = ids.length > 1;
    }
  }

  async function matchByName(lines: Line[]): Promise<void> {
    // a file may repeat a line many times, and a look-up may read thousands of tracks with the same title
    const idsBySong = new Map<string, TrackId | undefined>();
    await inSlices(lines, (line) => {
      const { title, artist, album, durationMs, readings } = line;
      const key = JSON.stringify([title, artist, album, durationMs, title === undefined ? readings[0] : null]);
      if (!idsBySong.has(key)) idsBySong.set(key, findByName(line));
      line.trackId = idsBySong.get(key);
    });
  }

  function findByName({ title, artist, album, durationMs, readings, folder }: Line): TrackId | undefined {
    const isUnambiguous = folder !== undefined; // nobody looks at the result, unlike that of an upload
    const namedTrack =
      title === undefined ? undefined : songs.find({ title, artist, album, durationMs, isUnambiguous });
    if (namedTrack !== undefined || title !== undefined)
      return (
        namedTrack ??
        (artist === undefined || title === undefined
          ? undefined
          : songs.find({ title: `${artist} - ${title}`, durationMs, isUnambiguous }))
      );
    const parts = readings[0];
    if (!parts) return undefined;
    const name = parts.at(-1) ?? '';
    const [artistFolder, albumFolder] =
      parts.slice(-3, -1).length === 2 ? parts.slice(-3, -1) : [undefined, parts.at(-2)];
    for (const fileTitle of new Set([titleInName(name), plainName(name)])) {
      // a leading number may be part of the title
      const nameParts = artistAndTitle(fileTitle);
      for (const artistName of [nameParts.artist, artistFolder, albumFolder]) {
        const trackId =
          artistName === undefined || nameParts.title === undefined
            ? undefined
            : songs.find({ title: nameParts.title, artist: artistName, album: albumFolder, isUnambiguous });
        if (trackId !== undefined) return trackId;
      }
    }
    return undefined;
  }

  async function findLines(entries: readonly PlacedEntry[]): Promise<Line[]> {
    const lines = await readLocations(entries);
    const listUnmatched = (): Line[] => lines.filter(({ trackId }) => trackId === undefined);
    await matchByPath(lines);
    await matchByTail(listUnmatched());
    await matchByName(listUnmatched());
    return lines;
  }

  return {
    /** Returns the matched tracks of an uploaded file in the order of the lines. */
    async match(entries: readonly FileEntry[]): Promise<MatchedFile> {
      const lines = await findLines(entries);
      return {
        trackIds: lines.map(({ trackId }) => trackId).filter((id) => id !== undefined),
        unmatched: await mapInSlices(
          lines.filter(({ trackId }) => trackId === undefined),
          (line) => ({ line: line.line, text: textOfEntry(line), reason: reasonFor(line) }),
        ),
      };
    },

    /** Returns the track of each line, or why there is none. The lines may be of several files. */
    matchLines: async (entries: readonly PlacedEntry[]): Promise<LineMatch[]> =>
      mapInSlices(await findLines(entries), (line) =>
        line.trackId === undefined ? { trackId: undefined, reason: reasonFor(line) } : { trackId: line.trackId },
      ),
  };
}

type FileRow = RowAs<typeof tracks, 'id' | 'sourceId'>;

/** Returns a path inside a music folder as a path in the tree of music folders. */
const inTree = (key: string, path: string): string => (key === '' ? path : `${rootPathOf(key)}/${path}`);

function fitOf({ readings, folder }: Line, parts: readonly string[], keys: readonly string[]): Fit {
  const name = parts.at(-1) ?? '';
  const [folders, stem] = [parts.slice(0, -1), foldStem(name)];
  let best: Fit = { tail: 0, rank: 0 };
  for (const reading of readings) {
    const readingName = reading.at(-1) ?? '';
    if (foldStem(readingName) !== stem) continue;
    const tail = 1 + commonTail(reading.slice(0, -1), folders);
    const hasSameName = foldPart(readingName) === foldPart(name);
    const isInSameRoot = folder !== undefined && keyOfPath(keys, folder) === keyOfPath(keys, parts.join('/'));
    const rank = Number(hasSameName) * SAME_NAME + Number(isInSameRoot);
    if (tail > best.tail || (tail === best.tail && rank > best.rank)) best = { tail, rank };
  }
  return best;
}

/** Yields pairs of a row of the library and a line that may mean it. */
function* pairsOf(
  rows: readonly FileRow[],
  linesByStem: ReadonlyMap<string, Line[]>,
): Generator<{ id: TrackId; parts: string[]; line: Line }> {
  for (const { id, sourceId } of rows) {
    const path = sourceId.includes('\\x') ? sourceId.split('/').map(westernText).join('/') : sourceId;
    for (const line of linesByStem.get(foldStem(path.slice(path.lastIndexOf('/') + 1))) ?? [])
      yield { id, parts: path.split('/'), line };
  }
}

/** Returns a name that is not UTF-8 as old programs of Western systems wrote it. */
function westernText(text: string): string {
  const name = textToName(text);
  return typeof name === 'string' ? name : new TextDecoder('windows-1252').decode(name);
}

const MAX_TEXT_CHARACTERS = 300;
export const NO_TRACK = 'no matching file or title in the library';

/** Returns a line of a playlist file as it is shown to people. */
export const textOfEntry = ({ location, artist, title }: Pick<FileEntry, 'location' | 'artist' | 'title'>): string =>
  [...(location || [artist, title].filter(Boolean).join(' - '))]
    .slice(0, MAX_TEXT_CHARACTERS)
    .join('')
    .replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '�');

function reasonFor({ readings, isTie, location }: Line): string {
  if (isTie === true) return 'several files in the library have this name';
  if (readings.length === 0 && location !== '') return 'this is a web address, and no track has its title';
  return NO_TRACK;
}
