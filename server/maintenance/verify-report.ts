// Findings of a verification: stored in the database while it runs, and then part of the job's result.

export type FindingKind =
  | 'damaged' // the content has changed
  | 'missing'
  | 'unreadable'; // a disk error, or the file's storage is not in use

export interface Finding {
  kind: FindingKind;
  /** One of the three ids is set: for the audio of a track, the cover of an album or the picture of an artist. */
  track_id: number | null;
  album_id: number | null;
  artist_id: number | null;
  title: string;
  storage_uri: string;
  /** True if it was restored from the backup, or a cover from its original source. */
  healed: boolean;
  reason: string | null;
}

export interface VerifyReport {
  checked: number;
  covers: number;
  /** The number of verified pictures of artists. */
  pictures: number;
  bytes: number;
  /** The number of missing tracks whose audio was found again. */
  returned: number;
  /** The number of files in the music folder that changed since the last scan; the next scan reads them. */
  changed: number;
  /** The number of files without a hash: only their existence was checked. */
  unhashed: number;
  damaged: number;
  missing: number;
  unreadable: number;
  healed: number;
  /** The first findings, at most MAX_LISTED_FINDINGS. */
  findings: Finding[];
}

const MAX_LISTED_FINDINGS = 1_000;

export const describeReport = ({ damaged, missing, unreadable, healed }: VerifyReport): string =>
  damaged + missing + unreadable + healed === 0
    ? 'no problems found'
    : `${damaged} damaged, ${missing} missing, ${unreadable} unreadable, ${healed} healed`;

export const emptyReport = (): VerifyReport => ({
  checked: 0,
  covers: 0,
  pictures: 0,
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

export function addFinding(report: VerifyReport, finding: Finding): void {
  if (finding.healed) report.healed++;
  else report[finding.kind]++;
  if (report.findings.length < MAX_LISTED_FINDINGS) report.findings.push(finding);
}
