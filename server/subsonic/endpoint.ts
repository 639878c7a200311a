// One call of the phone door, as its handlers get it, and what an endpoint is: access, handler. Endpoints are data,
// like routes.
import type { Request, Response } from 'express';
import type { Principal } from '../http/route.ts';
import type { Params } from './params.ts';
import type { Payload } from './respond.ts';
import type { Shapes } from './wire.ts';

export interface Call {
  user: Principal;
  params: Params;
  /** What the client calls itself. */
  client: string;
  shapes: Shapes;
  req: Request;
  res: Response;
  /** A body that is no form, for the one endpoint that takes JSON. */
  body: Buffer | undefined;
  /** Aborted when the caller goes away. */
  signal: AbortSignal;
}

/** What a handler of a public endpoint gets: nobody was asked who they are. */
export type PublicCall = Omit<Call, 'user'>;

export type Endpoint =
  | { access: 'public'; handle: (call: PublicCall) => Payload | Promise<Payload> }
  | { access: 'user' | 'superuser'; handle: (call: Call) => Payload | Promise<Payload> }
  /** Writes bytes itself; what it throws becomes an envelope. */
  | { access: 'user'; bytes: (call: Call) => Promise<void> };

export type Endpoints = Record<string, Endpoint>;

export const open = (handle: (call: PublicCall) => Payload | Promise<Payload>): Endpoint => ({
  access: 'public',
  handle,
});
export const user = (handle: (call: Call) => Payload | Promise<Payload>): Endpoint => ({ access: 'user', handle });
export const superuser = (handle: (call: Call) => Payload | Promise<Payload>): Endpoint => ({
  access: 'superuser',
  handle,
});
export const bytes = (send: (call: Call) => Promise<void>): Endpoint => ({ access: 'user', bytes: send });

/** The bare envelope. */
export const NOTHING: Payload = {};
