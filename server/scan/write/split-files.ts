// Writes files with several tracks: each track has a row as if it were a file called `Album.flac//003`, so that all
// code for files works for it. The track of the whole file is hidden meanwhile, with its likes, plays and playlist
// entries. When the cue sheet is removed that track returns, and its sections are hidden.
import type { MainDb } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import { isSameStamp } from '../../files/file-stamp.ts';
import { NO_HASH } from '../../files/read-file.ts';
import { join, sourceIdOf } from '../../files/relative-path.ts';
import { numberOfSection, sectionName } from '../../files/section-names.ts';
import { sectionFacts, type Section } from '../../files/sections.ts';
import { toAudio, toIdentity } from '../../files/track-draft.ts';
import type { Trash } from '../../library/trash/trash.ts';
import type { Decision, FileOp, ReadSuccess } from './decide.ts';
import type { FileRows, SectionRow } from './file-rows.ts';
import type { TrackDraft, ScannedTracks } from './scanned-tracks.ts';

export interface SplitFilesDeps {
  source: string;
  db: MainDb;
  files: FileRows;
  scannedTracks: ScannedTracks;
  trash: Pick<Trash, 'hide'>;
  /** True to restore deleted tracks. */
  restore: boolean;
}

/** A section and its row; `row` is absent for a new section. */
interface SectionMatch {
  section: Section;
  row?: TrackRow | DeletedRow | undefined;
}
type TrackRow = SectionRow & { trackId: TrackId };
/** The row of a section that a person deleted. `trashedId` is undefined when the trash has been emptied since. */
type DeletedRow = SectionRow & { trackId: null; folder: number; trashedId: TrackId | undefined };

const INODE_OF_NO_FILE = { dev: 0, ino: 0 };

export function createSplitFiles({ db, files, scannedTracks, trash, source, restore }: SplitFilesDeps) {
  /**
   * Takes a track out of the file. If the file still has its audio, the track is hidden and may come back unchanged;
   * otherwise its audio is searched elsewhere.
   */
  function removeFromFile(id: TrackId, isSameAudio: boolean, sourceId: string): void {
    if (isSameAudio) return trash.hide(db, id, sourceId);
    if (scannedTracks.isInPlace(id)) scannedTracks.setMissing(id);
    scannedTracks.displace(id, sourceId);
  }

  /** Hides the sections of a file that is one track now. */
  function unsplit(folder: number, op: FileOp, { audioHash }: ReadSuccess): void {
    const { name, knownFile } = op.candidate;
    if (knownFile === null) return; // a new file has no sections
    for (const row of files.listSections(folder, name)) {
      if (!hasTrack(row)) continue; // deleted sections stay deleted when the sheet is back
      files.remove(folder, row.name);
      removeFromFile(row.trackId, isAudioOfFile(row.audioHash, audioHash), sourceIdOf(op.path, row.name));
    }
  }

  /** Returns the sections of the file that a person deleted, here or at the path that the file had before. */
  function listDeletedSections(folder: number, { path, candidate }: FileOp, rows: SectionRow[]): DeletedRow[] {
    const ownRows = rows.map((row) => ({ ...row, path, folder }));
    return [...ownRows, ...files.findDeletedSections(source, folder, candidate)].flatMap((row): DeletedRow[] => {
      const sourceId = sourceIdOf(row.path, row.name);
      if (row.state !== 'deleted' || hasTrack(row) || scannedTracks.findBySourceId(sourceId) !== undefined) return [];
      const { id, audioHash = null } = scannedTracks.findDeleted(sourceId) ?? {};
      // without a stored hash, an unchanged size and time of the file show that the audio is the same
      return id === undefined && !isSameStamp(row, candidate)
        ? []
        : [{ ...row, trackId: null, audioHash, trashedId: id }];
    });
  }

  /** Splits the file into its sections. Returns the URIs of audio that was replaced. */
  function split(
    folder: number,
    op: FileOp,
    { result, sections, wholeFileTrackId }: Omit<Extract<Decision, { kind: 'split' }>, 'kind' | 'op' | 'wasSplit'>,
  ): string[] {
    const { path, candidate } = op;
    const rows = files.listSections(folder, candidate.name);
    const trackRows = rows.filter(hasTrack);
    const deletedRows = listDeletedSections(folder, op, rows);
    const matches = matchSections(sections, [...trackRows, ...deletedRows], result.audioHash);
    const matchedRows = new Set(matches.flatMap((match) => match.row ?? []));
    for (const { name } of rows) files.remove(folder, name);
    for (const row of deletedRows) files.remove(row.folder, row.name);
    // frees the places, so that they can be assigned again
    for (const row of trackRows) scannedTracks.displace(row.trackId, sourceIdOf(path, row.name));
    for (const { section, row } of matches)
      if (row && 'trashedId' in row && row.trashedId !== undefined)
        scannedTracks.setDeletedSourceId(row.trashedId, sourceIdOf(path, sectionName(candidate.name, section.number)));
    const sizes = divideBytes(sections, result.sizeBytes);
    const replacedUris = new Set<string>();
    matches.forEach(({ section, row }, i) => {
      const file = { ...candidate, ...INODE_OF_NO_FILE, name: sectionName(candidate.name, section.number) };
      if (row?.trackId === null && !restore)
        return files.put(folder, file, { state: 'deleted', lyricsMark: null, trackId: null });
      const draft = toSectionDraft(op, result, section, sizes[i] ?? 0);
      // a restored track has its place, but perhaps no row of a file
      const existingId = row?.trackId ?? scannedTracks.findBySourceId(draft.sourceId);
      const { trackId, replacedUri: uri } =
        existingId === undefined
          ? scannedTracks.insert(draft, folder)
          : scannedTracks.takeSourceId(existingId, draft, folder);
      if (uri !== undefined) replacedUris.add(uri);
      files.put(folder, file, { state: 'track', lyricsMark: null, trackId });
    });
    // comes last, so that an album always has a track
    for (const row of trackRows)
      if (!matchedRows.has(row))
        removeFromFile(row.trackId, isAudioOfFile(row.audioHash, result.audioHash), sourceIdOf(path, row.name));
    if (wholeFileTrackId !== undefined) {
      const audioHash = scannedTracks.audioHashOf(wholeFileTrackId);
      if (audioHash === null && result.audioHash !== null)
        scannedTracks.setAudioHash(wholeFileTrackId, result.audioHash);
      files.removeOthers(wholeFileTrackId, folder, candidate.name);
      removeFromFile(wholeFileTrackId, isAudioOfFile(audioHash, result.audioHash), sourceIdOf(path, candidate.name));
    }
    return [...replacedUris];
  }

  function toSectionDraft(
    { path, candidate }: FileOp,
    readResult: ReadSuccess,
    section: Section,
    sizeBytes: number,
  ): TrackDraft {
    const { facts, pictures, reader, unmarked: _texts, charset: _charset, ...wholeContent } = readResult.content;
    const sourceId = sourceIdOf(path, sectionName(candidate.name, section.number));
    const storedAudio = { ...scannedTracks.storedAs(join(path, candidate.name), readResult), sizeBytes };
    const sectionContent = {
      ...wholeContent,
      pictures,
      reader,
      tags: section.tags,
      facts: sectionFacts(facts, section),
    };
    const audio = toAudio(sectionContent, {
      ...storedAudio,
      audioHash: sectionHash(readResult.audioHash, section.start),
    });
    // music-metadata does not report pictures until they are read
    const hasPicture = pictures.length > 0 || reader !== 'own';
    return {
      sourceId,
      identity: toIdentity(sectionContent, sourceId),
      audio: { ...audio, hasPicture, sectionStart: section.start, sectionEnd: section.end },
    };
  }

  /** Marks the sections of a file as missing that cannot be read any more. */
  function loseSections(folder: number, name: string): void {
    for (const row of files.listSections(folder, name)) {
      if (!hasTrack(row)) continue;
      if (scannedTracks.isInPlace(row.trackId)) scannedTracks.setMissing(row.trackId);
      files.setState(folder, row.name, 'gone');
    }
  }

  return { split, unsplit, lose: loseSections };
}

