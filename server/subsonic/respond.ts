// Sends responses as XML, JSON or JSONP with the same fields, always with status 200 unless a fault has another status.
import type { ServerResponse } from 'node:http';
import { jsonText, sendText } from '../http/streamed-lists.ts';
import type { Fault } from './errors.ts';
import { xmlText, type Fields } from './xml.ts';

/** The payload of a response: at most one element of the protocol. */
export type Payload = Fields;

export interface Format {
  kind: 'xml' | 'json' | 'jsonp';
  callback?: string;
  /** True to leave out everything newer than 1.16.1, for clients that cannot handle it. */
  legacy: boolean;
}

const PROTOCOL_VERSION = '1.16.1';
const NAMESPACE = 'http://subsonic.org/restapi';
const SERVER_TYPE = 'tonearm';
const CALLBACK_PATTERN = /^[A-Za-z_$][\w$]{0,99}(?:\.[A-Za-z_$][\w$]{0,99}){0,5}$/;
/**
 * Clients that need legacy responses. DSub matches elements by name anywhere in the document: an artist in a song's
 * credits would become the album's.
 */
const LEGACY_CLIENTS = new Set(['DSub']);

/**
 * Returns the format of the response; XML is the default. A callback that is no function name gets JSON, because it
 * could be any script.
 */
export function formatOf(f: string | undefined, callback: string | undefined, client: string | undefined): Format {
  const legacy = client !== undefined && LEGACY_CLIENTS.has(client);
  if (f === 'jsonp' && callback !== undefined && CALLBACK_PATTERN.test(callback))
    return { kind: 'jsonp', callback, legacy };
  return { kind: f === 'json' || f === 'jsonp' ? 'json' : 'xml', legacy };
}

export type Responder = ReturnType<typeof createResponder>;

export function createResponder({ serverVersion }: { serverVersion: string }) {
  const root = (status: 'ok' | 'failed', { legacy }: Format): Fields => ({
    status,
    version: PROTOCOL_VERSION,
    ...(!legacy && { type: SERVER_TYPE, serverVersion, openSubsonic: true }),
  });

  async function send(
    res: ServerResponse,
    format: Format,
    body: Fields,
    status: number,
    { headers = {}, isSecret = false }: { headers?: Record<string, string> | undefined; isSecret?: boolean } = {},
  ): Promise<void> {
    for (const [name, value] of Object.entries({ 'Cache-Control': 'no-store', ...headers })) res.setHeader(name, value);
    res.statusCode = status;
    res.setHeader('Content-Type', CONTENT_TYPES[format.kind]);
    await sendText(res, render(format, body), { mayCompress: !isSecret });
  }

  return {
    ok: (
      res: ServerResponse,
      format: Format,
      payload: Payload,
      { isSecret = false }: { isSecret?: boolean | undefined } = {},
    ): Promise<void> => send(res, format, { ...root('ok', format), ...payload }, 200, { isSecret }),
    failed: (
      res: ServerResponse,
      format: Format,
      { code, message, status, headers }: Pick<Fault, 'code' | 'message' | 'status' | 'headers'>,
    ): Promise<void> => send(res, format, { ...root('failed', format), error: { code, message } }, status, { headers }),
  };
}

/**
 * Content types by format. XML is sent as `text/xml`, not `application/xml`: clients expecting audio recognize errors
 * by this type.
 */
const CONTENT_TYPES: Record<Format['kind'], string> = {
  xml: 'text/xml; charset=utf-8',
  json: 'application/json; charset=utf-8',
  jsonp: 'text/javascript; charset=utf-8',
};

async function* render({ kind, callback }: Format, body: Fields): AsyncGenerator<string> {
  if (kind === 'xml') return yield* xmlText('subsonic-response', NAMESPACE, body);
  if (kind === 'json') return yield* jsonText({ 'subsonic-response': body });
  yield `${callback}(`;
  for await (const part of jsonText({ 'subsonic-response': body }))
    yield part.replace(/[\u2028\u2029]/g, (sign) => (sign === '\u2028' ? '\\u2028' : '\\u2029'));
  yield ');';
}
