// Reads the parameters of a call, from the address and from a form.
import type { ParamMap } from '../http/params.ts';
import { isTime, toUnixMs } from '../http/times.ts';
import { Fault, missingParameter } from './errors.ts';

export type Params = ReturnType<typeof readParams>;

/** Reads the parameters; an empty parameter counts as absent, because clients send `p=` beside a token. */
export function readParams(...sources: ParamMap[]) {
  const allValuesOf = (name: string): string[] => sources.flatMap((source) => source.get(name) ?? []);
  const valuesOf = (name: string): string[] => allValuesOf(name).filter((value) => value !== '');
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
    /** Returns all values of a parameter, also empty ones, for parameters whose values form pairs. */
    allWithEmpty: allValuesOf,
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

/** Reads a time in milliseconds since 1970; some clients send seconds. */
export function toTime(name: string, text: string): Date {
  const ms = /^\d{1,16}(\.\d{1,9})?$/.test(text) ? toUnixMs(Number(text)) : Number.NaN;
  if (!isTime(ms)) throw new Fault(0, `The parameter ${name} must be a time in milliseconds since 1970.`);
  return new Date(ms);
}

/** Maximum number of ids: more than any phone has. */
const MAX_IDS = 200_000;

/** Returns the values of a parameter that may be repeated very often. */
export const readList = (params: Params, name: string): string[] => limitList(name, params.all(name));

/**
 * Returns the values of two parameters as pairs. An empty value has its partner, if the client sent as many values of
 * both. The second one may be missing entirely.
 */
export function readPairs(
  params: Params,
  name: string,
  otherName: string,
): [value: string, other: string | undefined][] {
  const [values, others] = [params.allWithEmpty(name), params.allWithEmpty(otherName)].map((list) =>
    limitList(name, list),
  ) as [string[], string[]];
  const isPaired = values.length === others.length || others.length === 0;
  const [left, right] = isPaired ? [values, others] : [params.all(name), params.all(otherName)];
  if (right.length > 0 && left.length !== right.length)
    throw new Fault(
      0,
      `The parameter ${name} was given ${left.length} times and ${otherName} ${right.length} times; ` +
        `each ${name} needs one ${otherName}.`,
    );
  return left.map((value, index) => [value, right[index] || undefined]);
}

function limitList(name: string, values: string[]): string[] {
  if (values.length > MAX_IDS)
    throw new Fault(
      0,
      `The parameter ${name} may be given at most ${MAX_IDS} times, but was given ${values.length} times.`,
    );
  return values;
}
