import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { IconShowFolder } from '../../ui/theme/icons.ts';
import { useScanFault, useStartScan } from '../../api/jobs.ts';
import { ApiError, detailOf } from '../../api/problem.ts';
import { findSetting, settingsQuery, useChangeSettings } from '../../api/settings.ts';
import { desktop } from '../../desktop.ts';
import { FolderPicker } from '../../music/folder-picker.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { formText } from '../../ui/controls/form-text.ts';
import { Skeleton } from '../../ui/states.tsx';
import { FormError } from './auth-layout.tsx';
import styles from './auth-layout.module.css';

const PATH_SETTING = 'local_media_import_path';
const MODE_SETTING = 'local_media_import_mode';
const IMPORT_MODES = ['copy', 'reference'] as const;

export function SetupFolder({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const settings = useQuery(settingsQuery());
  const change = useChangeSettings();
  const scan = useStartScan();
  const fault = useScanFault({ enabled: true }); // the first scan, started with --import, may have failed
  const [path, setPath] = useState<string>();
  const pathSetting = findSetting(settings.data, PATH_SETTING);
  const modeSetting = findSetting(settings.data, MODE_SETTING);
  const isPathFixed = pathSetting?.origin === 'env' && Boolean(pathSetting.value);
  const isBusy = change.isPending || scan.isPending;
  const problem = change.error instanceof ApiError ? change.error : null;
  const pathError = problem?.field(PATH_SETTING);
  const otherError = (problem && problem.fields.length === 0 ? problem : null) ?? scan.error ?? settings.error;

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!isPathFixed) {
      const mode = modeSetting?.origin === 'env' ? {} : { [MODE_SETTING]: formText(form, MODE_SETTING) };
      await change.mutateAsync({ [PATH_SETTING]: formText(form, PATH_SETTING).trim(), ...mode });
    }
    await scan.mutateAsync();
    onDone();
  };

  if (settings.isPending) return <Skeleton height="220px" />;
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event).catch(() => undefined)}>
      {otherError ? <FormError>{detailOf(otherError)}</FormError> : fault && <FormError>{fault}</FormError>}
      {isPathFixed ? (
        <div className={styles.decided}>
          <p>{String(pathSetting.value)}</p>
          <p>
            {t('setup.folder.decided', {
              mode: t(modeSetting?.value === 'reference' ? 'setup.folder.reference' : 'setup.folder.copy'),
            })}
          </p>
        </div>
      ) : (
        <>
          <TextInput
            name={PATH_SETTING}
            label={t('setup.folder.path')}
            description={t('setup.folder.pathHelp')}
            required
            withAsterisk={false}
            autoComplete="off"
            spellCheck={false}
            autoFocus
            value={path ?? String(pathSetting?.value ?? '')}
            onChange={(event) => setPath(event.currentTarget.value)}
            error={pathError && t('picker.fault', { fault: pathError })}
          />
          {!desktop && (
            <FolderPicker
              path={path ?? (String(pathSetting?.value ?? '') || undefined)}
              onChange={setPath}
              isRefused={pathError !== undefined}
            />
          )}
          {desktop && (
            <Button
              icon={IconShowFolder}
              onClick={() => void desktop?.pickFolder().then((pickedFolder) => pickedFolder && setPath(pickedFolder))}
            >
              {t('setup.folder.pick')}
            </Button>
          )}
          {modeSetting?.origin !== 'env' && (
            <fieldset className={styles.choices}>
              <legend>{t('setup.folder.how')}</legend>
              {IMPORT_MODES.map((mode) => (
                <label key={mode} className={styles.choice}>
                  <input
                    type="radio"
                    name={MODE_SETTING}
                    value={mode}
                    defaultChecked={mode === (modeSetting?.value ?? 'copy')}
                  />
                  <strong>{t(`setup.folder.${mode}`)}</strong>
                  <span>{t(`setup.folder.${mode}Help`)}</span>
                </label>
              ))}
            </fieldset>
          )}
        </>
      )}
      <div className={styles.buttons}>
        {!isPathFixed && (
          <Button variant="plain" onClick={onDone}>
            {t('setup.later')}
          </Button>
        )}
        <Button type="submit" variant="primary" disabled={isBusy}>
          {t('setup.folder.start')}
        </Button>
      </div>
    </form>
  );
}
