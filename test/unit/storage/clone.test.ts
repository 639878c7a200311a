import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createCloner } from '../../../server/storage/clone.ts';

const fault = (code: string) => Object.assign(new Error(code), { code });

it.each(['ENOTSUP', 'EXDEV', 'EINVAL', 'ENOSYS', 'ENOTTY', 'EPERM'])(
  'tries a device that cannot clone (%s) only once, and others still',
  (code) => {
    const requestedFiles: string[] = [];
    const cloner = createCloner((source) => {
      requestedFiles.push(String(source));
      if (String(source).startsWith('/old/')) throw fault(code);
    });
    expect(['/old/a', '/old/b'].map((path) => cloner.clone(path, 1, '/to'))).toEqual([false, false]);
    expect(cloner.clone('/new/c', 2, '/to')).toBe(true);
    expect(requestedFiles).toEqual(['/old/a', '/new/c']);
  },
);

it.each(['ENOSPC', 'EIO', 'EACCES'])('throws errors of the disk or the file (%s), and tries the next file', (code) => {
  let faults = 1;
  const cloner = createCloner(() => {
    if (faults-- > 0) throw fault(code);
  });
  expect(() => cloner.clone('/a', 1, '/to')).toThrow(code);
  expect(cloner.clone('/b', 1, '/to')).toBe(true);
});

it('leaves nothing behind if this file system cannot clone, and a complete copy if it can', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-clone-'));
  writeFileSync(join(dir, 'a'), 'sound');
  const isCloned = createCloner().clone(join(dir, 'a'), 1, join(dir, 'b'));
  expect(readdirSync(dir)).toEqual(isCloned ? ['a', 'b'] : ['a']);
  rmSync(dir, { recursive: true });
});
