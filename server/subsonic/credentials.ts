// Reads the credentials of a call. Pure functions; auth/ verifies the credentials.
import { hash, timingSafeEqual } from 'node:crypto';
import type { AppCredential } from '../auth/app-sign-in.ts';
import { Fault, missingParameter } from './errors.ts';
import type { Params } from './params.ts';

const conflictFault = (): Fault =>
  new Fault(43, 'Send either only an API key, or a username with one kind of password.');
export const wrongCredentials = (): Fault =>
  new Fault(
    40,
    'Wrong username or password. Use the app password that Tonearm shows in its settings, not the one for signing in.',
  );
export const wrongApiKey = (): Fault => new Fault(44, 'The API key is not valid.');

/**
 * Returns the credentials of a call. Throws the protocol's errors 10 (missing parameter) and 43 (conflicting
 * credentials), and 40 or 44 for a parameter that is repeated with different values.
 */
export function credentialOf(params: Params): AppCredential {
  const apiKeys = distinct(params, 'apiKey');
  const [users, passwords, tokens, salts] = [
    distinct(params, 'u'),
    distinct(params, 'p'),
    distinct(params, 't'),
    distinct(params, 's'),
  ];
  const userValues = [users, passwords, tokens, salts];
  if (apiKeys.length > 0) {
    if (userValues.some((values) => values.length > 0)) throw conflictFault();
    if (apiKeys.length > 1) throw wrongApiKey();
    return { apiKey: apiKeys[0] as string };
  }
  if (userValues.some((values) => values.length > 1)) throw wrongCredentials();
  const [username, password, token, salt] = userValues.map((values) => values[0]);
  if (username === undefined) throw missingParameter('u');
  if (token !== undefined && salt !== undefined) {
    if (password !== undefined) throw conflictFault();
    return { username, proves: (secret) => isEqual(token.toLowerCase(), md5(secret + salt)) };
  }
  if (token !== undefined) throw missingParameter('s');
  if (salt !== undefined) throw missingParameter('t');
  if (password === undefined) throw missingParameter('p (or t and s)');
  const plainPassword = decodePassword(password);
  return { username, proves: (secret) => isEqual(plainPassword, secret) };
}

const distinct = (params: Params, name: string): string[] => [...new Set(params.all(name))];

/** Decodes `enc:` with hexadecimal digits; other texts are the password itself. */
export function decodePassword(password: string): string {
  const hex = /^enc:((?:[0-9a-f]{2})+)$/i.exec(password)?.[1];
  return hex === undefined ? password : Buffer.from(hex, 'hex').toString('utf8');
}

const md5 = (text: string): string => hash('md5', text, 'hex');

/** Compares two texts in constant time. */
function isEqual(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}

/**
 * Returns the client's name. Throws 10 without `v` or `c`. Every version is taken, because some clients send their own
 * instead of the protocol's, and no response depends on it.
 */
export function checkClient(params: Params): string {
  params.required('v');
  return params.required('c');
}
