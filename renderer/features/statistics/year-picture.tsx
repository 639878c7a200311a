// A year of listening as one picture to share, drawn in the browser.
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { YearOut } from '../../../server/stats/wire.ts';
import { coverUrl } from '../../api/urls.ts';
import { Button } from '../../ui/controls/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { IconPublic, IconSavePicture } from '../../ui/theme/icons.ts';
import { drawYear, YEAR_SIZE, type YearFacts } from './draw-year.ts';
import { fileName, saveFile } from './export-plot.ts';
import { topTrackCover } from './ranks.ts';
import styles from './statistics.module.css';

const MAX_COVERS = 5;
const MAX_NAMES = 5;

export function YearPicture({ review }: { review: YearOut }) {
  const { t } = useTranslation();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setIsDrawn] = useState(false);
  const title = t('statistics.yearTitle', { year: review.year });
  const facts: YearFacts = {
    year: String(review.year),
    heading: t('statistics.yearIn'),
    minutes: formatNumber(review.minutes),
    minutesLabel: t('statistics.minutesListened'),
    numbers: [
      [formatNumber(review.plays), t('statistics.plays')],
      [formatNumber(review.active_days), t('statistics.activeDays')],
      [formatNumber(review.new_artists), t('statistics.newArtists')],
    ],
    lists: [
      { title: t('statistics.top.artists'), names: review.top_artists.slice(0, MAX_NAMES).map(({ name }) => name) },
      { title: t('statistics.top.tracks'), names: review.top_tracks.slice(0, MAX_NAMES).map((track) => track.title) },
    ],
    covers: coversOf(review),
    by: t('app.name'),
  };
  const factsKey = JSON.stringify(facts);
  useEffect(() => {
    let isCurrent = true;
    setIsDrawn(false);
    void drawYear(canvas.current, JSON.parse(factsKey) as YearFacts, () => isCurrent).then(() => {
      if (isCurrent) setIsDrawn(true);
    });
    return () => {
      isCurrent = false;
    };
  }, [factsKey]);

  const file = async (): Promise<File | null> => {
    const blob = await new Promise<Blob | null>((resolve) => canvas.current?.toBlob(resolve, 'image/png'));
    return blob && new File([blob], fileName(title, 'png'), { type: 'image/png' });
  };
  const save = async () => {
    const picture = await file();
    if (picture) saveFile(picture.name, picture);
  };
  const share = async () => {
    const picture = await file();
    if (!picture) return;
    await navigator.share({ title, files: [picture] }).catch((error: unknown) => {
      // the share dialog was closed without a choice
      if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
    });
  };
  const canShare =
    typeof navigator.canShare === 'function' &&
    navigator.canShare({ files: [new File([], 'year.png', { type: 'image/png' })] });

  return (
    <section className={styles.year} aria-label={title} data-wide>
      <canvas
        ref={canvas}
        width={YEAR_SIZE.width}
        height={YEAR_SIZE.height}
        role="img"
        aria-label={t('statistics.yearSummary', {
          year: review.year,
          minutes: facts.minutes,
          artist: facts.lists[0]?.names[0] ?? '',
          track: facts.lists[1]?.names[0] ?? '',
        })}
        data-drawn={isDrawn || undefined}
      />
      <div className={styles.yearTools}>
        <h3>{title}</h3>
        <p>{t('statistics.yearHelp')}</p>
        <div>
          <Button variant="primary" icon={IconSavePicture} disabled={!isDrawn} onClick={() => void save()}>
            {t('statistics.savePicture')}
          </Button>
          {canShare && (
            <Button icon={IconPublic} disabled={!isDrawn} onClick={() => void share()}>
              {t('statistics.sharePicture')}
            </Button>
          )}
        </div>
      </div>
    </section>
  );
}

/** Returns covers of the top albums, then of the top tracks' albums. */
function coversOf({ top_albums, top_tracks }: YearOut): string[] {
  const covers = [
    ...top_albums.flatMap(({ album_id, has_cover }) =>
      album_id !== null && has_cover ? coverUrl('albums', album_id, 600) : [],
    ),
    ...top_tracks.flatMap((track) => topTrackCover(track, 600) ?? []),
  ];
  return [...new Set(covers)].slice(0, MAX_COVERS);
}
