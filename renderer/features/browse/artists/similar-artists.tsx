// Artists of the same genres. Their sound is not compared, and the heading says so.
import { useQueries } from '@tanstack/react-query';
import type { CSSProperties } from 'react';
import { useTranslation } from 'react-i18next';
import { artistPage } from '../../../api/library.ts';
import type { ArtistOut, TrackOut } from '../../../api/routes.ts';
import { ArtistCard } from './artist-card.tsx';
import styles from '../shelf.module.css';

const MAX_GENRES = 3;
const GENRE_ARTISTS_PAGE = { limit: 24, offset: 0 };
const SHOWN_ARTISTS = 12;
const CARD_WIDTH = 140;

export function SimilarArtists({ artistId, tracks }: { artistId: number; tracks: readonly TrackOut[] }) {
  const { t } = useTranslation();
  const genres = genresOf(tracks).slice(0, MAX_GENRES);
  const pages = useQueries({
    queries: genres.map((genre) => artistPage({ genre, sort: 'play_count' }, GENRE_ARTISTS_PAGE)),
  });
  const similar = bestOf(
    pages.map(({ data }) => data?.items ?? []),
    artistId,
  );
  if (similar.length === 0) return null;
  return (
    <section className={styles.shelf} aria-label={t('artist.similar')}>
      <div className={styles.head}>
        <h2>{t('artist.similar')}</h2>
        <p className={styles.note}>{t('artist.similarBy', { genres: genres.join(', ') })}</p>
      </div>
      <ul className={styles.row} style={{ '--card': `${CARD_WIDTH}px` } as CSSProperties}>
        {similar.map((artist) => (
          <li key={artist.id}>
            <ArtistCard artist={artist} width={CARD_WIDTH} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the genres of the tracks, most frequent first. */
function genresOf(tracks: readonly TrackOut[]): string[] {
  const counts = new Map<string, number>();
  for (const genre of tracks.flatMap((track) => track.genres)) counts.set(genre, (counts.get(genre) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([genre]) => genre);
}

/** Returns the artists with the most genres in common first, then in the order of each genre. */
function bestOf(byGenre: readonly (readonly ArtistOut[])[], exceptId: number): ArtistOut[] {
  const similar = new Map<number, { artist: ArtistOut; genres: number; place: number }>();
  for (const artists of byGenre)
    for (const [place, artist] of artists.entries()) {
      const listedArtist = similar.get(artist.id);
      similar.set(artist.id, {
        artist,
        genres: (listedArtist?.genres ?? 0) + 1,
        place: Math.min(place, listedArtist?.place ?? place),
      });
    }
  similar.delete(exceptId);
  return [...similar.values()]
    .sort((a, b) => b.genres - a.genres || a.place - b.place)
    .slice(0, SHOWN_ARTISTS)
    .map(({ artist }) => artist);
}
