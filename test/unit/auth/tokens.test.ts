import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTokens } from '../../../server/auth/tokens.ts';
import type { SessionId, UserId } from '../../../server/db/ids.ts';

const TOKEN_SECRET = 'a-secret-of-at-least-sixteen-characters';
const START_TIME = new Date('2026-01-01T00:00:00Z');
const ISSUED_AT_SECONDS = START_TIME.getTime() / 1_000;
const ANN_ID = 7 as UserId;
const SESSION_ID = 5 as SessionId;
const toClaims = (version: number, userId = ANN_ID) => ({ userId, sessionId: SESSION_ID, version });

const clockAt = (time: Date) => {
  const clock = { time };
  return {
    now: () => clock.time,
    wait: (seconds: number) => void (clock.time = new Date(clock.time.getTime() + seconds * 1_000)),
  };
};
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** Signs any header and payload, as an attacker would. */
const forge = (
  header: unknown,
  payload: unknown,
  secret: string | undefined = TOKEN_SECRET,
  hash = 'sha256',
): string => {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${secret === undefined ? '' : createHmac(hash, secret).update(text).digest('base64url')}`;
};
const HS256 = { alg: 'HS256', typ: 'JWT' };
const VALID_PAYLOAD = { sub: '7', iat: ISSUED_AT_SECONDS, exp: ISSUED_AT_SECONDS + 60, ver: 1, sid: 5 };

describe('access tokens', () => {
  it('identify their user, until they expire', () => {
    const clock = clockAt(START_TIME);
    const tokens = createTokens({ secret: TOKEN_SECRET, now: clock.now });
    const token = tokens.sign(toClaims(3), 60);
    expect(tokens.verify(token)).toEqual({
      userId: 7,
      sessionId: 5,
      version: 3,
      expiresAtMs: (ISSUED_AT_SECONDS + 60) * 1_000,
    });
    clock.wait(59);
    expect(tokens.verify(token)).toMatchObject({ userId: 7, version: 3 });
    clock.wait(1);
    expect(tokens.verify(token)).toBeUndefined();
    expect(createTokens({ secret: TOKEN_SECRET, now: clock.now }).verify(token), 'without the cache').toBeUndefined();
  });

  it('contain sub, iat, exp, ver and sid, and are signed with HS256', () => {
    const [header, payload] = createTokens({ secret: TOKEN_SECRET, now: () => START_TIME })
      .sign(toClaims(3), 60)
      .split('.')
      .slice(0, 2)
      .map((segment) => JSON.parse(Buffer.from(segment, 'base64url').toString()) as unknown);
    expect(header).toEqual(HS256);
    expect(payload).toEqual({ iat: ISSUED_AT_SECONDS, exp: ISSUED_AT_SECONDS + 60, ver: 3, sid: 5, sub: '7' });
  });

  it('are accepted when made elsewhere with the same secret', () => {
    expect(createTokens({ secret: TOKEN_SECRET, now: () => START_TIME }).verify(forge(HS256, VALID_PAYLOAD))).toEqual({
      userId: 7,
      sessionId: 5,
      version: 1,
      expiresAtMs: (ISSUED_AT_SECONDS + 60) * 1_000,
    });
  });

  it.each<[string, string]>([
    ['no signature and alg none', forge({ alg: 'none', typ: 'JWT' }, VALID_PAYLOAD, undefined)],
    ['alg None', forge({ alg: 'None' }, VALID_PAYLOAD, undefined)],
    ['alg none with a signature', forge({ alg: 'none' }, VALID_PAYLOAD)],
    ['another HMAC', forge({ alg: 'HS512', typ: 'JWT' }, VALID_PAYLOAD, TOKEN_SECRET, 'sha512')],
    ['an RSA algorithm', forge({ alg: 'RS256', typ: 'JWT' }, VALID_PAYLOAD)],
    ['no algorithm', forge({ typ: 'JWT' }, VALID_PAYLOAD)],
    ['another key', forge(HS256, VALID_PAYLOAD, 'another-secret-of-sixteen-characters')],
    ['an empty key', forge(HS256, VALID_PAYLOAD, '')],
    ['expired', forge(HS256, { ...VALID_PAYLOAD, exp: ISSUED_AT_SECONDS })],
    ['no expiry', forge(HS256, { ...VALID_PAYLOAD, exp: undefined })],
    ['a text as expiry', forge(HS256, { ...VALID_PAYLOAD, exp: 'never' })],
    ['no issue time', forge(HS256, { ...VALID_PAYLOAD, iat: undefined })],
    ['no user', forge(HS256, { ...VALID_PAYLOAD, sub: undefined })],
    ['user 0', forge(HS256, { ...VALID_PAYLOAD, sub: '0' })],
    ['a text as user', forge(HS256, { ...VALID_PAYLOAD, sub: '7 OR 1=1' })],
    ['a number as user', forge(HS256, { ...VALID_PAYLOAD, sub: 7 })],
    ['no version', forge(HS256, { ...VALID_PAYLOAD, ver: undefined })],
    ['a text as version', forge(HS256, { ...VALID_PAYLOAD, ver: '1' })],
    ['no session', forge(HS256, { ...VALID_PAYLOAD, sid: undefined })],
    ['a text as session', forge(HS256, { ...VALID_PAYLOAD, sid: '5' })],
    ['a text as payload', forge(HS256, 'hello')],
    ['not yet valid', forge(HS256, { ...VALID_PAYLOAD, nbf: ISSUED_AT_SECONDS + 30 })],
    ['nothing', ''],
    ['two dots', '..'],
    ['no dots', 'abc'],
    ['very long', forge(HS256, { ...VALID_PAYLOAD, more: 'x'.repeat(5_000) })],
  ])('with %s are rejected', (_, token) => {
    expect(createTokens({ secret: TOKEN_SECRET, now: () => START_TIME }).verify(token)).toBeUndefined();
  });

  it('with one changed character are rejected, also after the valid token was verified', () => {
    const tokens = createTokens({ secret: TOKEN_SECRET, now: () => START_TIME });
    const token = tokens.sign(toClaims(1), 60);
    expect(tokens.verify(token)?.userId).toBe(ANN_ID);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const changeSignature = (text: string) => `${text.slice(0, -2)}${text.at(-2) === 'A' ? 'B' : 'A'}${text.at(-1)}`;
    expect(tokens.verify([header, payload, changeSignature(signature)].join('.'))).toBeUndefined();
    expect(tokens.verify([header, changeSignature(payload), signature].join('.'))).toBeUndefined();
  });

  it('stay valid when more tokens are in use than the cache holds', () => {
    const tokens = createTokens({ secret: TOKEN_SECRET, now: () => START_TIME });
    const manyTokens = Array.from({ length: 1_100 }, (_, i) => tokens.sign(toClaims(1, (i + 1) as UserId), 60));
    for (let round = 0; round < 2; round++)
      expect(manyTokens.map((token) => tokens.verify(token)?.userId)).toEqual(manyTokens.map((_, i) => i + 1));
  });
});
