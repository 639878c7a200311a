// The list of music folders: adding, changing, removing and restoring them.
import { Modal, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useStartScan } from '../../../api/jobs.ts';
import type { MusicFolderOut } from '../../../api/routes.ts';
import {
  musicFoldersQuery,
  useAddMusicFolder,
  useChangeMusicFolder,
  useRemoveMusicFolder,
  useRestoreMusicFolder,
  whatRemovalDoes,
} from '../../../api/music-folders.ts';
import { ApiError, detailOf } from '../../../api/problem.ts';
import { FolderPicker } from '../../../music/folder-picker.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { FormButtons } from '../../../ui/controls/form-buttons.tsx';
import { formatBytes } from '../../../ui/format.ts';
import { IconAgain, IconChooseFolder, IconDelete, IconEdit, IconUndo } from '../../../ui/theme/icons.ts';
import { Segmented } from '../../../ui/controls/segmented.tsx';
import { SettingGroup, SettingRow } from '../setting-row.tsx';
import styles from '../settings.module.css';

/** The folder that is being edited, or `new`. */
type Editing = MusicFolderOut | 'new' | null;

export function MusicFolders() {
  const { t } = useTranslation();
  const folders = useQuery(musicFoldersQuery());
  const [editing, setEditing] = useState<Editing>(null);
  const [removing, setRemoving] = useState<MusicFolderOut | null>(null);
  return (
    <SettingGroup name="music-folders" title={t('settings.folders.title')} lead={t('settings.folders.lead')}>
      {folders.data?.map((folder) => (
        <FolderRow
          key={folder.id}
          folder={folder}
          onEdit={() => setEditing(folder)}
          onRemove={() => setRemoving(folder)}
        />
      ))}
      <div className={styles.padded}>
        {folders.error && (
          <p role="alert" className={styles.fault}>
            {detailOf(folders.error)}
          </p>
        )}
        <div className={styles.buttons}>
          <Button icon={IconChooseFolder} onClick={() => setEditing('new')}>
            {t('settings.folders.add')}
          </Button>
        </div>
      </div>
      {editing && <FolderDialog editing={editing} onClose={() => setEditing(null)} />}
      {removing && <RemoveDialog folder={removing} onClose={() => setRemoving(null)} />}
    </SettingGroup>
  );
}

interface FolderRowProps {
  folder: MusicFolderOut;
  onEdit: () => void;
  onRemove: () => void;
}

function FolderRow({ folder, onEdit, onRemove }: FolderRowProps) {
  const { t } = useTranslation();
  const folderRef = { path: folder.source_id_prefix.replace(/\/$/, '') || ':' };
  const [scan, reread] = [useStartScan(folderRef), useStartScan({ ...folderRef, reread: true })];
  const restore = useRestoreMusicFolder();
  const fault = scan.error ?? reread.error ?? restore.error;
  const { id, name, path, mode, follow_links: followsLinks, state, reason, tracks, size_bytes: size } = folder;
  const isRemoved = state === 'removed';
  return (
    <SettingRow
      label={name}
      wide
      help={path}
      notes={
        <>
          <p className={styles.notes}>
            {isRemoved
              ? t('settings.folders.removed')
              : [
                  t(mode === 'copy' ? 'settings.folders.copied' : 'settings.folders.indexed'),
                  t('track.count', { count: tracks }),
                  formatBytes(size),
                  ...(followsLinks ? [t('settings.folders.linksFollowed')] : []),
                ].join(' · ')}
          </p>
          {folder.is_fixed && (
            <p className={styles.notes}>{t('settings.origin.env', { name: 'LOCAL_MEDIA_IMPORT_PATH' })}</p>
          )}
          {state === 'offline' && (
            <p className={styles.fault}>{t('settings.folders.offline', { reason: reason ?? '' })}</p>
          )}
          {fault && (
            <p role="alert" className={styles.fault}>
              {detailOf(fault)}
            </p>
          )}
        </>
      }
    >
      {isRemoved ? (
        <Button icon={IconUndo} disabled={restore.isPending} onClick={() => restore.mutate(id)}>
          {t('settings.folders.restore')}
        </Button>
      ) : (
        <>
          <Button icon={IconAgain} disabled={scan.isPending || state === 'offline'} onClick={() => scan.mutate()}>
            {t('settings.folders.scan')}
          </Button>
          <Button disabled={reread.isPending || state === 'offline'} onClick={() => reread.mutate()}>
            {t('scan.reread')}
          </Button>
          <Button icon={IconEdit} onClick={onEdit}>
            {t('settings.folders.edit')}
          </Button>
          <Button icon={IconDelete} disabled={folder.is_fixed} onClick={onRemove}>
            {t('settings.folders.remove')}
          </Button>
        </>
      )}
    </SettingRow>
  );
}

const IMPORT_MODES = ['copy', 'reference'] as const;

