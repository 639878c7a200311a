// Makes addresses that open one picture without credentials, for clients that pass them to an image loader. A picture
// keeps its address for a month, so that caches can use it.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { AlbumId, ArtistId } from '../db/ids.ts';

export type PictureRef = { kind: 'al'; id: AlbumId } | { kind: 'ar'; id: ArtistId };
type SignedPicture = PictureRef & { size: number };

const PERIOD_MS = 30 * 86_400_000;
const NAME_PATTERN = /^(al|ar)-(\d{1,15})-(\d{1,4})-(\d{1,6})-([\w-]{22})$/;
const MAC_BYTES = 16;

export type SignedPictures = ReturnType<typeof createSignedPictures>;

export function createSignedPictures({ secret, now }: { secret: string; now: () => Date }) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'tonearm picture urls v1', 32));
  const macOf = (text: string): Buffer => createHmac('sha256', key).update(text).digest().subarray(0, MAC_BYTES);
  const period = (): number => Math.floor(now().getTime() / PERIOD_MS);

  return {
    /** Returns the path of a picture below the root of the server. */
    pathOf({ kind, id, size }: SignedPicture): string {
      const text = `${kind}-${id}-${size}-${period() + 2}`;
      return `/pictures/${text}-${macOf(text).toString('base64url')}`;
    },

    /** Returns the picture of an address; undefined if this server did not sign it, or it has expired. */
    open(name: string): SignedPicture | undefined {
      const [, kind, id, size, expiryText, mac = ''] = NAME_PATTERN.exec(name) ?? [];
      if (kind === undefined || Number(expiryText) <= period()) return undefined;
      const givenMac = Buffer.from(mac, 'base64url');
      const expectedMac = macOf(name.slice(0, -(mac.length + 1)));
      if (givenMac.length !== expectedMac.length || !timingSafeEqual(givenMac, expectedMac)) return undefined;
      return { kind, id: Number(id), size: Number(size) } as SignedPicture;
    },
  };
}
