// Describes why a scan did not copy files: they do not fit on the disk of the storage.
import { AppError } from '../../errors.ts';
import { formatBytes } from '../../runtime/format-bytes.ts';

/** The number of files that were not copied. */
export interface Refusal {
  files: number;
  bytes: number;
  availableBytes: number;
  /** The name of the files' music folder, if none of its files was copied. */
  folder?: string;
}

const STORAGE_FULL_ADVICE =
  'To leave files where they are and only index them, choose that for the music folder in Settings → Library, or ' +
  'start with --index. To copy them, put the library on a larger disk with --data-dir or STORAGE_ROOT.';

export const storageFullError = (refusals: readonly Refusal[], minFreeBytes: number): AppError =>
  new AppError(
    'storage_full',
    [...refusals.map((refusal) => describeRefusal(refusal, minFreeBytes)), STORAGE_FULL_ADVICE].join(' '),
  );

function describeRefusal({ folder, files, bytes, availableBytes }: Refusal, minFreeBytes: number): string {
  const reserveNote = minFreeBytes > 0 ? ` (MIN_FREE_BYTES keeps ${formatBytes(minFreeBytes)} free)` : '';
  const room = `${formatBytes(availableBytes)} are available on the disk of the library${reserveNote}`;
  const needs = files === 1 ? 'needs' : 'need';
  if (folder !== undefined)
    return (
      `Nothing of the music folder “${folder}” was copied: its ${files === 1 ? 'file' : `${files} files`} ${needs} ` +
      `${formatBytes(bytes)}, and ${room}.`
    );
  const subject = files === 1 ? '1 file was not copied: it' : `${files} files were not copied: they`;
  return `${subject} ${needs} ${formatBytes(bytes)}, and ${room}. What is in the library stays as it is.`;
}
