import { NativeSelect } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../api/session.ts';
import { chooseLanguage, LANGUAGES, useLanguageChoice, type LanguageChoice } from '../../i18n/language.ts';
import { chooseScheme, SCHEME_CHOICES, useSchemeChoice, type SchemeChoice } from '../../ui/scheme.ts';
import { SettingGroup, SettingRow } from './setting-row.tsx';
import { SettingList } from './setting-list.tsx';
import styles from './settings.module.css';

/** Theme and language are each browser's own, and kept there; the rest is the server's. */
export function GeneralSection() {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser ?? false;
  const scheme = useSchemeChoice();
  const language = useLanguageChoice();
  const [schemeId, languageId] = [useId(), useId()];
  return (
    <>
      <SettingGroup title={t('settings.general.here')}>
        <SettingRow label={t('scheme.label')} help={t('settings.general.schemeHelp')} htmlFor={schemeId}>
          <NativeSelect id={schemeId} size="md" className={styles.field} value={scheme} onChange={(event) => chooseScheme(event.currentTarget.value as SchemeChoice)}
            data={SCHEME_CHOICES.map((choice) => ({ value: choice, label: t(`scheme.${choice}`) }))} />
        </SettingRow>
        <SettingRow label={t('settings.general.language')} help={t('settings.general.languageHelp')} htmlFor={languageId}>
          <NativeSelect id={languageId} size="md" className={styles.field} value={language} onChange={(event) => void chooseLanguage(event.currentTarget.value as LanguageChoice)}
            data={[{ value: 'system', label: t('settings.general.languageSystem') }, ...Object.entries(LANGUAGES).map(([value, { name }]) => ({ value, label: name }))]} />
        </SettingRow>
      </SettingGroup>
      {isOwner && <SettingList group="general" title={t('settings.server')} />}
    </>
  );
}
