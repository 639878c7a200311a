// Types of events. An event is declared by the module that publishes it, and listed in server/wire.ts. Events only
// announce changes.
import type { z } from 'zod';

export interface EventKind<Name extends string = string, Data extends z.ZodType = z.ZodType> {
  /** The name, sent as `event: <name>`. */
  name: Name;
  /** The schema of the data, sent as `data: <JSON>`. */
  data: Data;
  /** One line for the documentation. */
  about: string;
}

export const event = <const Name extends string, Data extends z.ZodType>(
  name: Name,
  data: Data,
  about: string,
): EventKind<Name, Data> => ({ name, data, about });
