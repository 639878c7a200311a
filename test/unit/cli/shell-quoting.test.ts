import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { quotedForShell } from '../../../server/cli/shell-quoting.ts';

test
  .skipIf(process.platform === 'win32')
  .each(['ann', 'two words', 'a$(touch /tmp/x)`id`', `it's "quoted"; rm -rf ~ & \\`, '*?[!]{a,b}~#', '-n'])(
  '%s is one word for a shell, as it is',
  (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${quotedForShell(text)}`], { encoding: 'utf8' })).toBe(text);
  },
);

test('control characters are not printed', () => {
  expect(quotedForShell('a\n\u001b[31m\u009b\u202eb')).toBe("'a??[31m??b'");
  expect(quotedForShell('/data/tonearm-1')).toBe('/data/tonearm-1');
});
