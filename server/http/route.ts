// A route is data: method, path, access, schemas, and a handler that returns a value. The router (mount.ts), the
// OpenAPI document (openapi.ts) and the tests read the same list, so nothing is served that is not declared.
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { AppPasswordId, SessionId, UserId } from '../db/ids.ts';
import type { Right, Rights } from '../db/rights.ts';
import type { ErrorCode } from '../errors.ts';
import type { Accepts } from './accepts.ts';
import type { InPieces } from './streamed-lists.ts';

/**
 * Who may call: `public` anyone; `user` with a bearer token; `stream` with a bearer token or the query parameter
 * `token` (audio elements and event sources cannot send headers); `superuser` with a superuser's bearer token.
 */
export type Access = 'public' | 'user' | 'stream' | 'superuser';

/** What a token for URLs is valid for. */
export type TokenScope = 'media' | 'events' | 'download';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The authenticated user. */
export interface Principal {
  id: UserId;
  /** Absent for Subsonic clients. */
  sessionId?: SessionId;
  /** Set for Subsonic clients. */
  appPasswordId?: AppPasswordId;
  username: string;
  isSuperuser: boolean;
  /** A superuser has all rights. */
  rights: Rights;
  /** Limit of all streams; null for none. */
  maxBitrateKbps: number | null;
  /** The password is easy to guess and the request comes from another machine: it is refused. */
  needsBetterPassword?: true;
}

type Shape = z.ZodType;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface RouteSpec<A extends Access = Access, P = unknown, Q = unknown, B = unknown, R = unknown> {
  method: Method;
  /** Express style, below the mount point: `/tracks/:id`. */
  path: string;
  /** Other paths with the same response; the documentation lists them as aliases. */
  aliases?: string[];
  access: A;
  /** For a `stream` route, the tokens for URLs that it accepts; default `media`. */
  scope?: TokenScope;
  /** The right that the account needs. */
  right?: Right;
  /** Without the right, tracks of one's own are allowed; the handler checks that (edit-rights.ts). */
  orOwn?: true;
  /** One line for the documentation. */
  summary: string;
  params?: P;
  query?: Q;
  /** JSON body, or also a urlencoded form when `form` is true. */
  body?: B;
  form?: boolean;
  /** Other methods with the same effect. */
  alsoMethods?: Method[];
  /** The body may be absent and is then `{}`. */
  bodyOptional?: true;
  /** Aliases that the route accepts besides the documented shapes. */
  accepts?: Accepts;
  /** Unknown fields of the body are refused. */
  strict?: true;
  /** Works on a full disk too, with some of the reserve (db/reserve.ts); so does every `delete`. */
  makesRoom?: true;
  /** Fields of the body that may hold very many ids; see `idList` of body.ts. */
  longLists?: string[];
  /** Shape of the JSON answer. Absent: no body (204), or bytes when `produces` is set. */
  reply?: R;
  /** Success codes for the documentation; the first is sent by default. Absent: 200, or 204 without a reply. */
  status?: number[];
  /** Refusals beyond what access and shapes imply (`statusesOf` in statuses.ts). */
  problems?: ErrorCode[];
  /** Content types of a route that writes its own answer (audio, pictures, events). Its handler returns nothing. */
  produces?: string[];
  /** Content type of a body that the handler reads itself, e.g. `multipart/form-data`. */
  consumes?: string;
}

/** The arguments of a handler. `user` may be undefined only for `public` routes. */
interface RouteContext<A extends Access, P, Q, B> {
  user: A extends 'public' ? Principal | undefined : Principal;
  params: Parsed<P>;
  query: Parsed<Q>;
  body: Parsed<B>;
  req: Request;
  res: Response;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

/** A route without the types of its handler, so that all routes fit into one list. */
export interface Route {
  spec: RouteSpec<Access, Shape | undefined, Shape | undefined, Shape | undefined, Shape | undefined>;
  handle: (context: RouteContext<Access, Shape, Shape, Shape>) => unknown;
}

/** A response with a status other than the default, or with headers. */
export class Reply<T> {
  readonly status: number;
  readonly value: T;
  readonly headers: Record<string, string>;
  constructor(status: number, value: T, headers: Record<string, string> = {}) {
    this.status = status;
    this.value = value;
    this.headers = headers;
  }
}

type Answer<R> = R extends z.ZodType ? InPieces<z.input<R>> | Reply<InPieces<z.input<R>>> : void;

export function route<
  A extends Access,
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
  R extends Shape | undefined = undefined,
>(
  spec: RouteSpec<A, P, Q, B, R>,
  handle: (context: RouteContext<A, P, Q, B>) => Answer<R> | Promise<Answer<R>>,
): Route {
  return { spec, handle: handle as Route['handle'] };
}
