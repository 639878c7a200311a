import { Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { IconMore } from '../../ui/icons.ts';
import type { ArtistOut } from '../../../server/library/wire.ts';
import { detailOf } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { useChangeArtist } from '../../api/tracks.ts';
import { IconButton } from '../../ui/button.tsx';
import { useUndoNotice } from '../../ui/undo-notice.tsx';

/** The owner's options for an artist name. */
export function ArtistMenu({ artist }: { artist: ArtistOut }) {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser ?? false;
  const notice = useUndoNotice();
  const change = useChangeArtist(artist.id);
  if (!isOwner) return null;
  const onError = (error: Error) => notice.tell(detailOf(error));
  const keepWhole = (whole: boolean) =>
    change.mutate(
      { never_split: whole },
      {
        onSuccess: () =>
          notice.done(t(whole ? 'artist.kept' : 'artist.notKept', { name: artist.name }), () =>
            change.mutate({ never_split: !whole }, { onError }),
          ),
        onError,
      },
    );
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <IconButton label={t('artist.menu', { name: artist.name })} icon={IconMore} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.CheckboxItem checked={artist.never_split} onChange={keepWhole}>
          {t('artist.neverSplit')}
        </Menu.CheckboxItem>
      </Menu.Dropdown>
    </Menu>
  );
}
