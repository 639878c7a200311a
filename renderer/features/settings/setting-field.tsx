// One setting of the server: label, help, control and origin. The type of the value determines the control, so a new
// setting needs no code.
import { NativeSelect, PasswordInput, Switch, TextInput } from '@mantine/core';
import { useId, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { IconShowFolder } from '../../ui/theme/icons.ts';
import type { SettingOut } from '../../api/routes.ts';
import { useChangeSettings } from '../../api/settings.ts';
import { desktop } from '../../desktop.ts';
import { Button } from '../../ui/controls/button.tsx';
import { choiceLabel, exampleOf, helpOf, labelOf, zeroTextOf } from '../../i18n/setting-texts.ts';
import { settingName } from '../../music/setting-sections.ts';
import { helpId, Saved, SetByEnvironment, SettingRow } from './setting-row.tsx';
import styles from './settings.module.css';
import { useChoice, useDraft } from './use-setting.ts';

/**
 * Returns whether the setting is read-only. settings.json is in the data folder, so that folder cannot be changed
 * here.
 */
const isFixed = ({ key, origin }: SettingOut): boolean => origin === 'env' || key === 'data_dir';

export function SettingField({ setting }: { setting: SettingOut }) {
  if (typeof setting.value === 'boolean') return <SwitchField setting={setting} />;
  return setting.choices ? (
    <ChoiceField setting={setting} choices={setting.choices} />
  ) : (
    <TextField setting={setting} />
  );
}

function SwitchField({ setting }: { setting: SettingOut }) {
  const id = useId();
  const { value, choose, ...notes } = useChoice(setting);
  return (
    <SettingRow
      name={settingName(setting.key)}
      label={labelOf(setting)}
      help={helpOf(setting)}
      htmlFor={id}
      notes={<Notes setting={setting} {...notes} />}
    >
      <Switch
        id={id}
        checked={value === true}
        disabled={isFixed(setting)}
        aria-describedby={helpId(id)}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
    </SettingRow>
  );
}

function ChoiceField({ setting, choices }: { setting: SettingOut; choices: string[] }) {
  const id = useId();
  const { value, choose, ...notes } = useChoice(setting);
  return (
    <SettingRow
      name={settingName(setting.key)}
      label={labelOf(setting)}
      help={helpOf(setting)}
      htmlFor={id}
      notes={<Notes setting={setting} {...notes} />}
    >
      <NativeSelect
        id={id}
        size="md"
        className={styles.field}
        value={String(value ?? '')}
        disabled={isFixed(setting)}
        aria-describedby={helpId(id)}
        data={choices.map((choice) => ({ value: choice, label: choiceLabel(setting, choice) }))}
        onChange={(event) => choose(event.currentTarget.value)}
      />
    </SettingRow>
  );
}

function TextField({ setting }: { setting: SettingOut }) {
  const { t } = useTranslation();
  const id = useId();
  const { text, fault, isSaved, type, commit, cancel } = useDraft(setting);
  const isNumber = typeof setting.value === 'number';
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') commit();
    if (event.key === 'Escape') cancel();
  };
  const props = {
    id,
    className: styles.field,
    value: text,
    disabled: isFixed(setting),
    error: fault !== null,
    autoComplete: 'off',
    spellCheck: false,
    'aria-describedby': `${helpId(id)} ${id}-fault`,
    onChange: (event: { currentTarget: HTMLInputElement }) => type(event.currentTarget.value),
    onBlur: commit,
    onKeyDown,
  };
  return (
    <SettingRow
      name={settingName(setting.key)}
      label={labelOf(setting)}
      help={helpOf(setting)}
      htmlFor={id}
      wide={!isNumber}
      notes={<Notes setting={setting} isSaved={isSaved} fault={fault} faultId={`${id}-fault`} />}
    >
      {setting.secret ? (
        <PasswordInput
          {...props}
          autoComplete="new-password"
          placeholder={setting.is_set ? t('settings.secretSet') : ''}
          visibilityToggleButtonProps={{ 'aria-label': t('settings.showTyped') }}
        />
      ) : (
        <TextInput
          {...props}
          inputMode={isNumber && setting.unit !== 'bytes' ? 'decimal' : 'text'}
          placeholder={exampleOf(setting)}
        />
      )}
      {isNumber && text !== '' && Number(text) === 0 && <span className={styles.hint}>{zeroTextOf(setting)}</span>}
      {setting.unit === 'folder' && desktop && !isFixed(setting) && (
        <Button
          icon={IconShowFolder}
          onClick={() => void desktop?.pickFolder(text).then((pickedFolder) => pickedFolder && type(pickedFolder))}
        >
          {t('picker.pick')}
        </Button>
      )}
    </SettingRow>
  );
}

interface NotesProps {
  setting: SettingOut;
  isSaved: boolean;
  fault?: string | null;
  faultId?: string;
}

/** The origin of the value, and when a change takes effect. */
function Notes({ setting, isSaved, fault, faultId }: NotesProps) {
  const { t } = useTranslation();
  const change = useChangeSettings();
  const { key, origin, is_set, is_in_use, restart_needed, restart_pending } = setting;
  return (
    <>
      <p id={faultId} role="alert" className={styles.fault}>
        {fault}
      </p>
      <p className={styles.notes}>
        {origin === 'env' ? (
          <SetByEnvironment setting={setting} />
        ) : (
          <span>{t(`settings.origin.${is_set ? origin : 'none'}`)}</span>
        )}
        {!is_in_use && <span>{t('settings.noEffect')}</span>}
        {origin === 'file' && (
          <button
            type="button"
            className={styles.link}
            aria-label={t(setting.secret ? 'settings.removeLabel' : 'settings.useDefaultLabel', {
              name: labelOf(setting),
            })}
            onClick={() => change.mutate({ [key]: null })}
          >
            {t(setting.secret ? 'settings.remove' : 'settings.useDefault')}
          </button>
        )}
        {key === 'data_dir' ? (
          origin !== 'env' && <span>{t('settings.fixed')}</span>
        ) : restart_pending ? (
          <span className={styles.pending}>{t('settings.restartPending')}</span>
        ) : (
          restart_needed && <span>{t('settings.restartNeeded')}</span>
        )}
        <Saved shown={isSaved && !restart_pending} />
      </p>
    </>
  );
}
