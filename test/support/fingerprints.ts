// The real fingerprinter with only some of the programs that a machine may have.
import { createFingerprinter, type Fingerprinter, type FingerprinterDeps } from '../../server/media/fingerprint.ts';
import { createToolFinder } from '../../server/media/tools.ts';
import { paths } from './product.ts';
import { quiet } from './server.ts';

const findTool = createToolFinder({ binDir: paths.resources });

/** Creates a fingerprinter that finds only these programs. */
export const fingerprinterWith = (programs: readonly string[], deps: Partial<FingerprinterDeps> = {}): Fingerprinter =>
  createFingerprinter({
    findTool: (name, path) => (programs.includes(name) ? findTool(name, path) : Promise.resolve(undefined)),
    toolPath: () => undefined,
    workerUrl: paths.workers.fingerprint,
    wasmPath: paths.chromaprint,
    log: quiet,
    ...deps,
  });

export const neverAborted = new AbortController().signal;
