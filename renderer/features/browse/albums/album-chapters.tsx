import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './album-chapters.module.css';
import type { TrackOut } from '../../../api/routes.ts';

const Chapters = lazy(async () => ({ default: (await import('../../../music/chapters.tsx')).Chapters }));

/** The chapters of an album's audiobooks. */
export function AlbumChapters({ tracks }: { tracks: readonly TrackOut[] }) {
  const { t } = useTranslation();
  const books = tracks.filter((track) => track.has_chapters);
  return books.map((track) => {
    const name = books.length > 1 ? t('chapters.of', { title: track.title }) : t('playback.chapters');
    return (
      <section key={track.id} className={styles.chapters} aria-label={name}>
        <h2>{name}</h2>
        <Suspense fallback={null}>
          <Chapters track={track} />
        </Suspense>
      </section>
    );
  });
}
