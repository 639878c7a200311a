import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageLines } from '../../scripts/notices.ts';
import { shippedPackages } from '../../scripts/shipped-packages.ts';
import { root } from '../support/product.ts';

test('the notices name every package that is shipped, in its version, and no other (npm run notices)', async () => {
  const notices = readFileSync(join(root, 'resources', 'NOTICES.md'), 'utf8');
  const [, table] = notices.split('| package | version | licence |\n|---|---|---|\n');
  const shippedNames = await shippedPackages();
  expect(shippedNames.filter(({ licence }) => licence === 'not said')).toEqual([]);
  expect(table?.split('\n\n')[0]?.split('\n')).toEqual(packageLines(shippedNames));
});
