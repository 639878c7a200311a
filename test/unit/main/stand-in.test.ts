// The tests of main/ run with a fake Electron (test/fakes/electron.ts). Here main/ is compiled against the members of
// the fake, with the types that Electron declares: a use of a missing member is a compile error.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
/** The folder is inside the project, so that the compiler finds the packages. */
const folder = join(root, 'node_modules', '.cache', `stand-in-${process.pid}`);
const projectPath = '../../../../';

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the compiler's errors about main/ with one more file. */
function compile(extraCode: string): string[] {
  const mainFolder = join(folder, 'main');
  mkdirSync(mainFolder, { recursive: true });
  const files = readdirSync(join(root, 'main')).filter((name) => name.endsWith('.ts'));
  for (const name of files)
    writeFileSync(join(mainFolder, name), adaptImports(readFileSync(join(root, 'main', name), 'utf8')));
  writeFileSync(join(mainFolder, 'added.ts'), adaptImports(extraCode));
  const languages = join(root, 'resources/languages/*.d.ts');
  writeFileSync(
    join(mainFolder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'main', 'tsconfig.json'),
      compilerOptions: { noEmit: true, incremental: false, tsBuildInfoFile: null, noUnusedLocals: false },
      include: ['.', languages],
    }),
  );
  const { stdout } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', mainFolder], {
    encoding: 'utf8',
  });
  return stdout.split('\n').filter((line) => /^\S.*error TS/.test(line));
}

const adaptImports = (text: string): string =>
  text
    .replaceAll(/from '\.\.\//g, `from '${projectPath}`)
    .replaceAll(/from 'electron'/g, `from '${projectPath}test/fakes/electron-types.ts'`);

it('main/ uses nothing of Electron that the stand-in lacks', () => {
  const uses = `
    import { app, BrowserWindow } from 'electron';
    app.getFileIcon('x');
    new BrowserWindow().flashFrame(true);
  `;
  const errors = compile(uses);
  expect(errors.filter((line) => !line.includes('added.ts'))).toEqual([]);
  expect(errors).toEqual([expect.stringContaining('getFileIcon'), expect.stringContaining('flashFrame')]);
});
