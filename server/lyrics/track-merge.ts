// Moves lyrics that a person wrote, picked or hid when two tracks are merged, and moves them back when that is undone.
// Runs inside the caller's transaction.
import { isDeepStrictEqual } from 'node:util';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { lyrics } from '../db/schema.ts';
import type { TrackMergePart } from '../library/merges/track-merge.ts';
import type { TrackWriter } from '../library/tracks/track-writer.ts';
import { createLyricsQueries, type FoundLyricsRow } from './queries.ts';

type StoredLyrics = Omit<FoundLyricsRow, 'trackId'>;

const Stored = z
  .object({
    isManual: z.boolean(),
    lrclibId: z.int().nullable(),
    isInstrumental: z.boolean(),
    synced: z.boolean(),
    lines: z.array(
      z.object({
        startMs: z.number().exactOptional(),
        text: z.string(),
        words: z.array(z.object({ startMs: z.number(), text: z.string() })).exactOptional(),
        isBackground: z.literal(true).exactOptional(),
      }),
    ),
    updatedAt: z.int().transform((ms) => new Date(ms)),
  })
  .nullable();
/** The lyrics of both tracks before the merge; absent in merges of an older version. */
const Remembered = z.object({ from: Stored, to: Stored }).default({ from: null, to: null });

export function createLyricsMerge({
  db,
  tracks,
}: {
  db: MainDb;
  tracks: Pick<TrackWriter, 'settleHasLyrics'>;
}): TrackMergePart {
  const queries = createLyricsQueries({ db });

  const linesInFile = (id: TrackId): unknown =>
    db.select({ lines: lyrics.lines }).from(lyrics).where(eq(lyrics.trackId, id)).get()?.lines;

  /** Returns whether a person hid lyrics that the other track shows too. */
  function hidesSame(from: TrackId, to: TrackId): boolean {
    const lines = linesInFile(to);
    return lines === undefined || isDeepStrictEqual(lines, linesInFile(from));
  }

  function move(from: TrackId, to: TrackId): void {
    const movedLyrics = queries.find(from);
    if (!movedLyrics?.isManual) return;
    const ownLyrics = queries.find(to);
    const isMoved = isHidden(movedLyrics)
      ? !ownLyrics?.isManual && hidesSame(from, to)
      : ownLyrics === undefined || !ownLyrics.isManual || isHidden(ownLyrics);
    if (isMoved) queries.put({ ...movedLyrics, trackId: to });
    queries.remove(from);
    for (const id of [from, to]) tracks.settleHasLyrics(id);
  }

  return {
    move,

    moveSince(from, to, since): boolean {
      const row = queries.find(from);
      if (!row?.isManual || row.updatedAt < since) return false;
      move(from, to);
      return true;
    },

    remembers: {
      name: 'lyrics',
      stateOf(from, to): z.input<typeof Remembered> {
        const row = queries.find(from);
        return row?.isManual ? { from: toJson(row), to: toJson(queries.find(to)) } : { from: null, to: null };
      },
    },

    /** Moves lyrics back; lyrics written for the kept track since the merge stay. */
    bringBack(from, to, { remembered }): void {
      const previousLyrics = Remembered.parse(remembered);
      if (!previousLyrics.from) return;
      if (isSameLyrics(queries.find(to), previousLyrics.from)) {
        if (previousLyrics.to) queries.put({ ...previousLyrics.to, trackId: to });
        else queries.remove(to);
      }
      if (!queries.find(from)?.isManual) queries.put({ ...previousLyrics.from, trackId: from });
      for (const id of [from, to]) tracks.settleHasLyrics(id);
    },
  };
}

/** Returns whether a person removed the lyrics and wrote nothing instead. */
const isHidden = ({ lines, lrclibId, isInstrumental }: StoredLyrics): boolean =>
  lines.length === 0 && lrclibId === null && !isInstrumental;

const isSameLyrics = (row: StoredLyrics | undefined, { updatedAt, lines }: StoredLyrics): boolean =>
  row !== undefined &&
  row.isManual &&
  row.updatedAt.getTime() === updatedAt.getTime() &&
  isDeepStrictEqual(row.lines, lines);

function toJson(row: FoundLyricsRow | undefined): z.input<typeof Stored> {
  if (!row) return null;
  const { trackId: _, updatedAt, ...columns } = row;
  return { ...columns, updatedAt: updatedAt.getTime() };
}
