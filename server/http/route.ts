// Declarations of routes. A route is data: method, path, access, schemas, and a handler that returns a value. The
// router (mount.ts), the OpenAPI document (openapi.ts) and the tests read the same list, so nothing is served that is
// not declared.
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { AppPasswordId, SessionId, UserId } from '../db/ids.ts';
import type { Right, Rights } from '../db/rights.ts';
import type { ErrorCode } from '../errors.ts';
import type { Accepts } from './accepts.ts';
import type { InPieces } from './streamed-lists.ts';

/**
 * Who may call a route. `public`: anyone; `user`: with a bearer token; `stream`: with a bearer token or the query
 * parameter `token` (audio elements and event sources cannot send headers); `superuser`: with a superuser's bearer
 * token.
 */
export type Access = 'public' | 'user' | 'stream' | 'superuser';

/** The kinds of routes for which a token for URLs can be valid. */
export type TokenScope = 'media' | 'events' | 'download';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The authenticated user. */
export interface Principal {
  id: UserId;
  /** Undefined for Subsonic clients. */
  sessionId?: SessionId;
  /** Set only for Subsonic clients. */
  appPasswordId?: AppPasswordId;
  username: string;
  isSuperuser: boolean;
  /** A superuser has all rights. */
  rights: Rights;
  /** Maximum bit rate of all streams of the account; null for no limit. */
  maxBitrateKbps: number | null;
  /** Set if the password is easy to guess and the request comes from another machine, so that it is refused. */
  needsBetterPassword?: true;
}

type Shape = z.ZodType;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface RouteSpec<A extends Access = Access, P = unknown, Q = unknown, B = unknown, R = unknown> {
  method: Method;
  /** Path below the mount point in the style of Express, such as `/tracks/:id`. */
  path: string;
  /** Other paths with the same response; the documentation lists them as aliases. */
  aliases?: string[];
  access: A;
  /** The tokens for URLs that a `stream` route accepts, by default `media`. */
  scope?: TokenScope;
  /** The right that the account needs. */
  right?: Right;
  /**
   * Set if accounts without the right may use the route on tracks that they uploaded; the handler checks that
   * (edit-rights.ts).
   */
  orOwn?: true;
  /** One line for the documentation. */
  summary: string;
  params?: P;
  query?: Q;
  /** Schema of the JSON body, or of an urlencoded form when `form` is true. */
  body?: B;
  form?: boolean;
  /** Other methods with the same effect. */
  alsoMethods?: Method[];
  /** Set if the body may be absent; then it is `{}`. */
  bodyOptional?: true;
  /** Aliases that the route accepts besides the documented shapes. */
  accepts?: Accepts;
  /** Set if unknown fields of the body are refused. */
  strict?: true;
  /** Set if the route works on a full disk, too, with some of the reserve (db/reserve.ts). Every `delete` does. */
  makesRoom?: true;
  /** Fields of the body that may contain very many ids; see `idList` in body.ts. */
  longLists?: string[];
  /** Schema of the JSON response. If undefined, the response has no body (204), or bytes when `produces` is set. */
  reply?: R;
  /**
   * Success statuses for the documentation; the first one is sent by default. If undefined: 200, or 204 without a
   * reply.
   */
  status?: number[];
  /** Errors in addition to those that access and shapes imply (`statusesOf` in statuses.ts). */
  problems?: ErrorCode[];
  /**
   * Set if the response contains a password, a token or a link that gives access: no cache stores it, and it is not
   * compressed (docs/SECURITY.md, Compressed responses).
   */
  secret?: true;
  /**
   * Set if the response depends only on the account, the address, the database, the settings and what
   * `announceChange` of the library announces, but not on the time. It gets an ETag (list-etags.ts).
   */
  hasEtag?: true;
  /** Content types of a route that writes its own response (audio, pictures, events). Its handler returns nothing. */
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

type HandlerResult<R> = R extends z.ZodType ? InPieces<z.input<R>> | Reply<InPieces<z.input<R>>> : void;

export function route<
  A extends Access,
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
  R extends Shape | undefined = undefined,
>(
  spec: RouteSpec<A, P, Q, B, R>,
  handle: (context: RouteContext<A, P, Q, B>) => HandlerResult<R> | Promise<HandlerResult<R>>,
): Route {
  return { spec, handle: handle as Route['handle'] };
}
