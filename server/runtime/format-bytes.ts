const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** Formats a size as `1.4 GB`, in powers of 1000, as disks are sold. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** step;
  return `${step === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[step]}`;
}
