import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { SettingOut } from '../../../api/routes.ts';
import { usersQuery } from '../../../api/users.ts';
import { helpOf, labelOf } from '../../../i18n/setting-texts.ts';
import { settingName } from '../../../music/setting-sections.ts';
import { helpId, Saved, SetByEnvironment, SettingRow } from '../setting-row.tsx';
import styles from '../settings.module.css';
import { useChoice } from '../use-setting.ts';

/** Which account gets the ratings and play counts in the tags of files. */
export function TagRatingsAccount({ setting }: { setting: SettingOut }) {
  const { t } = useTranslation();
  const id = useId();
  const users = useQuery(usersQuery());
  const { value, choose, fault, isSaved } = useChoice(setting);
  const account = typeof value === 'string' ? value : '';
  const names = users.data?.items.map(({ username }) => username) ?? [];
  const isListed = account === '' || names.includes(account);
  return (
    <SettingRow
      name={settingName(setting.key)}
      label={labelOf(setting)}
      help={helpOf(setting)}
      htmlFor={id}
      notes={
        <>
          <p role="alert" className={styles.fault}>
            {fault}
          </p>
          <p className={styles.notes}>
            {setting.origin === 'env' && <SetByEnvironment setting={setting} />}
            {account !== '' && <span>{t('settings.library.tagRatingsJob')}</span>}
            <Saved shown={isSaved} />
          </p>
        </>
      }
    >
      <NativeSelect
        id={id}
        size="md"
        className={styles.field}
        value={account}
        disabled={setting.origin === 'env'}
        aria-describedby={helpId(id)}
        data={[
          { value: '', label: t('settings.library.tagRatingsNobody') },
          ...(isListed ? names : [account, ...names]).map((name) => ({ value: name, label: name })),
        ]}
        onChange={(event) => choose(event.currentTarget.value || null)}
      />
    </SettingRow>
  );
}