/** Returns the last part of a path of any operating system. */
const nameOf = (path = ''): string => path.split(/[/\\]/).findLast((part) => part !== '') ?? '';

function FolderDialog({ editing, onClose }: { editing: MusicFolderOut | 'new'; onClose: () => void }) {
  const { t } = useTranslation();
  const add = useAddMusicFolder();
  const change = useChangeMusicFolder();
  const editedFolder = editing === 'new' ? undefined : editing;
  const [path, setPath] = useState(editedFolder?.path ?? undefined);
  const [mode, setMode] = useState<(typeof IMPORT_MODES)[number]>(editedFolder?.mode ?? 'reference');
  const [followsLinks, setFollowsLinks] = useState(editedFolder?.follow_links ?? false);
  const [name, setName] = useState(editedFolder?.name);
  const [isMoving, setMoving] = useState(editedFolder === undefined);
  const error = add.error ?? change.error;
  const problem = error instanceof ApiError ? error : null;
  const pathError = problem?.field('path');
  const otherError = problem && problem.fields.length > 0 ? null : error;

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const called = (name ?? nameOf(path)).trim();
    if (!editedFolder) await add.mutateAsync({ name: called, path: path ?? '', mode, follow_links: followsLinks });
    else
      await change.mutateAsync({
        id: editedFolder.id,
        name: called,
        ...(path !== undefined && path !== editedFolder.path && { path }),
        ...(mode !== editedFolder.mode && { mode }),
        ...(followsLinks !== editedFolder.follow_links && { follow_links: followsLinks }),
      });
    onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(editedFolder ? 'settings.folders.editTitle' : 'settings.folders.add')}
      closeButtonProps={{ 'aria-label': t('form.cancel') }}
    >
      <form className={styles.dialog} onSubmit={(event) => void submit(event).catch(() => undefined)}>
        <TextInput
          name="name"
          label={t('settings.folders.name')}
          required
          withAsterisk={false}
          maxLength={100}
          value={name ?? nameOf(path)}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problem?.field('name')}
        />
        <TextInput
          label={t('settings.folders.path')}
          description={editedFolder && t('settings.folders.pathHelp')}
          value={path ?? ''}
          disabled={editedFolder?.is_fixed === true}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setPath(event.currentTarget.value)}
          error={pathError && t('picker.fault', { fault: pathError })}
        />
        {isMoving ? (
          <FolderPicker path={path} onChange={setPath} isRefused={pathError !== undefined} />
        ) : (
          editedFolder?.is_fixed !== true && (
            <div className={styles.buttons}>
              <Button onClick={() => setMoving(true)}>{t('picker.pick')}</Button>
            </div>
          )
        )}
        <div>
          <Segmented
            label={t('picker.how')}
            value={mode}
            options={IMPORT_MODES.map((value) => ({ value, label: t(`picker.${value}`) }))}
            onChange={setMode}
          />
        </div>
        <p className={styles.help}>{t(`picker.${mode}Help`)}</p>
        <Switch
          label={t('settings.folders.followLinks')}
          description={t('settings.folders.followLinksHelp')}
          checked={followsLinks}
          onChange={(event) => setFollowsLinks(event.currentTarget.checked)}
        />
        {otherError && (
          <p role="alert" className={styles.fault}>
            {detailOf(otherError)}
          </p>
        )}
        <FormButtons
          label={t(editedFolder ? 'settings.folders.save' : 'settings.folders.add')}
          disabled={add.isPending || change.isPending}
          onCancel={onClose}
        />
      </form>
    </Modal>
  );
}

function RemoveDialog({ folder, onClose }: { folder: MusicFolderOut; onClose: () => void }) {
  const { t } = useTranslation();
  const remove = useRemoveMusicFolder();
  const effect = useQuery({
    queryKey: ['music-folders', folder.id, 'removal'],
    queryFn: () => whatRemovalDoes(folder.id),
  });
  const error = remove.error ?? effect.error;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('settings.folders.removeTitle', { name: folder.name })}
      closeButtonProps={{ 'aria-label': t('form.cancel') }}
    >
      <div className={styles.dialog}>
        {effect.data && (
          <>
            {effect.data.to_trash > 0 && <p>{t('settings.folders.toTrash', { count: effect.data.to_trash })}</p>}
            {effect.data.kept > 0 && <p>{t('settings.folders.kept', { count: effect.data.kept })}</p>}
          </>
        )}
        <p className={styles.help}>{t('settings.folders.untouched')}</p>
        {error && (
          <p role="alert" className={styles.fault}>
            {detailOf(error)}
          </p>
        )}
        <FormButtons
          label={t('settings.folders.remove')}
          disabled={!effect.data || remove.isPending}
          onConfirm={() => remove.mutate(folder.id, { onSuccess: onClose })}
          onCancel={onClose}
        />
      </div>
    </Modal>
  );
}
