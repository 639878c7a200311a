import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { IconRate } from '../ui/icons.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { ratingQuery, useLike, useLiked, useRating } from '../api/likes.ts';
import { useUndoNotice } from '../ui/undo-notice.tsx';

const STARS = [5, 4, 3, 2, 1, 0];

/** 0 to 5 stars, inside a menu. */
export function RateItems({ track }: { track: TrackOut }) {
  const { t } = useTranslation();
  const { tell } = useUndoNotice();
  const liked = useLiked('track', track);
  const read = useQuery(ratingQuery('track', track.id));
  const rating = useRating('track', track.id) ?? read.data ?? 0;
  const like = useLike((error) => tell(t('like.failed', { name: track.title, detail: error.message })));
  return (
    <Menu.Sub>
      <Menu.Sub.Target>
        <Menu.Sub.Item leftSection={<IconRate size={16} aria-hidden />}>{t('like.rate')}</Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown>
        <Menu.RadioGroup value={String(rating)}>
          {STARS.map((stars) => (
            <Menu.RadioItem
              key={stars}
              value={String(stars)}
              aria-label={t('like.stars', { count: stars })}
              closeMenuOnClick
              onChange={() => like.mutate({ type: 'track', item: { id: track.id, liked }, rating: stars })}
            >
              {stars === 0 ? t('like.stars', { count: 0 }) : '★'.repeat(stars)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Sub.Dropdown>
    </Menu.Sub>
  );
}