const hasTrack = (row: SectionRow): row is TrackRow => row.trackId !== null;

/**
 * Matches sections with rows: by the audio at their start, then by number. A section with other audio is another track.
 */
function matchSections(sections: Section[], rows: (TrackRow | DeletedRow)[], audioHash: string | null): SectionMatch[] {
  const freeRows = new Set(rows);
  const takeRow = (isMatch: (row: SectionRow) => boolean): TrackRow | DeletedRow | undefined => {
    const row = [...freeRows].find(isMatch);
    if (row) freeRows.delete(row);
    return row;
  };
  const matches = sections.map((section): SectionMatch => {
    const hash = sectionHash(audioHash, section.start);
    return { section, row: hash === null ? undefined : takeRow((row) => row.audioHash === hash) };
  });
  for (const match of matches)
    match.row ??= takeRow(
      (row) => isAudioOfFile(row.audioHash, audioHash) && numberOfSection(row.name) === match.section.number,
    );
  return matches;
}

/** Returns the payload hash of a section: that of the file, and the start of the section. */
const sectionHash = (audioHash: string | null, start: number): string | null =>
  audioHash === null || audioHash === NO_HASH ? audioHash : `${audioHash}@${start}`;

/** Returns whether a section's audio is that of the file, as far as the hashes tell. */
const isAudioOfFile = (audioHash: string | null, fileHash: string | null): boolean =>
  [audioHash, fileHash].some((hash) => hash === null || hash === NO_HASH) || audioHash?.split('@', 1)[0] === fileHash;

/** Divides the file's bytes by the length of the sections, so that together they count once. */
function divideBytes(sections: Section[], sizeBytes: number): number[] {
  const totalMs = sections.reduce((sum, { durationMs }) => sum + durationMs, 0);
  let [ms, assignedBytes] = [0, 0];
  return sections.map(({ durationMs }) => {
    ms += durationMs;
    const endByte = Math.round((sizeBytes * ms) / totalMs);
    const share = endByte - assignedBytes;
    assignedBytes = endByte;
    return share;
  });
}
