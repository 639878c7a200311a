import { useTranslation } from 'react-i18next';
import type { TrackOut, WorkOut } from '../../../api/routes.ts';
import { usePlayerCommands } from '../../../player/use-player.ts';
import { IconButton } from '../../../ui/controls/button.tsx';
import { IconPlay } from '../../../ui/theme/icons.ts';
import '../../../i18n/page-texts.ts';
import styles from './work-heading.module.css';

interface WorkHeadingProps {
  work: WorkOut;
  tracks: TrackOut[];
  /** True below the heading of a disc. */
  isBelowDisc: boolean;
}

/** The name and the composer of a work above its movements, with a button that plays only the work. */
export function WorkHeading({ work, tracks, isBelowDisc }: WorkHeadingProps) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const Heading = isBelowDisc ? 'h3' : 'h2';
  return (
    <div className={styles.heading}>
      <IconButton
        label={t('credits.playWork', { name: work.name })}
        icon={IconPlay}
        size="small"
        onClick={() => player.playTracks(tracks, { shuffle: false, from: work.name })}
      />
      <Heading>{work.name}</Heading>
      {work.composer !== null && <span>{work.composer}</span>}
    </div>
  );
}
