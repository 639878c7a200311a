// `npm run lint` reports every problem, and fails if there is one.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { root } from '../support/product.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-lint-'));
  writeFileSync(join(dir, 'tsconfig.json'), '{}\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it.each([
  ['formatting and lint', 'debugger\n', { format: true, lint: true }],
  ['formatting alone', 'export const one  =  1;\n', { format: true, lint: false }],
  ['lint alone', 'debugger;\n', { format: false, lint: true }],
  ['nothing', 'export const one = 1;\n', { format: false, lint: false }],
])('%s', (_title, text, { format, lint }) => {
  writeFileSync(join(dir, 'code.ts'), text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'lint.ts')], {
    cwd: dir,
    encoding: 'utf8',
    env: { ...process.env, PATH: join(root, 'node_modules', '.bin') + delimiter + process.env['PATH'] },
  });
  const output = stdout + stderr;
  expect({ format: output.includes('Format issues'), lint: output.includes('no-debugger') }).toEqual({ format, lint });
  expect(status).toBe(format || lint ? 1 : 0);
});
