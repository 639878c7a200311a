// URLs in responses. They contain the credentials of the call, like the URLs that clients make themselves.
import type { Request } from 'express';
import type { Params } from './params.ts';
import { TextElement, type Fields } from './xml.ts';

const CREDENTIALS = ['u', 't', 's', 'p', 'apiKey', 'v', 'c'];

/** Absolute URL of an endpoint, with the host name that the client used. */
export function urlOf(req: Request, params: Params, endpoint: string, more: Record<string, string | number>): string {
  const query = new URLSearchParams();
  for (const name of CREDENTIALS) {
    const value = params.text(name);
    if (value !== undefined) query.set(name, value);
  }
  for (const [name, value] of Object.entries(more)) query.set(name, String(value));
  return `${baseOf(req)}/rest/${endpoint}?${query.toString()}`;
}

/** Scheme and name as the client asked for them; what a proxy says of them counts when it is a trusted one. */
export const baseOf = (req: Request): string =>
  `${req.protocol}://${req.host || 'localhost'}${req.baseUrl.replace(/\/rest$/, '')}`;

export const coverUrls = (req: Request, params: Params, id: string): Fields => ({
  smallImageUrl: new TextElement(urlOf(req, params, 'getCoverArt', { id, size: 160 })),
  mediumImageUrl: new TextElement(urlOf(req, params, 'getCoverArt', { id, size: 300 })),
  largeImageUrl: new TextElement(urlOf(req, params, 'getCoverArt', { id, size: 1200 })),
});
