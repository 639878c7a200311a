import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { AUDIO_EXTENSIONS } from '../../../server/media/audio-formats.ts';
import { uploadLimitsQuery } from '../../api/upload.ts';
import { Button } from '../../ui/controls/button.tsx';
import { formatBytes } from '../../ui/format.ts';
import { IconChooseFolder, IconTrack } from '../../ui/theme/icons.ts';
import '../../i18n/page-texts.ts';
import styles from './import.module.css';
import type { ChosenFiles } from './upload-queue.ts';

/** Extensions are listed too, because systems do not know the types of all formats. */
const ACCEPTED = ['audio/*', ...[...AUDIO_EXTENSIONS].map((extension) => `.${extension}`)].join(',');

/** Browsers of phones have the property, but their choosers list no folders. */
const canChooseFolders = (): boolean =>
  'webkitdirectory' in HTMLInputElement.prototype && matchMedia('(any-pointer: fine)').matches;

interface ChooseDialogProps {
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
  onChoose: (files: ChosenFiles) => void;
}

export function ChooseDialog({ opened, onClose, onClosed, onChoose }: ChooseDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      title={t('nav.addMusic')}
      closeButtonProps={{ 'aria-label': t('adding.closeDialog') }}
    >
      <Choices onChoose={onChoose} />
    </Modal>
  );
}

function Choices({ onChoose }: Pick<ChooseDialogProps, 'onChoose'>) {
  const { t } = useTranslation();
  const { data: limits } = useQuery(uploadLimitsQuery());
  const filesInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const hasFolders = canChooseFolders();
  const quota = limits?.quota;
  return (
    <div className={styles.choices}>
      <p>
        {t('adding.formats')}
        {limits && ` ${t('adding.maxSize', { size: formatBytes(limits.max_file_bytes) })}`}
      </p>
      {quota && (
        <p>{t('adding.quota', { free: formatBytes(quota.remaining_bytes), total: formatBytes(quota.bytes) })}</p>
      )}
      <div className={styles.choiceButtons}>
        <Button
          variant="primary"
          icon={IconTrack}
          className={styles.choice}
          data-autofocus
          onClick={() => filesInput.current?.click()}
        >
          {t('adding.chooseFiles')}
        </Button>
        {hasFolders && (
          <Button icon={IconChooseFolder} className={styles.choice} onClick={() => folderInput.current?.click()}>
            {t('adding.chooseFolder')}
          </Button>
        )}
      </div>
      {hasFolders && <p>{t('adding.dropHint')}</p>}
      <FileInput ref={filesInput} accept={ACCEPTED} onFiles={(files) => onChoose({ files, inFolders: [] })} />
      {hasFolders && (
        <FileInput ref={folderInput} webkitdirectory onFiles={(inFolders) => onChoose({ files: [], inFolders })} />
      )}
    </div>
  );
}

interface FileInputProps {
  ref: RefObject<HTMLInputElement | null>;
  accept?: string;
  webkitdirectory?: boolean;
  onFiles: (files: File[]) => void;
}

/** An invisible field, which a button opens. */
const FileInput = ({ ref, accept, webkitdirectory, onFiles }: FileInputProps) => (
  <input
    ref={ref}
    type="file"
    multiple
    accept={accept}
    {...(webkitdirectory && { webkitdirectory: '' })}
    hidden
    aria-hidden
    tabIndex={-1}
    onChange={({ currentTarget }) => {
      const files = [...(currentTarget.files ?? [])].filter(({ name }) => !name.startsWith('.'));
      currentTarget.value = ''; // so that the same files can be chosen again
      if (files.length > 0) onFiles(files);
    }}
  />
);
