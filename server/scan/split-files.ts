// Files with several tracks: a row for each of them, as if it were a file called `Album.flac//003`, so that everything
// that is known of files holds for it. The track of the whole file is hidden meanwhile, with its likes, plays and
// playlist entries; when the sheet goes it returns, and its sections are hidden.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { isSameStamp } from '../files/file-stamp.ts';
import { NO_HASH } from '../files/read-file.ts';
import { join, sourceIdOf } from '../files/relative-path.ts';
import { numberOfSection, sectionName } from '../files/section-names.ts';
import { sectionFacts, type Section } from '../files/sections.ts';
import { toAudio, toIdentity } from '../files/track-draft.ts';
import type { Trash } from '../library/trash.ts';
import type { FileOp, ReadOk } from './decide.ts';
import type { FileRows, SectionRow } from './file-rows.ts';
import type { Draft, ScannedTracks } from './scanned-tracks.ts';

export interface SplitFilesDeps {
  source: string;
  db: MainDb;
  files: FileRows;
  scanned: ScannedTracks;
  trash: Pick<Trash, 'hide'>;
  /** Deleted tracks are wanted back. */
  restore: boolean;
}

/** `kept` is absent for a section that is new. */
interface Placed {
  section: Section;
  kept?: OwnRow | DeletedRow | undefined;
}
type OwnRow = SectionRow & { trackId: TrackId };
/** Of a section that a person deleted. `inTrash`: undefined when the trash has been emptied since. */
type DeletedRow = SectionRow & { trackId: null; folder: number; inTrash: TrackId | undefined };

const INODE_OF_NO_FILE = { dev: 0, ino: 0 };

export function createSplitFiles({ db, files, scanned, trash, source, restore }: SplitFilesDeps) {
  /** Where its audio is still there it may come back as it was; otherwise it is looked for elsewhere. */
  function takeAway(id: TrackId, isSameAudio: boolean, sourceId: string): void {
    if (isSameAudio) return trash.hide(db, id, sourceId);
    if (scanned.isInPlace(id)) scanned.lose(id);
    scanned.displace(id, sourceId);
  }

  /** The file is one track now. */
  function unsplit(folder: number, op: FileOp, { audioHash }: ReadOk): void {
    const { name, known } = op.candidate;
    if (known === null) return; // it is new here
    for (const row of files.sectionsOf(folder, name)) {
      if (!isOwn(row)) continue; // what was deleted stays so when the sheet is back
      files.remove(folder, row.name);
      takeAway(row.trackId, isOf(row.audioHash, audioHash), sourceIdOf(op.path, row.name));
    }
  }

  /** Sections of the file that a person deleted, here or where it was before it was moved. */
  function deletedOf(folder: number, { path, candidate }: FileOp, rows: SectionRow[]): DeletedRow[] {
    const here = rows.map((row) => ({ ...row, path, folder }));
    return [...here, ...files.deletedBefore(source, folder, candidate)].flatMap((row): DeletedRow[] => {
      const sourceId = sourceIdOf(row.path, row.name);
      if (row.state !== 'deleted' || isOwn(row) || scanned.findNamed(sourceId) !== undefined) return [];
      const { id, audioHash = null } = scanned.findDeleted(sourceId) ?? {};
      // without its hash, the same file tells
      return id === undefined && !isSameStamp(row, candidate)
        ? []
        : [{ ...row, trackId: null, audioHash, inTrash: id }];
    });
  }

  /** Gives the URIs of audio that was replaced. */
  function split(
    folder: number,
    op: FileOp,
    { read, sections, whole }: { read: ReadOk; sections: Section[]; whole: TrackId | undefined },
  ): string[] {
    const { path, candidate } = op;
    const rows = files.sectionsOf(folder, candidate.name);
    const own = rows.filter(isOwn);
    const deleted = deletedOf(folder, op, rows);
    const placed = match(sections, [...own, ...deleted], read.audioHash);
    const kept = new Set(placed.flatMap((one) => one.kept ?? []));
    for (const { name } of rows) files.remove(folder, name);
    for (const row of deleted) files.remove(row.folder, row.name);
    // so that the places can be given anew
    for (const row of own) scanned.displace(row.trackId, sourceIdOf(path, row.name));
    for (const { section, kept: row } of placed)
      if (row && 'inTrash' in row && row.inTrash !== undefined)
        scanned.placeDeleted(row.inTrash, sourceIdOf(path, sectionName(candidate.name, section.number)));
    const sizes = shares(sections, read.sizeBytes);
    const replaced = new Set<string>();
    placed.forEach(({ section, kept: row }, i) => {
      const file = { ...candidate, ...INODE_OF_NO_FILE, name: sectionName(candidate.name, section.number) };
      if (row?.trackId === null && !restore)
        return files.put(folder, file, { state: 'deleted', lyricsMark: null, trackId: null });
      const draft = toDraft(op, read, section, sizes[i] ?? 0);
      // a restored track has its place, and perhaps no row of a file
      const known = row?.trackId ?? scanned.findNamed(draft.sourceId);
      const { trackId, replaced: uri } =
        known === undefined ? scanned.insert(draft, folder) : scanned.rename(known, draft, folder);
      if (uri !== undefined) replaced.add(uri);
      files.put(folder, file, { state: 'track', lyricsMark: null, trackId });
    });
    // last, so that an album always has a track
    for (const row of own)
      if (!kept.has(row)) takeAway(row.trackId, isOf(row.audioHash, read.audioHash), sourceIdOf(path, row.name));
    if (whole !== undefined) {
      const before = scanned.audioHashOf(whole);
      if (before === null && read.audioHash !== null) scanned.setAudioHash(whole, read.audioHash);
      files.removeOthers(whole, folder, candidate.name);
      takeAway(whole, isOf(before, read.audioHash), sourceIdOf(path, candidate.name));
    }
    return [...replaced];
  }

  function toDraft({ path, candidate }: FileOp, read: ReadOk, section: Section, sizeBytes: number): Draft {
    const { facts, pictures, reader, unmarked: _texts, charset: _charset, ...whole } = read.read;
    const sourceId = sourceIdOf(path, sectionName(candidate.name, section.number));
    const stored = { ...scanned.storedAs(join(path, candidate.name), read), sizeBytes };
    const own = { ...whole, pictures, reader, tags: section.tags, facts: sectionFacts(facts, section) };
    const audio = toAudio(own, { ...stored, audioHash: sectionHash(read.audioHash, section.start) });
    const hasPicture = pictures.length > 0 || reader !== 'own'; // others do not tell before they are looked for
    return {
      sourceId,
      identity: toIdentity(own, sourceId),
      audio: { ...audio, hasPicture, sectionStart: section.start, sectionEnd: section.end },
    };
  }

  /** It cannot be read any more. */
  function lose(folder: number, name: string): void {
    for (const row of files.sectionsOf(folder, name)) {
      if (!isOwn(row)) continue;
      if (scanned.isInPlace(row.trackId)) scanned.lose(row.trackId);
      files.setState(folder, row.name, 'gone');
    }
  }

  return { split, unsplit, lose };
}

