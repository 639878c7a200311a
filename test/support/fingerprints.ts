// The real fingerprinter with only some of the programs that a machine may have.
import { createFingerprinter, type Fingerprinter, type FingerprinterDeps } from '../../server/media/fingerprint.ts';
import { createToolFinder } from '../../server/media/tools.ts';
import { productPaths } from '../../server/paths.ts';
import { quiet, root } from './server.ts';

const paths = productPaths(root, false);
const findTool = createToolFinder({ binDir: paths.resources });

/** Finds only these programs. */
export const fingerprinterWith = (programs: readonly string[], more: Partial<FingerprinterDeps> = {}): Fingerprinter =>
  createFingerprinter({
    findTool: (name, path) => (programs.includes(name) ? findTool(name, path) : Promise.resolve(undefined)),
    toolPath: () => undefined,
    workerUrl: paths.workers.fingerprint,
    wasmPath: paths.chromaprint,
    log: quiet,
    ...more,
  });

export const never = new AbortController().signal;
