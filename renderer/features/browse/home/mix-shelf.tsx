// The mixes of today, each with its reason.
import type { CSSProperties } from 'react';
import { useTranslation } from 'react-i18next';
import { fetchMix, type Mix } from '../../../api/likeness.ts';
import { detailOf } from '../../../api/problem.ts';
import { coverUrl } from '../../../api/urls.ts';
import { mixName } from '../../../music/mix-name.ts';
import { Mosaic } from '../../../music/mosaic.tsx';
import { reasonsText } from '../../../music/reasons.ts';
import { usePlayerCommands } from '../../../player/use-player.ts';
import { classNames } from '../../../ui/class-names.ts';
import { PlayIcon } from '../../../ui/theme/css-icons.tsx';
import { RowLink } from '../../../ui/lists/row-link.tsx';
import { useUndoNotice } from '../../../ui/controls/undo-notice.tsx';
import card from '../card.module.css';
import styles from '../shelf.module.css';
import own from './mix-shelf.module.css';

const CARD_WIDTH = 172;

export function MixShelf({ mixes }: { mixes: readonly Mix[] }) {
  const { t } = useTranslation();
  return (
    <section className={styles.shelf} aria-label={t('home.mixed')}>
      <div className={styles.head}>
        <h2>{t('home.mixed')}</h2>
      </div>
      <ul className={styles.row} style={{ '--card': `${CARD_WIDTH}px` } as CSSProperties}>
        {mixes.map((mix) => (
          <li key={mix.id}>
            <MixCard mix={mix} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function MixCard({ mix }: { mix: Mix }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const { tell } = useUndoNotice();
  const name = mixName(mix, t);
  const covers = mix.cover_track_ids.map((id) => coverUrl('tracks', id, 300));
  const play = () =>
    fetchMix(mix.id).then(
      ({ items }) =>
        player.playTracks(
          items.map(({ track, reasons }) => ({ ...track, why: reasons })),
          { shuffle: false, from: name },
        ),
      (error: unknown) => tell(detailOf(error)),
    );
  return (
    <div className={card.card}>
      <RowLink href={`/mixes/${encodeURIComponent(mix.id)}`} className={card.link} data-stop aria-label={name}>
        <Mosaic covers={covers} />
        <span className={classNames(card.title, own.name)}>{name}</span>
      </RowLink>
      <button
        type="button"
        className={classNames(card.play, own.play)}
        tabIndex={-1}
        aria-label={t('album.playLabel', { title: name })}
        onClick={() => void play()}
      >
        <PlayIcon size={18} />
      </button>
      <span className={own.why}>{reasonsText(mix.why, t, 1) || mix.artist_names.join(', ')}</span>
    </div>
  );
}