const isOwn = (row: SectionRow): row is OwnRow => row.trackId !== null;

/** By the audio they begin with, then by number. A section that has other audio is another track. */
function match(sections: Section[], rows: (OwnRow | DeletedRow)[], audioHash: string | null): Placed[] {
  const free = new Set(rows);
  const take = (fits: (row: SectionRow) => boolean): OwnRow | DeletedRow | undefined => {
    const row = [...free].find(fits);
    if (row) free.delete(row);
    return row;
  };
  const placed = sections.map((section): Placed => {
    const hash = sectionHash(audioHash, section.start);
    return { section, kept: hash === null ? undefined : take((row) => row.audioHash === hash) };
  });
  for (const one of placed)
    one.kept ??= take((row) => isOf(row.audioHash, audioHash) && numberOfSection(row.name) === one.section.number);
  return placed;
}

/** The payload hash of a section: that of the file, and where it begins. */
const sectionHash = (audioHash: string | null, start: number): string | null =>
  audioHash === null || audioHash === NO_HASH ? audioHash : `${audioHash}@${start}`;

/** Whether it is the audio of that file, as far as can be told. */
const isOf = (before: string | null, fileHash: string | null): boolean =>
  [before, fileHash].some((hash) => hash === null || hash === NO_HASH) || before?.split('@', 1)[0] === fileHash;

/** The file's bytes by length, so that together they count once. */
function shares(sections: Section[], sizeBytes: number): number[] {
  const whole = sections.reduce((sum, { durationMs }) => sum + durationMs, 0);
  let [ms, given] = [0, 0];
  return sections.map(({ durationMs }) => {
    ms += durationMs;
    const upTo = Math.round((sizeBytes * ms) / whole);
    const share = upTo - given;
    given = upTo;
    return share;
  });
}
