// A Subsonic client for tests, which calls /rest with an app password in any format, and parses the envelope.
import { createHash } from 'node:crypto';

interface PhoneAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The envelope of a JSON response. */
  body: Record<string, unknown> & { status: string; error?: { code: number; message: string } };
}

export type PhoneParams = Record<string, string | number | boolean | readonly (string | number)[] | undefined>;

export interface Phone {
  username: string;
  password: string;
  /** Credentials and client name. */
  credentials(): Record<string, string>;
  address(endpoint: string, params?: PhoneParams): string;
  get(endpoint: string, params?: PhoneParams): Promise<PhoneAnswer>;
  post(endpoint: string, params?: PhoneParams): Promise<PhoneAnswer>;
  xml(endpoint: string, params?: PhoneParams): Promise<string>;
  /** Fails the test unless the response is ok; returns the payload under `key`. */
  ask<T = Record<string, unknown>>(endpoint: string, params: PhoneParams, key: string): Promise<T>;
  bytes(endpoint: string, params?: PhoneParams, init?: RequestInit): Promise<Response>;
}

/** Settings without internet services. */
export const OFFLINE = { FPID_ENABLED: 'false', MUSICBRAINZ_ENABLED: 'false', COVERART_ENABLED: 'false' };

export const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

export interface PhoneOptions {
  token?: string;
  client?: string;
  version?: string;
  form?: 'token' | 'clear' | 'hex' | 'apiKey';
  suffix?: '' | '.view';
}

/** The part of a test server from which a phone gets its app password. */
interface Reached {
  url: string;
  api: <T>(path: string, init?: { token?: string }) => Promise<{ body: T }>;
}

export async function openPhone(
  server: Reached,
  { token, client = 'test', version = '1.16.1', form = 'token', suffix = '.view' }: PhoneOptions = {},
): Promise<Phone> {
  const { body } = await server.api<{ username: string; password: string }>(
    '/users/me/subsonic-password',
    token === undefined ? {} : { token },
  );
  const { username, password } = body;

  const credentials = (): Record<string, string> => {
    const commonParams = { v: version, c: client };
    if (form === 'apiKey') return { apiKey: password, ...commonParams };
    if (form === 'clear') return { u: username, p: password, ...commonParams };
    if (form === 'hex') return { u: username, p: `enc:${Buffer.from(password).toString('hex')}`, ...commonParams };
    return { u: username, s: 'c19b2d', t: md5(`${password}c19b2d`), ...commonParams };
  };
  const query = (params: PhoneParams): URLSearchParams => {
    const search = new URLSearchParams(credentials());
    for (const [name, value] of Object.entries(params))
      for (const singleValue of Array.isArray(value) ? value : [value])
        if (singleValue !== undefined) search.append(name, String(singleValue));
    return search;
  };
  const address = (endpoint: string, params: PhoneParams = {}): string =>
    `${server.url}/rest/${endpoint}${suffix}?${query(params).toString()}`;
  const readAnswer = async (response: Response): Promise<PhoneAnswer> => {
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson
        ? (JSON.parse(text) as { 'subsonic-response': unknown })['subsonic-response']
        : {}) as PhoneAnswer['body'],
    };
  };
  const get = async (endpoint: string, params: PhoneParams = {}): Promise<PhoneAnswer> =>
    readAnswer(await fetch(address(endpoint, { f: 'json', ...params })));

  return {
    username,
    password,
    credentials,
    address,
    get,
    post: async (endpoint, params = {}) =>
      readAnswer(
        await fetch(`${server.url}/rest/${endpoint}${suffix}`, {
          method: 'POST',
          body: query({ f: 'json', ...params }),
        }),
      ),
    xml: async (endpoint, params = {}) => (await fetch(address(endpoint, params))).text(),
    async ask<T>(endpoint: string, params: PhoneParams, key: string): Promise<T> {
      const { body, text } = await get(endpoint, params);
      if (body.status !== 'ok') throw new Error(`${endpoint}: ${text.slice(0, 300)}`);
      return body[key] as T;
    },
    bytes: (endpoint, params = {}, init = {}) => fetch(address(endpoint, params), init),
  };
}
