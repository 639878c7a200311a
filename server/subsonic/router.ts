// Serves /rest/<endpoint> and /rest/<endpoint>.view: reads the parameters of query and form, checks the credentials,
// calls the endpoint and sends its result or error. Any origin may call it, as web clients do, since there are no
// cookies.
import type { Request, RequestHandler, Response } from 'express';
import type { AppSignIn } from '../auth/app-sign-in.ts';
import { callerOf } from '../auth/authenticate.ts';
import type { InPlace } from '../db/removed-database.ts';
import { refusal } from '../db/rights.ts';
import { AppError, forbidden } from '../errors.ts';
import { MAX_JSON_BYTES, readBytes } from '../http/body.ts';
import type { InFlight } from '../http/in-flight.ts';
import type { IsStillAllowed, OpenAnswers } from '../http/open-answers.ts';
import { betterPasswordRequired } from '../http/own-machine.ts';
import { parseParams, type ParamMap } from '../http/params.ts';
import type { Principal } from '../http/route.ts';
import type { Log } from '../log/log.ts';
import type { Call, Endpoint, Endpoints } from './endpoint.ts';
import { checkClient, credentialOf, wrongApiKey, wrongCredentials } from './credentials.ts';
import { Fault, missingParameter, toFault } from './errors.ts';
import { readParams, type Params } from './params.ts';
import { formatOf, type Format, type Responder } from './respond.ts';
import type { AboutService } from '../about/service.ts';
import type { LibraryService } from '../library/service.ts';
import { createShapes } from './wire.ts';

interface SubsonicRouterDeps {
  endpoints: Endpoints;
  respond: Responder;
  appSignIn: AppSignIn;
  inFlight: InFlight;
  openAnswers: OpenAnswers;
  isStillAllowed: IsStillAllowed;
  inPlace: Pick<InPlace, 'assert'>;
  library: Pick<LibraryService, 'people'>;
  about: Pick<AboutService, 'disambiguationOf'>;
  log: Log;
}

/** Maximum size of a form: enough for a play queue of a hundred thousand ids. */
const MAX_FORM_BYTES = 10 << 20;
const FORM_TYPE = /^application\/x-www-form-urlencoded\b/i;
const JSON_TYPE = /^application\/json\b/i;
const ENDPOINT_PATH = /^\/([A-Za-z0-9]+)(?:\.view|\.m3u8(?:\.view)?)?\/?$/;

const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Content-Length, Content-Range, Accept-Ranges, X-Total-Count, ETag',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};
const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, POST, HEAD, OPTIONS',
  'Access-Control-Max-Age': '86400',
};

