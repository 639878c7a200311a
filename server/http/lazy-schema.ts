// A schema that is made when it is first used. The build puts this around those that modules declare
// (scripts/lazy-schemas.ts); the sources, and the tests that run them, do without.
import { z } from 'zod';

export function lazySchema<T extends z.ZodType>(make: () => T): T {
  const schema = {} as T;
  const become = (): void => {
    const made = make();
    delete handler.get;
    delete handler.has;
    const { constr, def, parent } = made._zod as T['_zod'] & { constr: { init: (schema: T, def: unknown) => void } };
    Object.setPrototypeOf(schema, Object.getPrototypeOf(made) as object);
    constr.init(late, def); // not a copy: what zod makes of it knows it by its identity
    for (const finish of late._zod.deferred ?? []) finish();
    if (parent) late._zod.parent = parent;
    const meta = z.globalRegistry.get(made);
    if (meta) z.globalRegistry.add(late, meta);
  };
  const handler: ProxyHandler<T> = {
    get(_, key) {
      become();
      return Reflect.get(late, key) as unknown;
    },
    has(_, key) {
      become();
      return Reflect.has(late, key);
    },
  };
  const late = new Proxy(schema, handler);
  return late;
}
