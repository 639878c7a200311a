// Reads the parameters of a call, from the address and from a form.
import type { ParamMap } from '../http/params.ts';
import { isTime } from '../http/times.ts';
import { Fault, missingParameter } from './errors.ts';

export type Params = ReturnType<typeof readParams>;

/** Reads the parameters; an empty parameter counts as absent, because clients send `p=` beside a token. */
export function readParams(...sources: ParamMap[]) {
  const valuesOf = (name: string): string[] =>
    sources.flatMap((source) => source.get(name) ?? []).filter((value) => value !== '');
  const text = (name: string): string | undefined => valuesOf(name)[0];

  function requiredText(name: string): string {
    const value = text(name);
    if (value === undefined) throw missingParameter(name);
    return value;
  }

  function int(name: string): number | undefined {
    const value = text(name);
    return value === undefined ? undefined : toInt(name, value);
  }

  return {
    /** Returns all values of a parameter, in order. */
    all: valuesOf,
    text,
    required: requiredText,
    /** Returns whether the parameter was sent, also with an empty value. */
    has: (name: string): boolean => sources.some((source) => source.has(name)),
    int,
    requiredInt: (name: string): number => toInt(name, requiredText(name)),
    /** Reads a number of items, which is limited to 0..max instead of rejected. */
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
  // some clients send whole numbers with a fraction
  const number = /^-?\d{1,16}(\.0*)?$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new Fault(0, `The parameter ${name} must be a whole number.`);
  return number;
}

/** Converts Unix milliseconds. */
export function toTime(name: string, ms: number): Date {
  if (!isTime(ms)) throw new Fault(0, `The parameter ${name} is not a time.`);
  return new Date(ms);
}

/** Maximum number of ids: more than any phone has. */
const MAX_IDS = 200_000;

/** Returns the values of a parameter that may be repeated very often. */
export function readList(params: Params, name: string): string[] {
  const values = params.all(name);
  if (values.length > MAX_IDS)
    throw new Fault(
      0,
      `The parameter ${name} may be given at most ${MAX_IDS} times, but was given ${values.length} times.`,
    );
  return values;
}
