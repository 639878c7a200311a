// Amounts of data for people.
const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** `1.4 GB`; thousands, as disks are sold. */
export function bytesInWords(bytes: number): string {
  const step = bytes < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** step;
  return `${step === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[step]}`;
}
