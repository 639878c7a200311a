// What a comparison of the library with its checksums found; kept in the database while it runs, the job's result in
// the end.

export type FindingKind =
  | 'damaged' // the bytes are others than they were
  | 'missing' // there is nothing any more
  | 'unreadable'; // the disk does not give it, or its storage is not in use

export interface Finding {
  kind: FindingKind;
  /** One of the two: audio of a track, or the cover of an album. */
  track_id: number | null;
  album_id: number | null;
  title: string;
  storage_uri: string;
  /** Put right from the backup, or a cover from where it was found. */
  healed: boolean;
  reason: string | null;
}

export interface VerifyReport {
  checked: number;
  covers: number;
  bytes: number;
  /** Missing tracks whose audio is there after all. */
  returned: number;
  /** Files of the music folder that were changed since the last scan, which will read them. */
  changed: number;
  /** Nothing to compare with: only that they are there is known. */
  unhashed: number;
  damaged: number;
  missing: number;
  unreadable: number;
  healed: number;
  /** The first of them. */
  findings: Finding[];
}

const LISTED = 1_000;

export const describeReport = ({ damaged, missing, unreadable, healed }: VerifyReport): string =>
  damaged + missing + unreadable + healed === 0
    ? 'all as it was'
    : `${damaged} damaged, ${missing} missing, ${unreadable} unreadable, ${healed} healed`;

export const emptyReport = (): VerifyReport => ({
  checked: 0,
  covers: 0,
  bytes: 0,
  returned: 0,
  changed: 0,
  unhashed: 0,
  damaged: 0,
  missing: 0,
  unreadable: 0,
  healed: 0,
  findings: [],
});

export function noteFinding(tally: VerifyReport, finding: Finding): void {
  if (finding.healed) tally.healed++;
  else tally[finding.kind]++;
  if (tally.findings.length < LISTED) tally.findings.push(finding);
}
