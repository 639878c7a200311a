import { Menu } from '@mantine/core';
import { IconDots, IconUserCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ArtistOut } from '../../../server/library/wire.ts';
import { detailOf } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { useChangeArtist } from '../../api/tracks.ts';
import { IconButton } from '../../ui/button.tsx';
import { useUndoNotice } from '../../ui/undo-notice.tsx';

/** What the owner decides about a name. */
export function ArtistMenu({ artist }: { artist: ArtistOut }) {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser ?? false;
  const notice = useUndoNotice();
  const change = useChangeArtist(artist.id);
  if (!isOwner) return null;
  const onError = (error: Error) => notice.tell(detailOf(error));
  const keepWhole = () => change.mutate({ never_split: true }, {
    onSuccess: () => notice.done(t('artist.kept', { name: artist.name }), () => change.mutate({ never_split: false }, { onError })),
    onError,
  });
  return (
    <Menu position="bottom-start">
      <Menu.Target><IconButton label={t('artist.menu', { name: artist.name })} icon={IconDots} /></Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconUserCheck size={16} aria-hidden />} onClick={keepWhole}>{t('artist.neverSplit')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
