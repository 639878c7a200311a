// Tests the order in which modules are started and closed, and what they contribute to the app.
import { expect, it } from 'vitest';
import { createModules, type Module } from '../../server/module.ts';
import { route } from '../../server/http/route.ts';

const routeAt = (path: string) => route({ method: 'get', path, access: 'public', summary: path }, () => undefined);

it('modules are resumed and started in order; all are stopped, and then closed, in reverse', async () => {
  const calls: string[] = [];
  const moduleCalled = (name: string): Module<string> => ({
    offers: name,
    resume: () => void calls.push(`resume ${name}`),
    start: () => void calls.push(`start ${name}`),
    async stop() {
      await Promise.resolve();
      calls.push(`stop ${name}`);
    },
    close: () => void calls.push(`close ${name}`),
  });
  const modules = createModules();
  expect(modules.add(moduleCalled('a'))).toBe('a');
  modules.add({ offers: undefined });
  modules.add(moduleCalled('b'));
  modules.resume();
  modules.start();
  await modules.close();
  expect(calls).toEqual(['resume a', 'resume b', 'start a', 'start b', 'stop b', 'stop a', 'close b', 'close a']);
});

it('routes of all modules are served, below /api/v1 and at the root', () => {
  const modules = createModules();
  modules.add({ offers: undefined, routes: [routeAt('/a')], rootRoutes: [routeAt('/r')] });
  modules.add({ offers: undefined, routes: [routeAt('/b')] });
  expect(modules.routes().map(({ spec }) => spec.path)).toEqual(['/a', '/b']);
  expect(modules.rootRoutes().map(({ spec }) => spec.path)).toEqual(['/r']);
});
