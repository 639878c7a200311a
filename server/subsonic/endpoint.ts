// Types of a call of the Subsonic API, and of its endpoints, which are declared as data, like routes.
import type { Request, Response } from 'express';
import type { Right } from '../db/rights.ts';
import type { Principal } from '../http/route.ts';
import type { Params } from './params.ts';
import type { Payload } from './respond.ts';
import type { Shapes } from './wire.ts';

export interface Call {
  user: Principal;
  params: Params;
  /** The client's name (`c`). */
  client: string;
  shapes: Shapes;
  req: Request;
  res: Response;
  /** A JSON body, which only `getTranscodeDecision` has. */
  body: Buffer | undefined;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

/** The call of a public endpoint, which checks no credentials. */
type PublicCall = Omit<Call, 'user'>;

export type Endpoint = { right?: Right; secret?: true } & (
  | { access: 'public'; handle: (call: PublicCall) => Payload | Promise<Payload> }
  | { access: 'user' | 'superuser'; handle: (call: Call) => Payload | Promise<Payload> }
  /** The endpoint sends bytes itself; an error is sent as an envelope. */
  | { access: 'user'; bytes: (call: Call) => Promise<void> }
);

export type Endpoints = Record<string, Endpoint>;

export const publicEndpoint = (handle: (call: PublicCall) => Payload | Promise<Payload>): Endpoint => ({
  access: 'public',
  handle,
});
export const userEndpoint = (handle: (call: Call) => Payload | Promise<Payload>): Endpoint => ({
  access: 'user',
  handle,
});
export const superuserEndpoint = (handle: (call: Call) => Payload | Promise<Payload>): Endpoint => ({
  access: 'superuser',
  handle,
});
export const bytesEndpoint = (send: (call: Call) => Promise<void>): Endpoint => ({ access: 'user', bytes: send });

/** Restricts an endpoint to accounts with the right. */
export const requireRight = (right: Right, endpoint: Endpoint): Endpoint => ({ ...endpoint, right });

/** Marks an endpoint whose response contains links that give access, so that it is not compressed. */
export const secretEndpoint = (endpoint: Endpoint): Endpoint => ({ ...endpoint, secret: true });

/** A response without a payload. */
export const EMPTY_PAYLOAD: Payload = {};
