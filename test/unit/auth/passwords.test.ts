import { describe, expect, it } from 'vitest';
import { hashPassword, verifyPassword } from '../../../server/auth/passwords.ts';
import { createSetupToken } from '../../../server/auth/setup-token.ts';
import { usernameKey } from '../../../server/auth/username.ts';

describe('login passwords', () => {
  it('are stored as argon2id with 19 MiB, two passes, one lane', async () => {
    expect(await hashPassword('correct horse')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('are salted, so the same password has a different hash each time', async () => {
    expect(await hashPassword('same')).not.toBe(await hashPassword('same'));
  });

  it('match themselves and nothing else', async () => {
    const hash = await hashPassword('correct horse');
    expect(await verifyPassword(hash, 'correct horse')).toBe(true);
    expect(await verifyPassword(hash, 'Correct horse')).toBe(false);
    expect(await verifyPassword(hash, '')).toBe(false);
  });

  it('match in any Unicode form', async () => {
    const hash = await hashPassword('caf\u00e9');
    expect(await verifyPassword(hash, 'cafe\u0301')).toBe(true);
  });

  it('never match without a user', async () => {
    expect(await verifyPassword(undefined, '')).toBe(false);
    expect(await verifyPassword(undefined, 'tonearm: no such user')).toBe(false);
  });
});

describe('a setup token', () => {
  it('matches only itself, and is different at every start', () => {
    const [token, laterToken] = [createSetupToken(), createSetupToken()];
    expect(token.value).toMatch(/^[\w-]{32}$/);
    expect(token.matches(token.value)).toBe(true);
    expect(token.matches(laterToken.value)).toBe(false);
    expect(token.matches('')).toBe(false);
    expect(token.matches(`${token.value} `)).toBe(false);
  });
});

describe('user names', () => {
  it.each([
    ['Ann', 'ANN'],
    ['Ann', 'ａｎｎ'],
    ['ann', ' ann '],
    ['STRASSE', 'straße'],
    ['σας', 'ΣΑΣ'],
    ['caf\u00e9', 'CAFE\u0301'],
  ])('%j and %j are the same', (a, b) => {
    expect(usernameKey(a)).toBe(usernameKey(b));
  });

  it('differ if accents differ', () => {
    expect(usernameKey('bjork')).not.toBe(usernameKey('björk'));
  });
});
