// The product's own fingerprinter, outside of a server and of tests.
import { join } from 'node:path';
import { createLog } from '../../server/log/log.ts';
import { createFingerprinter } from '../../server/media/fingerprint.ts';
import { createToolFinder } from '../../server/media/tools.ts';
import { productPaths } from '../../server/paths.ts';

export function createRealFingerprinter() {
  const paths = productPaths(join(import.meta.dirname, '..', '..'), false);
  return createFingerprinter({
    findTool: createToolFinder({ binDir: paths.resources }),
    toolPath: () => undefined,
    workerUrl: paths.workers.fingerprint,
    wasmPath: paths.chromaprint,
    log: createLog('silent'),
  });
}
