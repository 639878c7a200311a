const AT_ONCE = 4;

/** Runs a few at a time, so that a thousand requests do not crowd out the others. Rejects with the first error. */
export async function forEachLimit<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items];
  const take = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
}
