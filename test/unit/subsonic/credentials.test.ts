import { describe, expect, it } from 'vitest';
import { checkClient, credentialOf, decodePassword } from '../../../server/subsonic/credentials.ts';
import { Fault } from '../../../server/subsonic/errors.ts';
import { readParams } from '../../../server/subsonic/params.ts';

const findErrorCode = (parse: () => unknown): number | undefined => {
  try {
    parse();
    return undefined;
  } catch (error) {
    return error instanceof Fault ? error.code : Number.NaN;
  }
};
const parseParams = (query: string) => {
  const search = new URLSearchParams(query);
  return readParams(new Map([...search.keys()].map((name) => [name, search.getAll(name)])));
};
const credential = (query: string) => credentialOf(parseParams(query));

describe('credentials', () => {
  it.each<[string, number]>([
    ['', 10],
    ['u=ann', 10],
    ['p=sesame', 10],
    ['u=&p=sesame', 10],
    ['u[]=ann&p=sesame', 10],
    ['u=ann&t=26719a1196d2a940705a59634eb18eab', 10],
    ['u=ann&s=c19b2d', 10],
    ['u=ann&t=26719a1196d2a940705a59634eb18eab&p=sesame', 10],
    ['u=ann&t=&s=', 10],
    ['u=ann&t=a&s=b&p=c', 43],
    ['apiKey=k&u=ann', 43],
    ['apiKey=k&p=x', 43],
    ['apiKey=k&t=x', 43],
    ['apiKey=k&s=x', 43],
    ['apiKey=k&apiKey=l', 44],
    ['u=ann&u=bob&p=sesame', 40],
    ['u=ann&p=sesame&p=other', 40],
    ['u=ann&t=a&t=b&s=c', 40],
  ])('%s is rejected with %i', (query, code) => {
    expect(findErrorCode(() => credential(query))).toBe(code);
  });

  it.each([
    'u=ann&t=26719a1196d2a940705a59634eb18eab&s=c19b2d',
    'u=ann&t=26719A1196D2A940705A59634EB18EAB&s=c19b2d',
    'u=ann&t=26719a1196d2a940705a59634eb18eab&s=c19b2d&p=', // airsonic-refix sends this
    'u=ann&p=sesame',
    'u=ann&p=sesame&t=&s=',
    'u=ann&p=enc:736573616d65',
    'u=ann&p=enc:736573616D65',
    'u=ann&u=ann&p=sesame&p=sesame', // the parameters are in both query and form
  ])('%s verifies the password sesame and no other', (query) => {
    const credentials = credential(query);
    if (!('proves' in credentials)) throw new Error('an API key');
    expect([
      credentials.username,
      credentials.proves('sesame'),
      credentials.proves('sesam'),
      credentials.proves(''),
    ]).toEqual(['ann', true, false, false]);
  });

  it('accepts an API key with empty other parameters', () => {
    expect(credential('apiKey=key&u=&p=&t=&s=')).toEqual({ apiKey: 'key' });
  });

  it.each([
    ['enc:736573616d65', 'sesame'],
    ['enc:C3A4', 'ä'],
    ['enc:', 'enc:'],
    ['enc:7', 'enc:7'],
    ['enc:zz', 'enc:zz'],
    ['enc:73 73', 'enc:73 73'],
    ['sesame', 'sesame'],
  ])('reads the password %s as %s', (encoded, password) => {
    expect(decodePassword(encoded)).toBe(password);
  });
});

describe('the client', () => {
  it.each<[string, number | undefined]>([
    ['v=1.16.1&c=x', undefined],
    ['v=1.2.0&c=x', undefined],
    ['v=1&c=x', undefined],
    ['v=1.999.0&c=x', undefined],
    ['c=x', 10],
    ['v=1.16.1', 10],
    ['v=&c=x', 10],
    ['v=0.9.9&c=stmps', undefined],
    ['v=2.0.0&c=x', undefined],
    ['v=new&c=x', undefined],
  ])('%s gets %s', (query, code) => {
    expect(findErrorCode(() => checkClient(parseParams(query)))).toBe(code);
  });
});
