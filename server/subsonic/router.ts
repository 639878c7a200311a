// /rest/<endpoint> and /rest/<endpoint>.view: reads the parameters of query and form, checks the credentials, calls the
// endpoint and sends its result or error. Any origin may call it, as web clients do, since there are no cookies.
import type { Request, RequestHandler, Response } from 'express';
import type { AppSignIn } from '../auth/app-sign-in.ts';
import { refusal } from '../db/rights.ts';
import { AppError, forbidden } from '../errors.ts';
import type { Principal } from '../http/route.ts';
import type { Log } from '../log/log.ts';
import type { Call, Endpoint, Endpoints } from './endpoint.ts';
import { checkClient, credentialOf, wrongApiKey, wrongCredentials } from './credentials.ts';
import { Fault, missing, toFault } from './errors.ts';
import { readParams, type Params } from './params.ts';
import { formatOf, type Format, type Responder } from './respond.ts';
import { createShapes } from './wire.ts';

export interface SubsonicRouterDeps {
  endpoints: Endpoints;
  respond: Responder;
  appSignIn: AppSignIn;
  log: Log;
}

/** Enough for a play queue of a hundred thousand ids. */
const MAX_BODY_BYTES = 10 << 20;
const FORM = /^application\/x-www-form-urlencoded\b/i;
const JSON_BODY = /^application\/json\b/i;
const NAME = /^\/([A-Za-z0-9]+)(?:\.view|\.m3u8(?:\.view)?)?\/?$/;

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Content-Length, Content-Range, Accept-Ranges, X-Total-Count, ETag',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, POST, HEAD, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type, Range, Authorization, If-Range, If-None-Match',
  'Access-Control-Max-Age': '86400',
};

const SHAPES = { open: createShapes({ legacy: false }), legacy: createShapes({ legacy: true }) };

export function createSubsonicRouter({ endpoints, respond, appSignIn, log }: SubsonicRouterDeps): RequestHandler {
  const known = new Map(Object.entries(endpoints));

  async function serve(req: Request, res: Response): Promise<void> {
    const name = NAME.exec(req.path)?.[1] ?? '';
    res.locals['route'] = `${req.method} /rest/${known.has(name) ? name : '?'}`;
    const query = new URLSearchParams(queryText(req));
    let format = formatOf(query.get('f') ?? undefined, query.get('callback') ?? undefined, query.get('c') ?? undefined);
    try {
      const { form, body } = await readBody(req);
      const params = readParams(query, form);
      format = formatOf(params.text('f'), params.text('callback'), params.text('c'));
      if (params.text('f') === 'jsonp' && format.kind !== 'jsonp')
        throw params.text('callback') === undefined
          ? missing('callback')
          : new Fault(0, 'The parameter callback is not a function name.');
      const endpoint = known.get(name);
      if (!endpoint) throw new Fault(0, `This server has no endpoint ${name === '' ? 'of this name' : name}.`);
      await run(endpoint, { params, body, req, res, format });
    } catch (error) {
      fail(error, res, format);
    }
  }

  async function run(
    endpoint: Endpoint,
    {
      params,
      body,
      req,
      res,
      format,
    }: { params: Params; body: Buffer | undefined; req: Request; res: Response; format: Format },
  ): Promise<void> {
    const shapes = format.legacy ? SHAPES.legacy : SHAPES.open;
    const signal = signalOf(res);
    if (endpoint.access === 'public')
      return respond.ok(
        res,
        format,
        await endpoint.handle({ params, body, req, res, shapes, signal, client: params.text('c') ?? '' }),
      );
    const client = checkClient(params);
    const user = await signIn(params, req);
    res.locals['userId'] = user.id;
    if (endpoint.access === 'superuser' && !user.isSuperuser) throw forbidden();
    if (endpoint.right !== undefined && !user.rights[endpoint.right]) throw refusal(endpoint.right);
    const call: Call = { user, params, body, req, res, shapes, signal, client };
    if ('bytes' in endpoint) return endpoint.bytes(call);
    respond.ok(res, format, await endpoint.handle(call));
  }

  async function signIn(params: Params, req: Request): Promise<Principal> {
    const credential = credentialOf(params);
    const wrong = 'apiKey' in credential ? wrongApiKey() : wrongCredentials();
    const user = await appSignIn(credential, req.ip).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'too_many_requests'
        ? new Fault(wrong.code, error.message, {
            status: 429,
            headers: { 'Retry-After': String(error.retryAfter ?? 60) },
          })
        : error;
    });
    if (!user) throw wrong;
    return user;
  }

  function fail(error: unknown, res: Response, format: Format): void {
    const fault = toFault(error);
    if (!fault) res.locals['error'] = error;
    if (!fault || res.headersSent)
      log[fault ? 'debug' : 'error'](
        { request_id: res.locals['requestId'] as string, route: res.locals['route'] as string, err: error },
        'Subsonic request failed',
      );
    if (res.headersSent) return void res.destroy();
    respond.failed(res, format, fault ?? new Fault(0, 'Something went wrong. The server log has details.'));
  }

  return async (req, res) => {
    res.set(CORS);
    if (req.method === 'OPTIONS') return void res.set(PREFLIGHT).status(204).end();
    if (!['GET', 'POST', 'HEAD'].includes(req.method)) {
      res.set('Allow', PREFLIGHT['Access-Control-Allow-Methods']);
      throw new AppError('method_not_allowed', `${req.method} is not supported here.`);
    }
    await serve(req, res);
  };
}

const queryText = (req: Request): string => {
  const at = req.originalUrl.indexOf('?');
  return at < 0 ? '' : req.originalUrl.slice(at + 1);
};

/** A form is parsed to parameters, JSON is returned as bytes, other bodies are ignored. */
async function readBody(req: Request): Promise<{ form: URLSearchParams; body: Buffer | undefined }> {
  const none = { form: new URLSearchParams(), body: undefined };
  const type = req.headers['content-type'] ?? '';
  if (req.method !== 'POST') return none;
  if (!FORM.test(type) && !JSON_BODY.test(type)) {
    req.resume();
    return none;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new AppError('too_large', 'The body is too large.');
    chunks.push(chunk);
  }
  const whole = Buffer.concat(chunks);
  return FORM.test(type)
    ? { form: new URLSearchParams(whole.toString('utf8')), body: undefined }
    : { ...none, body: whole };
}

function signalOf(res: Response): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}
