// Reports what the tests skip on this machine, at once and again at the end of `npm test`.
import { appendFileSync } from 'node:fs';

const reportedReasons = new Set<string>();

/** Warns that something is not tested; `sentence` says what and why. */
export function sayLeftOut(sentence: string): void {
  if (reportedReasons.has(sentence)) return;
  reportedReasons.add(sentence);
  console.warn(`\n*** ${sentence} ***\n`);
  const report = process.env['TESTS_LEFT_OUT']; // a file that scripts/test.ts reads
  if (report) appendFileSync(report, `${sentence}\n`);
}
