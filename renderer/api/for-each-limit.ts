const AT_ONCE = 4;

/**
 * Some at a time, so that a thousand requests neither queue up nor crowd out the others. Ends with the first that
 * throws.
 */
export async function forEachLimit<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items];
  const take = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
}
