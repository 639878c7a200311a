// An event is declared by the module that publishes it, and listed in server/wire.ts. Events only announce changes.
import type { z } from 'zod';

export interface EventKind<Name extends string = string, Data extends z.ZodType = z.ZodType> {
  /** Sent as `event: <name>`. */
  name: Name;
  /** Sent as `data: <JSON>`. */
  data: Data;
  /** One line of documentation. */
  about: string;
}

export const event = <const Name extends string, Data extends z.ZodType>(
  name: Name,
  data: Data,
  about: string,
): EventKind<Name, Data> => ({ name, data, about });
