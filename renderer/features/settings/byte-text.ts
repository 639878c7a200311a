// Sizes as people read and type them: 10 GB, 1,5 GB, 512 MiB.
const UNITS = [
  ['kB', 1e3],
  ['MB', 1e6],
  ['GB', 1e9],
  ['TB', 1e12],
  ['KiB', 1024],
  ['MiB', 1024 ** 2],
  ['GiB', 1024 ** 3],
  ['TiB', 1024 ** 4],
] as const;

/** Returns the shortest text that means exactly this size. `separator` is the decimal separator of the language. */
export function byteText(bytes: number, separator = '.'): string {
  const texts = UNITS.filter(([, size]) => bytes >= size).map(([unit, size]) => `${bytes / size} ${unit}`);
  const [shortest = String(bytes)] = [String(bytes), ...texts].toSorted((a, b) => lengthOf(a) - lengthOf(b));
  return shortest.replace('.', separator);
}

/** A text with a unit is easier to read than one digit less. */
const lengthOf = (text: string): number => text.length - (text.includes(' ') ? 3 : 0);

/** Returns the text in the form that the server reads, which has a point before the decimals. */
export const serverByteText = (text: string): string => text.trim().replace(/^(\d+),(\d+)/, '$1.$2');

/** Returns the decimal separator of a language. */
export const separatorOf = (language: string): string =>
  new Intl.NumberFormat(language).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';
