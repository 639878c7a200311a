import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { StorageStatsOut } from '../../../server/stats/wire.ts';
import type { ServerOut, SettingOut } from '../../api/routes.ts';
import { useSession } from '../../api/session.ts';
import { findSetting, serverQuery, settingsQuery } from '../../api/settings.ts';
import { storageQuery } from '../../api/stats.ts';
import notices from '../../../resources/NOTICES.md?raw';
import licence from '../../../LICENSE?raw';
import { formatNumber } from '../../ui/format.ts';
import { CopyButton } from './copy-button.tsx';
import { diagnostics } from './diagnostics.ts';
import { SettingGroup } from './setting-row.tsx';
import styles from './settings.module.css';

export function AboutSection() {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser ?? false;
  const server = useQuery(serverQuery()).data;
  const settings = useQuery({ ...settingsQuery(), enabled: isOwner }).data;
  const storage = useQuery(storageQuery()).data;
  if (!server) return null;
  const facts: [string, string][] = [
    [t('settings.about.version'), server.version],
    [t('settings.about.runsOn'), `${server.platform}, Node ${server.node}`],
    ...(storage
      ? [
          [
            t('settings.about.library'),
            t('settings.about.counts', {
              tracks: formatNumber(storage.tracks),
              albums: formatNumber(storage.albums),
              artists: formatNumber(storage.artists),
            }),
          ] as [string, string],
        ]
      : []),
    ...(settings
      ? [[t('settings.about.data'), String(findSetting(settings, 'data_dir')?.value ?? '')] as [string, string]]
      : []),
  ];
  return (
    <>
      <SettingGroup name="version" title={t('app.name')} lead={t('settings.about.lead')}>
        <dl className={styles.facts}>
          {facts.map(([name, value]) => [<dt key={`${name}-`}>{name}</dt>, <dd key={name}>{value}</dd>])}
        </dl>
      </SettingGroup>
      <Diagnostics server={server} settings={settings?.items ?? []} storage={storage} />
      <SettingGroup name="licenses" title={t('settings.about.licences')}>
        <details className={styles.app}>
          <summary>{t('settings.about.licenceOf', { name: t('app.name') })}</summary>
          <pre lang="en" className={styles.notices} tabIndex={0}>
            {licence}
          </pre>
        </details>
        <details className={styles.app}>
          <summary>{t('settings.about.notices')}</summary>
          <pre lang="en" className={styles.notices} tabIndex={0}>
            {notices}
          </pre>
        </details>
      </SettingGroup>
    </>
  );
}

function Diagnostics({
  server,
  settings,
  storage,
}: {
  server: ServerOut;
  settings: SettingOut[];
  storage: StorageStatsOut | undefined;
}) {
  const { t } = useTranslation();
  const text = diagnostics({ server, settings, storage, browser: navigator.userAgent });
  return (
    <SettingGroup name="diagnostics" title={t('settings.about.diagnostics')} lead={t('settings.about.diagnosticsLead')}>
      <div className={styles.padded}>
        <pre lang="en" className={styles.notices} tabIndex={0} aria-label={t('settings.about.diagnostics')}>
          {text}
        </pre>
        <div className={styles.buttons}>
          <CopyButton text={text} />
        </div>
      </div>
    </SettingGroup>
  );
}
