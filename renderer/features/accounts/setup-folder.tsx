import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { IconShowFolder } from '../../ui/theme/icons.ts';
import { useScanFault, useStartScan } from '../../api/jobs.ts';
import { folderContentsQuery, serverFolderQuery } from '../../api/music-folders.ts';
import { ApiError, detailOf } from '../../api/problem.ts';
import type { SettingOut } from '../../api/routes.ts';
import { findSetting, settingsQuery, useChangeSettings } from '../../api/settings.ts';
import { desktop } from '../../desktop.ts';
import { addSettingTexts } from '../../i18n/setting-texts.ts';
import { FolderContents } from '../../music/folder-contents.tsx';
import { FolderPicker } from '../../music/folder-picker.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { formText } from '../../ui/controls/form-text.ts';
import { formatBytes } from '../../ui/format.ts';
import { Skeleton } from '../../ui/states.tsx';
import { FormError } from './auth-layout.tsx';
import styles from './auth-layout.module.css';
import '../../i18n/page-texts.ts';

const PATH_SETTING = 'local_media_import_path';
const MODE_SETTING = 'local_media_import_mode';
const IMPORT_MODES = ['reference', 'copy'] as const;
/** It takes no space, and the files stay as they are. */
const RECOMMENDED_MODE = 'reference';

interface SetupFolderProps {
  onDone: () => void;
  /** Leaves the step without a scan. */
  onSkip: () => void;
  /** Begins beside the chosen folder if there is no music in it. */
  isOtherFolder: boolean;
}

export function SetupFolder({ onDone, onSkip, isOtherFolder }: SetupFolderProps) {
  const { t } = useTranslation();
  addSettingTexts();
  const settings = useQuery(settingsQuery());
  const change = useChangeSettings();
  const scan = useStartScan();
  const fault = useScanFault({ enabled: true }); // the first scan, started with --import, may have failed
  const [path, setPath] = useState<string>();
  const pathSetting = findSetting(settings.data, PATH_SETTING);
  const modeSetting = findSetting(settings.data, MODE_SETTING);
  const isPathFixed = pathSetting?.origin === 'env' && Boolean(pathSetting.value);
  const chosenPath = String(pathSetting?.value ?? '') || undefined;
  const chosenFolder = useQuery({
    ...serverFolderQuery(chosenPath),
    enabled: isOtherFolder && chosenPath !== undefined,
  });
  const chosenContents = useQuery({
    ...folderContentsQuery(chosenPath ?? ''),
    enabled: isOtherFolder && chosenPath !== undefined,
  });
  const hasMusic = (chosenContents.data?.audio_files ?? 0) > 0;
  const startPath = isOtherFolder && !hasMusic ? (chosenFolder.data?.parent ?? chosenPath) : chosenPath;
  const shownPath = path ?? startPath;
  const contents = useQuery({ ...folderContentsQuery(shownPath ?? ''), enabled: shownPath !== undefined }).data;
  const isTooLarge = contents !== undefined && contents.audio_bytes > contents.library_free_bytes;
  const copyHelp = (): string =>
    contents === undefined || contents.audio_files === 0 || !contents.is_complete
      ? t('picker.copyHelp')
      : t(isTooLarge ? 'setup.folder.copyDoesNotFit' : 'setup.folder.copyNeeds', {
          size: formatBytes(contents.audio_bytes),
          free: formatBytes(contents.library_free_bytes),
        });
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

  if (settings.isPending || chosenFolder.isLoading || chosenContents.isLoading) return <Skeleton height="220px" />;
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event).catch(() => undefined)}>
      {otherError ? <FormError>{detailOf(otherError)}</FormError> : fault && <FormError>{fault}</FormError>}
      {isPathFixed ? (
        <div className={styles.decided}>
          <p>{String(pathSetting.value)}</p>
          <p>
            {t('setup.folder.decided', {
              mode: t(modeSetting?.value === 'reference' ? 'picker.reference' : 'picker.copy'),
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
            value={shownPath ?? ''}
            onChange={(event) => setPath(event.currentTarget.value)}
            error={pathError && t('picker.fault', { fault: pathError })}
          />
          {!desktop && <FolderPicker path={shownPath} onChange={setPath} isRefused={pathError !== undefined} />}
          {desktop && (
            <Button
              icon={IconShowFolder}
              onClick={() => void desktop?.pickFolder().then((pickedFolder) => pickedFolder && setPath(pickedFolder))}
            >
              {t('picker.pick')}
            </Button>
          )}
          {shownPath !== undefined && pathError === undefined && <FolderContents path={shownPath} />}
          {modeSetting?.origin !== 'env' && (
            <fieldset className={styles.choices}>
              <legend>{t('picker.how')}</legend>
              {IMPORT_MODES.map((mode) => (
                <label key={mode} className={styles.choice}>
                  <input
                    type="radio"
                    name={MODE_SETTING}
                    value={mode}
                    defaultChecked={mode === recommendedOr(modeSetting)}
                    disabled={mode === 'copy' && isTooLarge}
                  />
                  <strong>
                    {t(`picker.${mode}`)}
                    {mode === RECOMMENDED_MODE && <small>{t('setup.folder.recommended')}</small>}
                  </strong>
                  <span>{mode === 'copy' ? copyHelp() : t('picker.referenceHelp')}</span>
                </label>
              ))}
            </fieldset>
          )}
        </>
      )}
      <div className={styles.buttons}>
        {!isPathFixed && (
          <Button variant="plain" onClick={onSkip}>
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

/** Returns the mode that somebody chose, otherwise the recommended one, which differs from the default of servers. */
const recommendedOr = (setting: SettingOut | undefined): unknown =>
  setting?.origin === 'file' ? setting.value : RECOMMENDED_MODE;
