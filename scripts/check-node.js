// Imported before anything else: ends with one sentence when Node.js is too old for the rest. Plain JavaScript that an old
// Node.js can read.
import { isNodeNewEnough, nodeIsTooOld } from './node-version.js';

if (!isNodeNewEnough) {
  // Under npm, scripts/run has already looked for another Node.js.
  console.error(nodeIsTooOld(process.env.npm_lifecycle_event ? '' : ', or start Tonearm with "npm start"'));
  process.exit(1);
}
