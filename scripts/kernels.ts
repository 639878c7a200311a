// Compiles server/dsp/kernels.wat into server/dsp/kernels-wasm.ts, so that neither the build nor the server needs a
// compiler or another file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import loadWabt from 'wabt';

const folder = join(import.meta.dirname, '..', 'server', 'dsp');

/** Returns the compiled kernels as lines of base64. */
export async function compiledKernels(): Promise<string[]> {
  const wabt = await loadWabt();
  const module = wabt.parseWat('kernels.wat', readFileSync(join(folder, 'kernels.wat'), 'utf8'), { simd: true });
  const { buffer } = module.toBinary({});
  return (
    Buffer.from(buffer)
      .toString('base64')
      .match(/.{1,110}/g) ?? []
  );
}

if (import.meta.main) {
  const lines = (await compiledKernels()).map((line) => `  '${line}',`);
  writeFileSync(
    join(folder, 'kernels-wasm.ts'),
    `// Written by \`npm run kernels\` from kernels.wat.\n\nexport const KERNELS = [\n${lines.join('\n')}\n].join('');\n`,
  );
}
