import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { IconChooseFolder, IconScan, IconTrack } from '../../../ui/theme/icons.ts';
import { useScanFault, useScanProgress, useStartScan } from '../../../api/jobs.ts';
import { useSession } from '../../../api/session.ts';
import { findSetting, settingsQuery } from '../../../api/settings.ts';
import { Button, ButtonLink } from '../../../ui/controls/button.tsx';
import { EmptyState } from '../../../ui/states.tsx';

/**
 * The start page of an empty library; it depends on whether a folder is chosen, a scan is running, and who is signed
 * in.
 */
export function EmptyLibrary() {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser ?? false;
  const settings = useQuery({ ...settingsQuery(), enabled: isOwner });
  const scanning = useScanProgress() !== null;
  const scan = useStartScan();
  const fault = useScanFault({ enabled: isOwner });
  if (scanning)
    return (
      <EmptyState icon={IconScan} title={t('empty.scanningTitle')}>
        {t('empty.scanning')}
      </EmptyState>
    );
  if (!isOwner)
    return (
      <EmptyState icon={IconTrack} title={t('empty.title')}>
        {t('empty.askOwner')}
      </EmptyState>
    );
  const hasFolder = Boolean(findSetting(settings.data, 'local_media_import_path')?.value);
  const actions = (
    <>
      {hasFolder && (
        <Button variant="primary" icon={IconScan} onClick={() => scan.mutate()} disabled={scan.isPending}>
          {t('scan.start')}
        </Button>
      )}
      {(!hasFolder || fault !== null) && (
        <ButtonLink
          to="/setup"
          search={{ step: 'folder' }}
          variant={hasFolder ? 'plain' : 'primary'}
          icon={IconChooseFolder}
        >
          {t(hasFolder ? 'empty.changeFolder' : 'empty.chooseFolder')}
        </ButtonLink>
      )}
    </>
  );
  return (
    <EmptyState icon={IconTrack} title={t('empty.title')} actions={actions}>
      {(hasFolder && fault) || t(hasFolder ? 'empty.scanOrDrop' : 'empty.chooseOrDrop')}
    </EmptyState>
  );
}
