/** Functions whose first parameter is the context that they share. */
type ContextFunctions<C> = Record<string, (context: C, ...args: never[]) => unknown>;

type BoundFunctions<C, F extends ContextFunctions<C>> = {
  [K in keyof F]: F[K] extends (context: C, ...args: infer A) => infer R ? (...args: A) => R : never;
};

/** Returns the same functions without their first parameter, which is always `context`. */
export function bindContext<C, F extends ContextFunctions<C>>(context: C, functions: F): BoundFunctions<C, F> {
  const bound = Object.entries(functions).map(([name, run]) => [name, run.bind(undefined, context)]);
  return Object.fromEntries(bound) as BoundFunctions<C, F>;
}
