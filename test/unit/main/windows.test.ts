import { describe, expect, it } from 'vitest';
import { fake, session } from '../../fakes/electron.ts';
import { startAppWithWindow } from './running-app.ts';

const ELSEWHERE = [
  'https://example.org/',
  'http://example.org/',
  'http://127.0.0.1:4748/',
  'http://127.0.0.1:47470/',
  'http://127.0.0.1:4747@example.org/',
  'https://127.0.0.1:4747/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,hello',
  'blob:http://127.0.0.1:4747/0b3c',
  'about:blank',
];

describe('a page', () => {
  it('may go where it likes on its own server', async () => {
    const { window } = await startAppWithWindow();
    expect(window.webContents.navigate('http://127.0.0.1:4747/albums/7')).toBe(true);
    expect(window.webContents.redirect('http://127.0.0.1:4747/sign-in')).toBe(true);
    expect(window.webContents.open('http://127.0.0.1:4747/api/v1/docs')).toBe('allow');
  });

  it.each(ELSEWHERE)('cannot go to %s', async (url) => {
    const { window } = await startAppWithWindow();
    expect(window.webContents.navigate(url)).toBe(false);
    expect(window.webContents.navigate(url, { frame: { url: 'http://127.0.0.1:4747/frame' } })).toBe(false);
    expect(window.webContents.redirect(url)).toBe(false);
    expect(window.webContents.open(url)).toBe('deny');
    expect(window.webContents.getURL()).toBe('http://127.0.0.1:4747/');
  });

  it('opens https links in the browser of the system, and nothing else there', async () => {
    const { window } = await startAppWithWindow();
    for (const url of ELSEWHERE) window.webContents.open(url);
    window.webContents.navigate('https://musicbrainz.org/');
    window.webContents.navigate('https://example.org/ad', { frame: { url: 'http://127.0.0.1:4747/frame' } });
    expect(fake.openedOutside).toEqual(['https://example.org/', 'https://127.0.0.1:4747/', 'https://musicbrainz.org/']);
  });

  it('cannot embed a page of its own making', async () => {
    const { window } = await startAppWithWindow();
    expect(window.webContents.attachWebview()).toBe(false);
  });

  it('gets no permission and no device', async () => {
    await startAppWithWindow();
    const { requests, checks, devices } = session.defaultSession;
    const answers: boolean[] = [];
    for (const permission of ['media', 'geolocation', 'notifications', 'clipboard-read', 'unknown'] as const) {
      requests?.({} as never, permission, (granted) => answers.push(granted), {} as never);
      answers.push(checks?.(null, permission, 'http://127.0.0.1:4747', {} as never) ?? true);
    }
    answers.push(devices?.({} as never) ?? true);
    expect(new Set(answers)).toEqual(new Set([false]));
  });

  it('is isolated, sandboxed, without Node, and keeps the web’s own rules', async () => {
    const { window } = await startAppWithWindow();
    expect(window.options.webPreferences).toEqual({ preload: '/app/preload.cjs', contextIsolation: true, sandbox: true, nodeIntegration: false, webSecurity: true });
  });
});
