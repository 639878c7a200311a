// A large picture and its possible replacements: a file of this device, or one of the pictures found online.
import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { pictureOf } from '../../api/covers.ts';
import { detailOf } from '../../api/problem.ts';
import { Cover } from '../../ui/cover.tsx';
import { IconCover } from '../../ui/theme/icons.ts';
import { Skeleton } from '../../ui/states.tsx';
import { pictureDrop } from './albums/album-cover.tsx';
import styles from './albums/album-cover.module.css';

interface PictureChooserProps {
  title: string;
  help: string;
  /** A `<Cover>` element. */
  picture: ReactNode;
  /** Whether the picture can be replaced; otherwise the dialog only shows it. */
  isChoosing: boolean;
  isBusy: boolean;
  onFile: (file: File | undefined) => void;
  onClose: () => void;
  /** Further buttons beside the file button. */
  actions: ReactNode;
  children: ReactNode;
}

export function PictureChooser(props: PictureChooserProps) {
  const { t } = useTranslation();
  const { title, help, picture, isChoosing, isBusy, onFile, onClose, actions, children } = props;
  return (
    <Modal opened onClose={onClose} title={title} size={720} closeButtonProps={{ 'aria-label': t('cover.close') }}>
      <div className={styles.dialog}>
        <div className={styles.large} data-choosing={isChoosing || undefined} {...(isChoosing && pictureDrop(onFile))}>
          {picture}
        </div>
        {isChoosing && (
          <>
            <p>{help}</p>
            <div className={styles.actions} aria-busy={isBusy}>
              <label className={styles.choose}>
                <input
                  type="file"
                  accept="image/*"
                  className="visually-hidden"
                  disabled={isBusy}
                  onChange={(event) => {
                    onFile(pictureOf(event.currentTarget.files ?? undefined));
                    event.currentTarget.value = ''; // otherwise the same file could not be chosen again
                  }}
                />
                <IconCover size={18} aria-hidden />
                {t('cover.choose')}
              </label>
              {actions}
            </div>
          </>
        )}
        {children}
      </div>
    </Modal>
  );
}

interface FoundPicture {
  id: string;
  src: string;
  /** The accessible name of the button. */
  label: string;
  file: string;
  caption: string;
  detail: string | null;
  isCurrent: boolean;
}

interface FoundPicturesProps {
  title: string;
  /** Undefined while pictures are searched for. */
  pictures: FoundPicture[] | undefined;
  error: Error | null;
  /** Text displayed if no pictures were found. */
  emptyText: string;
  isBusy: boolean;
  choose: (id: string) => void;
}

export function FoundPictures({ title, pictures, error, emptyText, isBusy, choose }: FoundPicturesProps) {
  return (
    <section className={styles.found}>
      <h3>{title}</h3>
      {error || pictures?.length === 0 ? (
        <p role="status">{error ? detailOf(error) : emptyText}</p>
      ) : (
        <ul aria-busy={!pictures}>
          {pictures
            ? pictures.map(({ id, src, label, file, caption, detail, isCurrent }) => (
                <li key={id}>
                  <button
                    type="button"
                    disabled={isBusy}
                    aria-pressed={isCurrent}
                    aria-label={label}
                    onClick={() => choose(id)}
                  >
                    <Cover src={src} alt="" />
                  </button>
                  <span className={styles.name} title={file}>
                    {caption}
                  </span>
                  {detail !== null && <span className={styles.size}>{detail}</span>}
                </li>
              ))
            : ['a', 'b', 'c'].map((key) => (
                <li key={key}>
                  <Skeleton height="104px" />
                </li>
              ))}
        </ul>
      )}
    </section>
  );
}
