// The oldest Node.js that Tonearm runs on; `engines` in package.json and scripts/run name it too. Plain JavaScript that an
// old Node.js can read.
const OLDEST = [24, 2];

const [major, minor] = process.versions.node.split('.').map(Number);

export const isNodeNewEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);

/** @param {string} other Another remedy, as the end of the sentence. */
export const nodeIsTooOld = (other) =>
  `Tonearm needs Node.js ${OLDEST.join('.')} or newer, and this is ${process.versions.node}: install it from https://nodejs.org${other}.`;
