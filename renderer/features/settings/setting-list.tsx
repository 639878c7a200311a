import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { SettingOut } from '../../../server/settings/wire.ts';
import { detailOf } from '../../api/problem.ts';
import { settingsQuery } from '../../api/settings.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { SettingField } from './setting-field.tsx';
import { SettingGroup } from './setting-row.tsx';
import styles from './settings.module.css';

interface SettingListProps {
  group: SettingOut['group'];
  title?: string;
  /** Most people never need these; they stand behind a heading that opens. */
  advanced?: readonly string[];
  /** Another control than the usual one. */
  special?: Record<string, (setting: SettingOut) => ReactNode>;
  /** Which of them make sense now. */
  isShown?: (key: string, value: (key: string) => SettingOut['value'] | undefined) => boolean;
  children?: ReactNode;
}

/** All settings of a group, as the server lists them; `children` stand below the usual ones. */
export function SettingList({
  group,
  title,
  advanced = [],
  special = {},
  isShown = () => true,
  children,
}: SettingListProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(settingsQuery());
  if (error) return <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height="240px" radius="16px" />;
  const valueOf = (key: string) => data.items.find((item) => item.key === key)?.value;
  const items = data.items.filter((item) => item.group === group && isShown(item.key, valueOf));
  const draw = (setting: SettingOut) =>
    special[setting.key]?.(setting) ?? <SettingField key={setting.key} setting={setting} />;
  const usual = items.filter(({ key }) => !advanced.includes(key));
  const rare = items.filter(({ key }) => advanced.includes(key));
  return (
    <>
      {(usual.length > 0 || children) && (
        <SettingGroup {...(title !== undefined && { title })}>
          {usual.map(draw)}
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
