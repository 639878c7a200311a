// URLs in responses.
import type { Request } from 'express';
import type { PictureOf, SignedPictures } from '../covers/signed-pictures.ts';
import type { Params } from './params.ts';
import { TextElement, type Fields } from './xml.ts';

const CREDENTIALS = ['u', 't', 's', 'p', 'apiKey', 'v', 'c'];

/**
 * Absolute URL of an endpoint, with the host name that the client used and the credentials of the call, like the URLs
 * that clients make themselves.
 */
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

/** They open these pictures and nothing else: clients hand such addresses on. */
export function pictureUrls(req: Request, pictures: Pick<SignedPictures, 'pathOf'>, of: PictureOf): Fields {
  const url = (size: number): TextElement => new TextElement(`${baseOf(req)}${pictures.pathOf({ ...of, size })}`);
  return { smallImageUrl: url(160), mediumImageUrl: url(300), largeImageUrl: url(1200) };
}
