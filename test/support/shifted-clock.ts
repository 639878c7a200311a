// A module that is loaded into a server before everything else (`--import`): it shifts the clock by the number of
// milliseconds in a file.
import { readFileSync } from 'node:fs';

const file = process.env['SHIFTED_CLOCK'] ?? '';
const READ_EVERY_MS = 50;
const RealDate = Date;
let [shiftMs, readAt] = [0, -Infinity];

function now(): number {
  if (performance.now() - readAt > READ_EVERY_MS) {
    readAt = performance.now();
    try {
      shiftMs = Number(readFileSync(file, 'utf8')) || 0;
    } catch {
      shiftMs = 0; // without the file, the clock is correct
    }
  }
  return RealDate.now() + shiftMs;
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], newTarget: typeof Date) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});
