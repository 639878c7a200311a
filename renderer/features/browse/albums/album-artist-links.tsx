import { Fragment, type ReactNode } from 'react';
import type { AlbumOut } from '../../../api/routes.ts';

/** Links to the artists of an album, with commas in between. */
export const AlbumArtistLinks = ({
  artists,
  linkTo,
}: Pick<AlbumOut, 'artists'> & { linkTo: (artist: AlbumOut['artists'][number]) => ReactNode }) =>
  artists.map((artist, i) => (
    <Fragment key={artist.id}>
      {i > 0 && ', '}
      {linkTo(artist)}
    </Fragment>
  ));
