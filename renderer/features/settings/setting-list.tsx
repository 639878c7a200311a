import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { detailOf } from '../../api/problem.ts';
import type { SettingOut } from '../../api/routes.ts';
import { settingsQuery } from '../../api/settings.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { settingName } from '../../music/setting-sections.ts';
import { useAddress } from './jump.ts';
import { SettingField } from './setting-field.tsx';
import { SettingGroup } from './setting-row.tsx';
import styles from './settings.module.css';

interface SettingListProps {
  group: SettingOut['group'];
  /** Name of the group in the address of the settings window. */
  name?: string;
  title?: string;
  /** Controls that replace the default one, by the key of the setting. */
  special?: Record<string, (setting: SettingOut) => ReactNode>;
  /** Keys of settings that are elsewhere on the page. */
  except?: readonly string[];
  children?: ReactNode;
}

/**
 * All settings of a group that have an effect, and the one that somebody looked for; advanced settings are collapsed.
 * `children` follow the normal settings.
 */
export function SettingList({ group, name, title, special = {}, except = [], children }: SettingListProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(settingsQuery());
  const { setting } = useAddress();
  if (error) return <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height="240px" radius="16px" />;
  // a setting without an effect is displayed to those who looked for it
  const isShown = ({ key, is_in_use }: SettingOut) => is_in_use || settingName(key) === setting;
  const items = data.items.filter((item) => item.group === group && isShown(item) && !except.includes(item.key));
  const draw = (setting: SettingOut) =>
    special[setting.key]?.(setting) ?? <SettingField key={setting.key} setting={setting} />;
  const normalSettings = items.filter(({ advanced }) => !advanced);
  const rare = items.filter(({ advanced }) => advanced);
  return (
    <>
      {(normalSettings.length > 0 || children) && (
        <SettingGroup {...(name !== undefined && { name })} {...(title !== undefined && { title })}>
          {normalSettings.map(draw)}
          {children}
        </SettingGroup>
      )}
      {rare.length > 0 && (
        <details className={styles.advanced}>
          <summary>{t('settings.advanced')}</summary>
          <div className={styles.card}>{rare.map(draw)}</div>
        </details>
      )}
    </>
  );
}
