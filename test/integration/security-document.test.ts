// Checks docs/SECURITY.md against the code.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/product.ts';
import { startServer, type TestServer } from '../support/server.ts';

const document = readFileSync(join(root, 'docs', 'SECURITY.md'), 'utf8');

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

describe('the document', () => {
  const files = [
    ...document.matchAll(
      /`((?:main|server|test|renderer|resources|\.github)\/[\w./-]+|electron-builder\.yml|package\.json)`/g,
    ),
  ].map(([, file]) => file as string);
  /** Matches “titles” after a test file, up to the next file or the end of the list. */
  const titles = [...document.replaceAll(/\s+/g, ' ').matchAll(/`(test\/[\w./-]+)`((?:,? “[^”]+”)+)/g)].flatMap(
    ([, file = '', list = '']) =>
      [...list.matchAll(/“([^”]+)”/g)].map(([, title]): [string, string] => [file, title as string]),
  );

  test('names existing files', () => {
    expect(files.length).toBeGreaterThan(40);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test('names existing tests by their titles', () => {
    expect(titles.length).toBeGreaterThan(30);
    expect(titles.filter(([file, title]) => !readFileSync(join(root, file), 'utf8').includes(`'${title}`))).toEqual([]);
  });

  test('lists every item of the checklist, in order', () => {
    expect([...document.matchAll(/^\| (\d+) \|/gm)].map(([, n]) => Number(n))).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
  });

  test('lists all endpoints that need no token', () => {
    const documentedRoutes = [...document.matchAll(/^\| (GET|POST) `([^`]+)` \|/gm)].map(
      ([, method, path]) => `${method} ${path}`,
    );
    const open = Object.entries(server.app.openApi().paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(
          ([, { security }]) =>
            security.length === 0 || security.some((requirement) => Object.keys(requirement).length === 0),
        )
        .map(([method]) => `${method.toUpperCase()} ${path.replace('/api/v1', '')}`),
    );
    expect(new Set(documentedRoutes)).toEqual(new Set(open));
  });
});

test('no page may run or load what is not ours', async () => {
  for (const path of ['/', '/setup', '/api/v1/docs', '/nothing.here', '/rest/ping']) {
    const policy =
      (await fetch(server.url + path, { headers: { Accept: 'text/html' } })).headers.get('content-security-policy') ??
      '';
    const rules = new Map(policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]));
    expect([path, rules.get('default-src'), rules.get('base-uri'), rules.get('frame-ancestors')]).toEqual([
      path,
      ["'none'"],
      ["'none'"],
      ["'none'"],
    ]);
    for (const [rule, sources] of rules)
      for (const source of sources) expect(source, `${path} ${rule}`).toMatch(/^'(none|self|sha256-[\w+/=]{44})'$/);
  }
  expect(
    sourcesOf('renderer')
      .filter(([, text]) =>
        /dangerouslySetInnerHTML|\.innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(/.test(text),
      )
      .map(([file]) => file),
  ).toEqual([]);
});

test('no window gets a switch that Electron warns of', () => {
  const switches =
    /allowRunningInsecureContent|experimentalFeatures|enableBlinkFeatures|allowpopups|<webview|webviewTag|nodeIntegration(InWorker|InSubFrames)|nodeIntegration: true|contextIsolation: false|sandbox: false|webSecurity: false|no-sandbox|disable-web-security|@electron\/remote/;
  const filesWithSwitches = [...sourcesOf('main'), ...sourcesOf('renderer')].filter(([, text]) => switches.test(text));
  expect(filesWithSwitches.map(([file]) => file)).toEqual([]);
});

const sourcesOf = (folder: string): [string, string][] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|html)$/.test(file))
    .map((file) => [join(folder, file), readFileSync(join(root, folder, file), 'utf8')]);
