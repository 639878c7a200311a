// A route is data: method, path, access, shapes in and out, and a handler that returns a value. The router (mount.ts),
// the OpenAPI document (openapi.ts) and the guard tests read the same list, so nothing can be served that is not
// declared here.
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { UserId } from '../db/ids.ts';

/**
 * Who may call: `public` anyone · `user` a bearer token · `stream` a bearer token or the query parameter `token`
 * (audio elements and event sources cannot send headers) · `superuser` a superuser's bearer token.
 */
export type Access = 'public' | 'user' | 'stream' | 'superuser';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Who is asking. */
export interface Principal {
  id: UserId;
  username: string;
  isSuperuser: boolean;
}

type Shape = z.ZodType;
type Out<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface RouteSpec<A extends Access = Access, P = unknown, Q = unknown, B = unknown, R = unknown> {
  method: Method;
  /** Express style, below the mount point: `/tracks/:id`. */
  path: string;
  access: A;
  /** One line for the documentation. */
  summary: string;
  params?: P;
  query?: Q;
  /** JSON body; also accepted as a urlencoded form when `form` is true. */
  body?: B;
  form?: boolean;
  /** Shape of the JSON answer. Absent: no body (204), or bytes when `produces` is set. */
  reply?: R;
  /** Success codes for the documentation, first is the default. Default 200, or 204 without a reply. */
  status?: number[];
  /** Content types of a route that writes its own answer (audio, pictures, events). Its handler returns nothing. */
  produces?: string[];
  /**
   * Content type of a body that the handler reads by itself, e.g. `multipart/form-data`; never parsed by the router.
   */
  consumes?: string;
}

/** What a handler gets. `user` is there for every access but `public`. */
export interface RouteContext<A extends Access, P, Q, B> {
  user: A extends 'public' ? Principal | undefined : Principal;
  params: Out<P>;
  query: Out<Q>;
  body: Out<B>;
  req: Request;
  res: Response;
  /** Aborted when the caller goes away. */
  signal: AbortSignal;
}

/** A route as the router holds it, its types closed over. */
export interface Route {
  spec: RouteSpec<Access, Shape | undefined, Shape | undefined, Shape | undefined, Shape | undefined>;
  handle: (context: RouteContext<Access, Shape, Shape, Shape>) => unknown;
}

/** An answer with a status other than the default one. */
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

type Answer<R> = R extends z.ZodType ? z.input<R> | Reply<z.input<R>> : void;

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
