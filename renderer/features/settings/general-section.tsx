import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../api/session.ts';
import { settingsQuery } from '../../api/settings.ts';
import { desktop } from '../../desktop.ts';
import { chooseLanguage, LANGUAGES, nameOfLanguage, useLanguageChoice } from '../../i18n/language.ts';
import { chooseScheme, SCHEME_CHOICES, useSchemeChoice, type SchemeChoice } from '../../ui/theme/scheme.ts';
import { DesktopGroup } from './desktop-group.tsx';
import { SettingGroup, SettingRow } from './setting-row.tsx';
import { SettingList } from './setting-list.tsx';
import styles from './settings.module.css';

/** General settings. Theme and language are stored in the browser, the other settings on the server. */
export function GeneralSection() {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser ?? false;
  const scheme = useSchemeChoice();
  const language = useLanguageChoice();
  const [schemeId, languageId] = [useId(), useId()];
  return (
    <>
      <SettingGroup title={t(desktop ? 'settings.general.hereApp' : 'settings.general.here')}>
        <SettingRow name="theme" label={t('scheme.label')} help={t('settings.general.schemeHelp')} htmlFor={schemeId}>
          <NativeSelect
            id={schemeId}
            size="md"
            className={styles.field}
            value={scheme}
            onChange={(event) => chooseScheme(event.currentTarget.value as SchemeChoice)}
            data={SCHEME_CHOICES.map((choice) => ({ value: choice, label: t(`scheme.${choice}`) }))}
          />
        </SettingRow>
        <SettingRow
          name="language"
          label={t('settings.general.language')}
          help={t('settings.general.languageHelp')}
          htmlFor={languageId}
        >
          <NativeSelect
            id={languageId}
            size="md"
            className={styles.field}
            value={language}
            onChange={(event) => void chooseLanguage(event.currentTarget.value)}
            data={[
              {
                value: 'system',
                label: t(desktop ? 'settings.general.languageSystemApp' : 'settings.general.languageSystem'),
              },
              ...LANGUAGES.map((value) => ({ value, label: nameOfLanguage(value) })),
            ]}
          />
        </SettingRow>
      </SettingGroup>
      <DesktopGroup />
      {isOwner && (
        <SettingList group="general" title={t('settings.server')}>
          <SecretPlace />
        </SettingList>
      )}
    </>
  );
}

/** The current storage of secrets, which differs from the setting above before a restart or without a keychain. */
function SecretPlace() {
  const { t } = useTranslation();
  const secrets = useQuery(settingsQuery()).data?.secret_store;
  if (!secrets) return null;
  return (
    <SettingRow
      label={t('settings.secrets.label')}
      help={t(`settings.secrets.${secrets.place}`)}
      notes={
        secrets.why_not !== null && (
          <p className={styles.notes}>{t('settings.secrets.whyNot', { reason: secrets.why_not })}</p>
        )
      }
    />
  );
}
