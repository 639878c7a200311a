// Parses the parameters of a URL or a form, however many: phones send queues of a hundred thousand ids. They are
// decoded in slices, because other requests should not wait that long.
import { AppError } from '../errors.ts';
import { waitForTurn } from '../runtime/time-slices.ts';

/** Maximum number of parameters; enough for 100,000 ids with a time each. */
const MAX_PARAMETERS = 250_000;
const MAX_PARAMETER_BYTES = 64 << 10;
const SLICE_BYTES = 32 << 10;
const AMPERSAND = 0x26;

export type ParamMap = Map<string, string[]>;

/** Parses parameters. Throws `too_large`. */
export async function parseParams(bytes: Buffer, max = MAX_PARAMETERS): Promise<ParamMap> {
  const params: ParamMap = new Map();
  let count = 0;
  for (let position = 0; position < bytes.length;) {
    const end = endOfSlice(bytes, position);
    for (const [name, value] of new URLSearchParams(bytes.toString('utf8', position, end))) {
      const values = params.get(name);
      if (values) values.push(value);
      else params.set(name, [value]);
      count++;
    }
    if (count > max)
      throw new AppError('too_large', `A request may have at most ${max} parameters, and this one has more.`);
    position = end + 1;
    if (position < bytes.length) await waitForTurn();
  }
  return params;
}

/** Returns the end of the last parameter that is completely inside the slice. */
function endOfSlice(bytes: Buffer, start: number): number {
  if (bytes.length - start <= SLICE_BYTES) return bytes.length;
  const lastSeparator = bytes.lastIndexOf(AMPERSAND, start + SLICE_BYTES);
  if (lastSeparator >= start) return lastSeparator;
  const nextSeparator = bytes.indexOf(AMPERSAND, start + SLICE_BYTES);
  const end = nextSeparator < 0 ? bytes.length : nextSeparator;
  if (end - start > MAX_PARAMETER_BYTES)
    throw new AppError(
      'too_large',
      `A parameter may have at most ${MAX_PARAMETER_BYTES} bytes, and one here has ${end - start}.`,
    );
  return end;
}
