// Parameters of an address or a form, however many: phones send queues of a hundred thousand ids. They are read in
// slices, because decoding that many takes longer than requests should wait.
import { AppError } from '../errors.ts';
import { turn } from '../runtime/time-slices.ts';

/** 100,000 ids with a time each, and some more. */
const MOST_PARAMETERS = 250_000;
const LONGEST_PARAMETER = 64 << 10;
const SLICE_BYTES = 32 << 10;
const AMPERSAND = 0x26;

export type ParamMap = Map<string, string[]>;

/** Throws `too_large` with the limit and what was given. */
export async function parseParams(bytes: Buffer, most = MOST_PARAMETERS): Promise<ParamMap> {
  const params: ParamMap = new Map();
  let count = 0;
  for (let at = 0; at < bytes.length;) {
    const end = endOfSlice(bytes, at);
    for (const [name, value] of new URLSearchParams(bytes.toString('utf8', at, end))) {
      const values = params.get(name);
      if (values) values.push(value);
      else params.set(name, [value]);
      count++;
    }
    if (count > most)
      throw new AppError('too_large', `A request may have at most ${most} parameters, and this one has more.`);
    at = end + 1;
    if (at < bytes.length) await turn();
  }
  return params;
}

/** Behind the last parameter that is whole within a slice. */
function endOfSlice(bytes: Buffer, from: number): number {
  if (bytes.length - from <= SLICE_BYTES) return bytes.length;
  const last = bytes.lastIndexOf(AMPERSAND, from + SLICE_BYTES);
  if (last >= from) return last;
  const next = bytes.indexOf(AMPERSAND, from + SLICE_BYTES);
  const end = next < 0 ? bytes.length : next;
  if (end - from > LONGEST_PARAMETER)
    throw new AppError(
      'too_large',
      `A parameter may have at most ${LONGEST_PARAMETER} bytes, and one here has ${end - from}.`,
    );
  return end;
}
