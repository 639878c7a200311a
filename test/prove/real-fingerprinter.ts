// The product's own fingerprinter, without a server.
import { createLog } from '../../server/log/log.ts';
import { createFingerprinter } from '../../server/media/fingerprint.ts';
import { createToolFinder } from '../../server/media/tools.ts';
import { paths } from '../support/product.ts';

export function createRealFingerprinter() {
  return createFingerprinter({
    findTool: createToolFinder({ binDir: paths.resources }),
    toolPath: () => undefined,
    workerUrl: paths.workers.fingerprint,
    wasmPath: paths.chromaprint,
    log: createLog('silent'),
  });
}
