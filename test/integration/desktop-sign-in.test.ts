// The desktop app's window signs in as the owner with a ticket that only the app can request.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PassThrough } from 'node:stream';
import { createLog } from '../../server/log/log.ts';
import { startServer } from '../support/server.ts';
import { startAuthServer, type AuthServer } from './auth-server.ts';

let server: AuthServer;
beforeEach(async () => void (server = await startAuthServer()));
afterEach(() => server.close());

const signInWithTicket = (ticket: string, headers = {}) => server.call('/auth/desktop', { json: { ticket }, headers });
const usernameOf = ({ body }: { body: Record<string, unknown> }) =>
  (body['user'] as { username: string } | undefined)?.username;

describe('a ticket', () => {
  beforeEach(() => server.setUp());

  it('signs in as the owner, once', async () => {
    const ticket = server.auth.issueDesktopTicket();
    const response = await signInWithTicket(ticket);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ token_type: 'bearer', user: { username: 'Owner', is_superuser: true } });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect((await server.call('/users/me', { token: response.body['access_token'] as string })).status).toBe(200);
    expect((await signInWithTicket(ticket)).status).toBe(403);
  });

  it('works once for two requests at once', async () => {
    const ticket = server.auth.issueDesktopTicket();
    const answers = await Promise.all([signInWithTicket(ticket), signInWithTicket(ticket), signInWithTicket(ticket)]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 403, 403]);
  });

  it('expires after half a minute', async () => {
    const ticket = server.auth.issueDesktopTicket();
    server.wait(30_000);
    expect((await signInWithTicket(ticket)).status).toBe(403);
  });

  it('cannot be guessed or empty, and guessing from elsewhere is limited', async () => {
    const forwardedHeaders = { 'X-Forwarded-For': '203.0.113.9' };
    expect((await signInWithTicket(server.auth.issueDesktopTicket(), forwardedHeaders)).status).toBe(403);
    expect((await server.call('/auth/desktop', { json: {} })).status).toBe(422);
    expect((await server.call('/auth/desktop', { json: { ticket: 'x'.repeat(300) } })).status).toBe(422);
    for (const ticket of Array.from({ length: 29 }, (_, i) => (i === 0 ? '' : `guess ${i}`)))
      expect((await signInWithTicket(ticket, forwardedHeaders)).status).toBe(403);
    expect((await signInWithTicket(server.auth.issueDesktopTicket(), forwardedHeaders)).status).toBe(429);
  });

  it('does not work from another machine, and stays valid for this one', async () => {
    const ticket = server.auth.issueDesktopTicket();
    await expect(
      server.auth.signInDesktop({ ticket, from: '192.168.1.9', client: undefined, isFromOwnMachine: false }),
    ).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect((await signInWithTicket(ticket)).status).toBe(200);
  });

  it('stays valid when a few windows start together, but expires when many more are issued', async () => {
    const tickets = Array.from({ length: 17 }, () => server.auth.issueDesktopTicket());
    expect((await signInWithTicket(tickets[0] ?? '')).status).toBe(403);
    expect((await signInWithTicket(tickets[1] ?? '')).status).toBe(200);
    expect((await signInWithTicket(tickets[16] ?? '')).status).toBe(200);
  });

  it('signs in the next superuser when the first account is deleted', async () => {
    const { id } = await server.signUp('second');
    await server.auth.accounts.update(id as never, { isSuperuser: true });
    expect(usernameOf(await signInWithTicket(server.auth.issueDesktopTicket()))).toBe('Owner');
    const owner = server.auth.accounts.findByName('owner');
    server.auth.accounts.delete(owner?.id as never);
    expect(usernameOf(await signInWithTicket(server.auth.issueDesktopTicket()))).toBe('second');
  });
});

it('a server without accounts accepts no ticket', async () => {
  const response = await signInWithTicket(server.auth.issueDesktopTicket());
  expect(response.status).toBe(409);
  expect(response.body['detail']).toContain('not set up');
});

it('a ticket never reaches the log, and a page of another site cannot use one', async () => {
  const lines: string[] = [];
  const destination = new PassThrough().on('data', (chunk: Buffer) => void lines.push(chunk.toString()));
  const fullServer = await startServer({ log: createLog('trace', destination) });
  try {
    const ticket = fullServer.app.auth.issueDesktopTicket();
    const foreignResponse = await fullServer.api('/auth/desktop', {
      method: 'POST',
      token: null,
      body: { ticket },
      headers: { Origin: 'https://example.org' },
    });
    expect(foreignResponse.status).toBe(403);
    const ownResponse = await fullServer.api<{ access_token: string }>('/auth/desktop', {
      method: 'POST',
      token: null,
      body: { ticket },
    });
    expect(ownResponse.status).toBe(200);
    expect(lines.join('')).toContain('/api/v1/auth/desktop');
    expect(lines.join('')).not.toContain(ticket);
    expect(lines.join('')).not.toContain(ownResponse.body.access_token);
  } finally {
    await fullServer.close();
  }
});
