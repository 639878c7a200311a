// Work on what a source gives, a few at once. The first error ends it, after those that run have ended.
export async function eachAtOnce<T>(
  source: AsyncIterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  for await (const item of source) {
    const done = work(item)
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => running.delete(done));
    running.add(done);
    if (running.size >= atOnce) await Promise.race(running);
    if (failure) break;
  }
  await Promise.all(running);
  if (failure) throw failure.error;
}
