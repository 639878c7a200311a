import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import '../../../i18n/page-texts.ts';
import { IconAdd, IconChooseFolder, IconScan, IconTrack } from '../../../ui/theme/icons.ts';
import { useScanFault, useScanProgress, useStartScan } from '../../../api/jobs.ts';
import { folderContentsQuery } from '../../../api/music-folders.ts';
import { useSession } from '../../../api/session.ts';
import { findSetting, settingsQuery } from '../../../api/settings.ts';
import { addMusic } from '../../../music/add-music.ts';
import { describeContents } from '../../../music/folder-contents.tsx';
import { Button, ButtonLink } from '../../../ui/controls/button.tsx';
import { EmptyState } from '../../../ui/states.tsx';

/**
 * The start page of an empty library; it depends on whether a folder is chosen, a scan is running, and who is signed
 * in.
 */
export function EmptyLibrary() {
  const { t } = useTranslation();
  const user = useSession()?.user;
  const isOwner = user?.is_superuser ?? false;
  const mayUpload = user?.can_upload ?? false;
  const settings = useQuery({ ...settingsQuery(), enabled: isOwner });
  const scanning = useScanProgress() !== null;
  if (scanning)
    return (
      <EmptyState icon={IconScan} title={t('empty.scanningTitle')}>
        {t('empty.scanning')}
      </EmptyState>
    );
  if (!isOwner)
    return (
      <EmptyState icon={IconTrack} title={t('empty.title')} actions={<AddButton variant="primary" />}>
        {t(mayUpload ? 'empty.addOrAsk' : 'empty.askOwner')}
      </EmptyState>
    );
  const folder = findSetting(settings.data, 'local_media_import_path')?.value;
  if (typeof folder === 'string' && folder !== '') return <FolderWithoutMusic path={folder} />;
  return (
    <EmptyState
      icon={IconTrack}
      title={t('empty.title')}
      actions={
        <>
          <ButtonLink to="/setup" search={{ step: 'folder', other: true }} variant="primary" icon={IconChooseFolder}>
            {t('empty.chooseFolder')}
          </ButtonLink>
          <AddButton variant="quiet" />
        </>
      }
    >
      {t('empty.chooseOrAdd')}
    </EmptyState>
  );
}

/** Absent for accounts that may not add music. */
function AddButton({ variant }: { variant: 'primary' | 'quiet' | 'plain' }) {
  const { t } = useTranslation();
  const mayUpload = useSession()?.user.can_upload ?? false;
  if (!mayUpload) return null;
  return (
    <Button variant={variant} icon={IconAdd} onClick={() => addMusic()}>
      {t('nav.addMusic')}
    </Button>
  );
}

/** Says why the library is empty although a folder is chosen, and offers another one. */
function FolderWithoutMusic({ path }: { path: string }) {
  const { t } = useTranslation();
  const scan = useStartScan();
  const fault = useScanFault({ enabled: true });
  const contents = useQuery(folderContentsQuery(path));
  const hasMusic = (contents.data?.audio_files ?? 0) > 0;
  const folderName = path.split(/[/\\]/).findLast((name) => name !== '') ?? path;
  const look = () => {
    void contents.refetch();
    scan.mutate();
  };
  const actions = (
    <>
      <ButtonLink
        to="/setup"
        search={{ step: 'folder', other: true }}
        variant={hasMusic ? 'plain' : 'primary'}
        icon={IconChooseFolder}
      >
        {t(hasMusic ? 'empty.changeFolder' : 'empty.otherFolder')}
      </ButtonLink>
      <Button variant={hasMusic ? 'primary' : 'plain'} icon={IconScan} onClick={look} disabled={scan.isPending}>
        {t(hasMusic ? 'scan.start' : 'empty.lookAgain')}
      </Button>
      <AddButton variant="plain" />
    </>
  );
  return (
    <EmptyState
      icon={IconTrack}
      title={hasMusic ? t('empty.title') : t('empty.noMusicTitle', { folder: folderName })}
      actions={actions}
    >
      {path}
      <br />
      {fault ?? (hasMusic || !contents.data ? t('empty.scanOrAdd') : describeContents(t, contents.data))}
    </EmptyState>
  );
}
