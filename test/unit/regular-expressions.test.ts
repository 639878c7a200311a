// No regular expression of the product takes more than linear time on untrusted input. recheck checks each of them,
// which takes up to seconds: verdicts are kept in test/fixtures/safe-expressions.json by the text of the expression,
// and `npm test -- regular-expressions -u` writes them again.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSync } from 'recheck';
import { parseSync, Visitor } from 'rolldown/utils';
import { expect, test } from 'vitest';
import { root } from '../support/product.ts';

const VERDICTS_FILE = join(root, 'test', 'fixtures', 'safe-expressions.json');
const CHECK_LIMIT_MS = 20_000;

/** Expressions that recheck does not find safe, with the reason why they are safe. */
const SAFE_BECAUSE: Record<string, string> = {
  [String.raw`/[[\p{M}&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Cyrillic}]]--[\u3099\u309a]]+/gv`]:
    'it is one class of characters, repeated; recheck does not know the flag v',
  '/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi': 'it reads 36 characters at most from each start',
};

/** Returns the literals by their text, each with a file that contains it. The linter refuses `new RegExp(…)`. */
function findExpressions(): Map<string, string> {
  const folders = ['server', 'main', 'renderer'].flatMap((folder) => [`${folder}/*.ts`, `${folder}/*.tsx`]);
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', ...folders], {
    cwd: root,
    encoding: 'utf8',
  });
  const literals = new Map<string, string>();
  for (const file of stdout.split('\n').filter(Boolean)) {
    const { program } = parseSync(file, readFileSync(join(root, file), 'utf8'));
    new Visitor({
      Literal(node) {
        if ('regex' in node) literals.set(`/${node.regex.pattern}/${node.regex.flags}`, file);
      },
    }).visit(program);
  }
  return literals;
}

function isSafe(expression: string): boolean {
  const [, pattern = '', flags = ''] = /^\/(.*)\/(\w*)$/s.exec(expression) ?? [];
  return checkSync(pattern, flags, { timeout: CHECK_LIMIT_MS }).status === 'safe';
}

const literals = findExpressions();

test('every regular expression takes linear time', async () => {
  expect(literals.size).toBeGreaterThan(300);
  const safeExpressions = new Set(JSON.parse(readFileSync(VERDICTS_FILE, 'utf8')) as string[]);
  const unsafeExpressions = [...literals].filter(
    ([expression]) => !(expression in SAFE_BECAUSE) && !safeExpressions.has(expression) && !isSafe(expression),
  );
  expect(unsafeExpressions.map(([expression, file]) => `${file}: ${expression}`)).toEqual([]);
  const checkedExpressions = [...literals.keys()].filter((expression) => !(expression in SAFE_BECAUSE)).toSorted();
  await expect(`${JSON.stringify(checkedExpressions, null, 2)}\n`).toMatchFileSnapshot(VERDICTS_FILE);
});

test('a reason is given only for expressions that exist', () => {
  expect(Object.keys(SAFE_BECAUSE).filter((expression) => !literals.has(expression))).toEqual([]);
});

test('quadratic and exponential expressions are recognized', () => {
  expect(['/\\beyJ[\\w-]{5,}\\.[\\w-]{5,}\\.[\\w-]*/g', '/^(a+)+$/', '/\\s+$/'].filter(isSafe)).toEqual([]);
});