export function createSubsonicRouter({
  endpoints,
  respond,
  appSignIn,
  inFlight,
  openAnswers,
  isStillAllowed,
  inPlace,
  library: { people },
  about,
  log,
}: SubsonicRouterDeps): RequestHandler {
  const endpointsByName = new Map(Object.entries(endpoints));

  async function serve(req: Request, res: Response): Promise<void> {
    const name = ENDPOINT_PATH.exec(req.path)?.[1] ?? '';
    res.locals['route'] = `${req.method} /rest/${endpointsByName.has(name) ? name : '?'}`;
    let format = formatOf(undefined, undefined, undefined);
    try {
      const query = await parseParams(Buffer.from(queryText(req)));
      const queryParams = readParams(query);
      format = formatOf(queryParams.text('f'), queryParams.text('callback'), queryParams.text('c'));
      const { form, body } = await readBody(req);
      const params = readParams(query, form);
      format = formatOf(params.text('f'), params.text('callback'), params.text('c'));
      if (params.text('f') === 'jsonp' && format.kind !== 'jsonp')
        throw params.text('callback') === undefined
          ? missingParameter('callback')
          : new Fault(0, 'The parameter callback is not a function name.');
      const endpoint = endpointsByName.get(name);
      if (!endpoint) throw new Fault(0, `This server has no endpoint ${name === '' ? 'of this name' : name}.`);
      await run(endpoint, { params, body, req, res, format });
    } catch (error) {
      await sendFault(error, res, format);
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
    const createResponseShapes = (mostKbps: number | null) =>
      createShapes({
        legacy: format.legacy,
        listCredits: people.ofTrack,
        rolesOf: people.rolesOfArtist,
        disambiguationOf: about.disambiguationOf,
        mostKbps,
      });
    const signal = signalOf(res);
    if (endpoint.access === 'public')
      return await respond.ok(
        res,
        format,
        await endpoint.handle({
          params,
          body,
          req,
          res,
          shapes: createResponseShapes(null),
          signal,
          client: params.text('c') ?? '',
        }),
      );
    const client = checkClient(params);
    const user = await signIn(params, req, client);
    res.locals['userId'] = user.id;
    await inFlight(res, { user, address: req.ip });
    if (endpoint.access === 'superuser' && !user.isSuperuser) throw forbidden();
    if (endpoint.right !== undefined && !user.rights[endpoint.right]) throw refusal(endpoint.right);
    const shapes = createResponseShapes(user.maxBitrateKbps);
    const call: Call = { user, params, body, req, res, shapes, signal, client };
    if ('bytes' in endpoint) {
      openAnswers.track(res, user.id, () => isStillAllowed(user, endpoint.right));
      return endpoint.bytes(call);
    }
    const payload = await endpoint.handle(call);
    inPlace.assert(); // checked for all calls: nearly all of them are GET, even those that write
    await respond.ok(res, format, payload, { isSecret: endpoint.secret });
  }

  async function signIn(params: Params, req: Request, client: string): Promise<Principal> {
    const credential = credentialOf(params);
    const wrongFault = (): Fault => ('apiKey' in credential ? wrongApiKey() : wrongCredentials());
    const user = await appSignIn(credential, { ...callerOf(req), client }).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'too_many_requests'
        ? new Fault(wrongFault().code, error.message, {
            status: 429,
            headers: { 'Retry-After': String(error.retryAfter ?? 60) },
          })
        : error;
    });
    if (!user) throw wrongFault();
    if (user.needsBetterPassword) throw betterPasswordRequired();
    return user;
  }

  async function sendFault(error: unknown, res: Response, format: Format): Promise<void> {
    const fault = toFault(error);
    if (!fault) res.locals['error'] = error;
    if (!fault || res.headersSent)
      log[fault ? 'debug' : 'error'](
        { request_id: res.locals['requestId'] as string, route: res.locals['route'] as string, err: error },
        'Subsonic request failed',
      );
    if (res.headersSent) return void res.destroy();
    await respond.failed(res, format, fault ?? new Fault(0, 'Something went wrong. The server log has details.'));
  }

  return async (req, res) => {
    res.set(CORS_HEADERS);
    if (req.method === 'OPTIONS')
      return void res
        .set({ ...PREFLIGHT_HEADERS, 'Access-Control-Allow-Headers': allowedHeaders(req) })
        .vary('Access-Control-Request-Headers')
        .status(204)
        .end();
    if (!['GET', 'POST', 'HEAD'].includes(req.method)) {
      res.set('Allow', PREFLIGHT_HEADERS['Access-Control-Allow-Methods']);
      throw new AppError('method_not_allowed', `${req.method} is not supported here.`);
    }
    await serve(req, res);
  };
}

const USUAL_HEADERS = 'Content-Type, Range, Authorization, If-Range, If-None-Match';
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const MAX_HEADERS = 50;

/**
 * Returns the headers that a web client may send: those for which its browser asks. A header lets nobody in, because
 * calls are authenticated by their parameters and browsers send no cookies here.
 */
function allowedHeaders(req: Request): string {
  const requestedHeaders = (req.get('access-control-request-headers') ?? '')
    .split(',', MAX_HEADERS)
    .map((name) => name.trim())
    .filter((name) => HEADER_NAME.test(name));
  return [USUAL_HEADERS, ...requestedHeaders].join(', ');
}

const queryText = (req: Request): string => {
  const queryStart = req.originalUrl.indexOf('?');
  return queryStart < 0 ? '' : req.originalUrl.slice(queryStart + 1);
};

/** Parses a form to parameters and returns JSON unparsed; other bodies are ignored. */
async function readBody(req: Request): Promise<{ form: ParamMap; body: Buffer | undefined }> {
  const emptyBody = { form: new Map(), body: undefined };
  const type = req.headers['content-type'] ?? '';
  if (req.method !== 'POST') return emptyBody;
  if (JSON_TYPE.test(type)) return { ...emptyBody, body: await readBytes(req, MAX_JSON_BYTES) };
  if (FORM_TYPE.test(type)) return { form: await parseParams(await readBytes(req, MAX_FORM_BYTES)), body: undefined };
  req.resume();
  return emptyBody;
}

function signalOf(res: Response): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}
