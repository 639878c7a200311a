// The parameters of a call, from the address and from a form. URLSearchParams, because clients send lists of thousands
// of ids.
import { Fault, missing } from './errors.ts';

export type Params = ReturnType<typeof readParams>;

/** Empty is absent: clients send `p=` beside a token. */
export function readParams(...sources: URLSearchParams[]) {
  const all = (name: string): string[] =>
    sources.flatMap((source) => source.getAll(name)).filter((value) => value !== '');
  const text = (name: string): string | undefined => all(name)[0];

  function required(name: string): string {
    const value = text(name);
    if (value === undefined) throw missing(name);
    return value;
  }

  function int(name: string): number | undefined {
    const value = text(name);
    return value === undefined ? undefined : toInt(name, value);
  }

  return {
    /** Every value, in order. */
    all,
    text,
    required,
    /** Also when it is there and empty. */
    has: (name: string): boolean => sources.some((source) => source.has(name)),
    int,
    requiredInt: (name: string): number => toInt(name, required(name)),
    /** How many of something: beyond the limits is cut to them, not refused. */
    count: (name: string, { or, max }: { or: number; max: number }): number =>
      Math.min(Math.max(int(name) ?? or, 0), max),
    bool(name: string, or: boolean): boolean {
      const value = text(name)?.toLowerCase();
      return value === undefined ? or : value === 'true' || value === '1';
    },
    optionalBool(name: string): boolean | undefined {
      const value = text(name)?.toLowerCase();
      return value === undefined ? undefined : value === 'true' || value === '1';
    },
    number(name: string): number | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      const number = Number(value);
      if (!Number.isFinite(number)) throw new Fault(0, `The parameter ${name} must be a number.`);
      return number;
    },
  };
}

function toInt(name: string, value: string): number {
  // Some clients write whole numbers with a fraction.
  const number = /^-?\d{1,16}(\.0*)?$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new Fault(0, `The parameter ${name} must be a whole number.`);
  return number;
}

/** Milliseconds since 1970 as a time. */
export function toTime(name: string, ms: number): Date {
  if (Math.abs(ms) > 8.64e15) throw new Fault(0, `The parameter ${name} is not a time.`);
  return new Date(ms);
}
