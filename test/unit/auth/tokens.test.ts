import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTokens } from '../../../server/auth/tokens.ts';
import type { SessionId, UserId } from '../../../server/db/ids.ts';

const SECRET = 'a-secret-of-at-least-sixteen-characters';
const START = new Date('2026-01-01T00:00:00Z');
const IAT = START.getTime() / 1_000;
const ANN = 7 as UserId;
const SESSION = 5 as SessionId;
const ofVersion = (version: number, userId = ANN) => ({ userId, sessionId: SESSION, version });

const clockAt = (time: Date) => {
  const clock = { time };
  return {
    now: () => clock.time,
    wait: (seconds: number) => void (clock.time = new Date(clock.time.getTime() + seconds * 1_000)),
  };
};
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** A forged token. */
const forge = (header: unknown, payload: unknown, secret: string | undefined = SECRET, hash = 'sha256'): string => {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${secret === undefined ? '' : createHmac(hash, secret).update(text).digest('base64url')}`;
};
const HS256 = { alg: 'HS256', typ: 'JWT' };
const GOOD = { sub: '7', iat: IAT, exp: IAT + 60, ver: 1, sid: 5 };

describe('access tokens', () => {
  it('identify their user, until they expire', () => {
    const clock = clockAt(START);
    const tokens = createTokens({ secret: SECRET, now: clock.now });
    const token = tokens.sign(ofVersion(3), 60);
    expect(tokens.verify(token)).toEqual({ userId: 7, sessionId: 5, version: 3, expiresAtMs: (IAT + 60) * 1_000 });
    clock.wait(59);
    expect(tokens.verify(token)).toMatchObject({ userId: 7, version: 3 });
    clock.wait(1);
    expect(tokens.verify(token)).toBeUndefined();
    expect(createTokens({ secret: SECRET, now: clock.now }).verify(token), 'without the cache').toBeUndefined();
  });

  it('contain sub, iat, exp, ver and sid, and are signed with HS256', () => {
    const [header, payload] = createTokens({ secret: SECRET, now: () => START })
      .sign(ofVersion(3), 60)
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown);
    expect(header).toEqual(HS256);
    expect(payload).toEqual({ iat: IAT, exp: IAT + 60, ver: 3, sid: 5, sub: '7' });
  });

  it('are accepted when made elsewhere with the same secret', () => {
    expect(createTokens({ secret: SECRET, now: () => START }).verify(forge(HS256, GOOD))).toEqual({
      userId: 7,
      sessionId: 5,
      version: 1,
      expiresAtMs: (IAT + 60) * 1_000,
    });
  });

  it.each<[string, string]>([
    ['no signature and alg none', forge({ alg: 'none', typ: 'JWT' }, GOOD, undefined)],
    ['alg None', forge({ alg: 'None' }, GOOD, undefined)],
    ['alg none with a signature', forge({ alg: 'none' }, GOOD)],
    ['another HMAC', forge({ alg: 'HS512', typ: 'JWT' }, GOOD, SECRET, 'sha512')],
    ['an RSA algorithm', forge({ alg: 'RS256', typ: 'JWT' }, GOOD)],
    ['no algorithm', forge({ typ: 'JWT' }, GOOD)],
    ['another key', forge(HS256, GOOD, 'another-secret-of-sixteen-characters')],
    ['an empty key', forge(HS256, GOOD, '')],
    ['expired', forge(HS256, { ...GOOD, exp: IAT })],
    ['no expiry', forge(HS256, { ...GOOD, exp: undefined })],
    ['a text as expiry', forge(HS256, { ...GOOD, exp: 'never' })],
    ['no issue time', forge(HS256, { ...GOOD, iat: undefined })],
    ['no user', forge(HS256, { ...GOOD, sub: undefined })],
    ['user 0', forge(HS256, { ...GOOD, sub: '0' })],
    ['a text as user', forge(HS256, { ...GOOD, sub: '7 OR 1=1' })],
    ['a number as user', forge(HS256, { ...GOOD, sub: 7 })],
    ['no version', forge(HS256, { ...GOOD, ver: undefined })],
    ['a text as version', forge(HS256, { ...GOOD, ver: '1' })],
    ['no session', forge(HS256, { ...GOOD, sid: undefined })],
    ['a text as session', forge(HS256, { ...GOOD, sid: '5' })],
    ['a text as payload', forge(HS256, 'hello')],
    ['not yet valid', forge(HS256, { ...GOOD, nbf: IAT + 30 })],
    ['nothing', ''],
    ['two dots', '..'],
    ['no dots', 'abc'],
    ['very long', forge(HS256, { ...GOOD, more: 'x'.repeat(5_000) })],
  ])('with %s are rejected', (_, token) => {
    expect(createTokens({ secret: SECRET, now: () => START }).verify(token)).toBeUndefined();
  });

  it('with one changed character are rejected, also after the valid one was seen', () => {
    const tokens = createTokens({ secret: SECRET, now: () => START });
    const token = tokens.sign(ofVersion(1), 60);
    expect(tokens.verify(token)?.userId).toBe(ANN);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const other = (text: string) => `${text.slice(0, -2)}${text.at(-2) === 'A' ? 'B' : 'A'}${text.at(-1)}`;
    expect(tokens.verify([header, payload, other(signature)].join('.'))).toBeUndefined();
    expect(tokens.verify([header, other(payload), signature].join('.'))).toBeUndefined();
  });

  it('stay valid when more are in use than are cached', () => {
    const tokens = createTokens({ secret: SECRET, now: () => START });
    const all = Array.from({ length: 1_100 }, (_, i) => tokens.sign(ofVersion(1, (i + 1) as UserId), 60));
    for (let round = 0; round < 2; round++)
      expect(all.map((token) => tokens.verify(token)?.userId)).toEqual(all.map((_, i) => i + 1));
  });
});
