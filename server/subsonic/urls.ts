// Makes URLs for responses.
import type { Request } from 'express';
import type { PictureRef, SignedPictures } from '../covers/signed-pictures.ts';
import { baseOf } from '../http/base-url.ts';
import type { Params } from './params.ts';
import { TextElement, type Fields } from './xml.ts';

const CREDENTIALS = ['u', 't', 's', 'p', 'apiKey', 'v', 'c'];

/**
 * Returns the absolute URL of an endpoint, with the host name that the client used and the credentials of the call,
 * like the URLs that clients make themselves.
 */
export function urlOf(
  req: Request,
  params: Params,
  endpoint: string,
  extraParams: Record<string, string | number>,
): string {
  const query = new URLSearchParams();
  for (const name of CREDENTIALS) {
    const value = params.text(name);
    if (value !== undefined) query.set(name, value);
  }
  for (const [name, value] of Object.entries(extraParams)) query.set(name, String(value));
  return `${baseOf(req)}/rest/${endpoint}?${query.toString()}`;
}

/** Returns signed image URLs, which give access to nothing else, because clients pass such URLs on. */
export function pictureUrls(req: Request, pictures: Pick<SignedPictures, 'pathOf'>, picture: PictureRef): Fields {
  const url = (size: number): TextElement => new TextElement(`${baseOf(req)}${pictures.pathOf({ ...picture, size })}`);
  return { smallImageUrl: url(160), mediumImageUrl: url(300), largeImageUrl: url(1200) };
}
