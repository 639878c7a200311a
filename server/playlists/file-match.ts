// Finds the tracks of a playlist file: by the exact path in a music folder, then by the longest matching end of the
// path, then by artist and title. Ambiguous matches are left out.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { createStatements } from '../library/lists/statement-cache.ts';
import type { RowAs } from '../db/rows.ts';
import type { tracks } from '../db/schema.ts';
import { inSlices, mapInSlices } from '../runtime/time-slices.ts';
import { rootPathOf, type MusicRoot } from '../storage/music-roots.ts';
import type { FileEntry } from './file-entry.ts';
import { commonTail, foldPart, plainName, readingsOf, titleInName } from './file-locations.ts';
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

interface Line extends FileEntry {
  readings: string[][];
  trackId?: TrackId | undefined;
  isTie?: boolean;
}

interface FileMatchDeps {
  db: MainDb;
  songs: SongMatcher;
  /** Returns the music folders, for absolute paths inside them. */
  folders: () => MusicRoot[];
}

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

  interface KeyedRoot {
    /** Path of the music folder in the form of the file's locations. */
    root: string | undefined;
    key: string;
  }

  /**
   * Returns the possible paths of a line, in the form of `source_id`. The playlist's own folder is assumed to be a
   * music folder.
   */
  function pathsOf({ readings }: Line, tops: readonly KeyedRoot[]): string[] {
    return readings
      .map((parts) => parts.join('/'))
      .flatMap((path) => {
        const top = tops.find(({ root }) => root !== undefined && path.startsWith(`${root}/`));
        if (top) {
          const pathInFolder = path.slice((top.root?.length ?? 0) + 1);
          return [top.key === '' ? pathInFolder : `${rootPathOf(top.key)}/${pathInFolder}`];
        }
        return [path, ...tops.filter(({ key }) => key !== '').map(({ key }) => `${rootPathOf(key)}/${path}`)];
      });
  }

  async function matchByPath(lines: Line[]): Promise<void> {
    const tops = folders().map(({ key, path }) => ({ key, root: readingsOf(path)[0]?.join('/') }));
    for (let start = 0; start < lines.length; start += LINES_PER_QUERY) {
      const batch = lines.slice(start, start + LINES_PER_QUERY).map((line) => ({ line, paths: pathsOf(line, tops) }));
      const idsByPath = new Map(
        tracksAt([...new Set(batch.flatMap(({ paths }) => paths))]).map(({ id, sourceId }) => [sourceId, id]),
      );
      for (const { line, paths } of batch)
        line.trackId = paths.map((path) => idsByPath.get(path)).find((id) => id !== undefined);
      await yieldToRequests();
    }
  }

  /** Reads all paths of the library once for all lines. */
  async function matchByTail(lines: Line[]): Promise<void> {
    const linesByName = new Map<string, Line[]>();
    await inSlices(lines, (line) => {
      for (const name of new Set(line.readings.map((parts) => foldPart(parts.at(-1) ?? '')))) {
        const namesakes = linesByName.get(name);
        if (namesakes) namesakes.push(line);
        else linesByName.set(name, [line]);
      }
    });
    if (linesByName.size === 0) return;
    const bestByLine = new Map<Line, { tail: number; ids: TrackId[] }>();
    for (let lastSourceId = ''; ;) {
      const rows = statements.rows<RowAs<typeof tracks, 'id' | 'sourceId'>>(
        `SELECT id, source_id AS sourceId FROM tracks WHERE source = '${SOURCE}' AND source_id > @after
          ORDER BY source_id LIMIT ${ROWS_PER_READ}`,
        { after: lastSourceId },
      );
      await inSlices(pairsOf(rows, linesByName), ({ id, parts, line }) => {
        const tail = Math.max(...line.readings.map((reading) => commonTail(reading, parts)));
        const bestMatch = bestByLine.get(line);
        if (bestMatch === undefined || tail > bestMatch.tail) bestByLine.set(line, { tail, ids: [id] });
        // two matches are enough to be ambiguous
        else if (tail === bestMatch.tail && bestMatch.ids.length < 2) bestMatch.ids.push(id);
      });
      if (rows.length < ROWS_PER_READ) break;
      lastSourceId = rows.at(-1)?.sourceId ?? '';
      await yieldToRequests();
    }
    for (const [line, { ids, tail }] of bestByLine) {
      // Names such as "01 Intro.mp3" are in many folders, so a file name alone is enough only if the line has no
      // folder.
      const isProof = tail > 1 || line.readings.some((parts) => parts.length === 1);
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

  function findByName({ title, artist, album, durationMs, readings }: Line): TrackId | undefined {
    const namedTrack = title === undefined ? undefined : songs.find({ title, artist, album, durationMs });
    if (namedTrack !== undefined || title !== undefined)
      return (
        namedTrack ??
        (artist === undefined || title === undefined
          ? undefined
          : songs.find({ title: `${artist} - ${title}`, durationMs }))
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
            : songs.find({ title: nameParts.title, artist: artistName, album: albumFolder });
        if (trackId !== undefined) return trackId;
      }
    }
    return undefined;
  }

  return {
    /** Returns the matched tracks in the order of the lines. */
    async match(entries: readonly FileEntry[]): Promise<MatchedFile> {
      const lines: Line[] = await mapInSlices(entries, (entry) => ({ ...entry, readings: readingsOf(entry.location) }));
      const listUnmatched = (): Line[] => lines.filter(({ trackId }) => trackId === undefined);
      await matchByPath(lines);
      await matchByTail(listUnmatched());
      await matchByName(listUnmatched());
      return {
        trackIds: lines.map(({ trackId }) => trackId).filter((id) => id !== undefined),
        unmatched: await mapInSlices(listUnmatched(), (line) => ({
          line: line.line,
          text: textOf(line),
          reason: reasonFor(line),
        })),
      };
    },
  };
}

/** Yields pairs of a row of the library and a line that may mean it. */
function* pairsOf(
  rows: readonly RowAs<typeof tracks, 'id' | 'sourceId'>[],
  linesByName: ReadonlyMap<string, Line[]>,
): Generator<{ id: TrackId; parts: string[]; line: Line }> {
  for (const { id, sourceId } of rows) {
    const parts = sourceId.split('/');
    for (const line of linesByName.get(foldPart(parts.at(-1) ?? '')) ?? []) yield { id, parts, line };
  }
}

const MAX_TEXT_CHARACTERS = 300;
const textOf = ({ location, artist, title }: Line): string =>
  [...(location || [artist, title].filter(Boolean).join(' - '))]
    .slice(0, MAX_TEXT_CHARACTERS)
    .join('')
    .replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '�');

function reasonFor({ readings, isTie, location }: Line): string {
  if (isTie === true) return 'several files in the library have this name';
  if (readings.length === 0 && location !== '') return 'this is a web address, and no track has its title';
  return 'no matching file or title in the library';
}
