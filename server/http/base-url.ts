import type { Request } from 'express';

/** Returns the scheme and host of the request; forwarded headers count only from a trusted proxy. */
export const baseOf = (req: Request): string =>
  `${req.protocol}://${req.host || 'localhost'}${req.baseUrl.replace(/\/rest$/, '')}`;
