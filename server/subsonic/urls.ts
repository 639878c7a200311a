// Addresses of this door that answers hold. They carry the credentials of the call, as the addresses do that clients
// make themselves.
import type { Request } from 'express';
import type { Params } from './params.ts';
import { TextElement, type Fields } from './xml.ts';

const CREDENTIALS = ['u', 't', 's', 'p', 'apiKey', 'v', 'c'];

/** An absolute address of an endpoint, at the name by which the client reached the server. */
export function urlOf(req: Request, params: Params, endpoint: string, more: Record<string, string | number>): string {
  const query = new URLSearchParams();
  for (const name of CREDENTIALS) {
    const value = params.text(name);
    if (value !== undefined) query.set(name, value);
  }
  for (const [name, value] of Object.entries(more)) query.set(name, String(value));
  return `${baseOf(req)}/rest/${endpoint}?${query.toString()}`;
}

/** Behind a proxy that says so, its own scheme. */
export const baseOf = (req: Request): string => {
  const forwarded = req.get('X-Forwarded-Proto')?.split(',')[0]?.trim();
  const scheme = forwarded === 'https' ? 'https' : req.protocol;
  return `${scheme}://${req.get('Host') ?? 'localhost'}${req.baseUrl.replace(/\/rest$/, '')}`;
};

export const coverUrls = (req: Request, params: Params, id: string): Fields => ({
  smallImageUrl: new TextElement(urlOf(req, params, 'getCoverArt', { id, size: 160 })),
  mediumImageUrl: new TextElement(urlOf(req, params, 'getCoverArt', { id, size: 300 })),
  largeImageUrl: new TextElement(urlOf(req, params, 'getCoverArt', { id, size: 1200 })),
});
