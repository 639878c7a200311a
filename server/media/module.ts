import { join } from 'node:path';
import type { Base, Module } from '../module.ts';
import { createFingerprinter } from './fingerprint.ts';
import { createToolFinder } from './tools.ts';

export type MediaOffer = ReturnType<typeof mediaModule>['offers'];

export function mediaModule({ paths, log, settings }: Base) {
  const findTool = createToolFinder({ binDir: join(paths.resources, 'bin') });
  const fingerprinter = createFingerprinter({
    findTool,
    toolPath: (name) => settings.get(name === 'fpcalc' ? 'FPCALC_PATH' : 'FFMPEG_PATH'),
    workerUrl: paths.workers.fingerprint,
    wasmPath: paths.chromaprint,
    log,
  });
  return { offers: { findTool, fingerprinter }, close: fingerprinter.close } satisfies Module;
}
