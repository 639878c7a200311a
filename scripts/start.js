// Builds what is out of date, and runs the server or one of its commands. What a person can mend is said in one sentence.
import './check-node.js';
import { buildStaleParts } from './first-build.js';

const problem = buildStaleParts(['server', 'renderer']);
if (problem) end(problem);
try {
  await import('../dist/server/main.js');
} catch (error) {
  const [, name] = /Cannot find (?:package|module) '([^']+)'/.exec(error.message) ?? [];
  if (!name) throw error;
  end(`The package ${name} is missing: run "npm ci" in the folder of Tonearm.`);
}

/** @param {string} sentence */
function end(sentence) {
  console.error(`tonearm: ${sentence}`);
  process.exit(1);
}
