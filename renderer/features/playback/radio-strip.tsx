// The strip above the queue while a radio plays: how the radio chooses tracks, and commands that steer it.
import { Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSteeringIds } from '../../music/steering-memory.ts';
import { useSteering } from '../../music/use-steering.ts';
import { useCurrentTrack, usePlayer } from '../../player/use-player.ts';
import { Button } from '../../ui/controls/button.tsx';
import { IconDown, IconLess, IconMoreLike, IconUndo } from '../../ui/theme/icons.ts';
import '../../i18n/page-texts.ts';
import styles from './radio-strip.module.css';

export function RadioStrip() {
  const { t } = useTranslation();
  const radio = usePlayer((state) => state.radio);
  const track = useCurrentTrack();
  const steer = useSteering();
  const steering = useSteeringIds(radio?.seed);
  if (!radio || !track) return null;
  return (
    <section className={styles.strip} aria-label={t('radio.steer')}>
      <p>{t(radio.by === 'sound' ? 'radio.bySound' : 'radio.byTags')}</p>
      <div role="group" aria-label={t('radio.steerTrack', { title: track.title })} className={styles.buttons}>
        <Button icon={IconMoreLike} aria-pressed={radio.more.includes(track.id)} onClick={() => steer.more(track)}>
          {t('radio.more')}
        </Button>
        <Button icon={IconLess} onClick={() => steer.less(track)}>
          {t('radio.less')}
        </Button>
        <Menu position="bottom-end">
          <Menu.Target>
            <Button>
              {t('radio.never')}
              <IconDown size={16} aria-hidden />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => void steer.never(track)}>{t('radio.neverTrack')}</Menu.Item>
            {track.artist_id !== null && (
              <Menu.Item onClick={() => void steer.neverArtist(track)}>
                {t('radio.neverArtist', { name: track.artist_name })}
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
        {steering.more.length + steering.less.length > 0 && (
          <Button icon={IconUndo} onClick={steer.reset}>
            {t('radio.reset')}
          </Button>
        )}
      </div>
    </section>
  );
}
