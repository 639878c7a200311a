// Uploads files dropped anywhere in the window.
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../api/session.ts';
import { addMusic } from '../../music/add-music.ts';
import { IconDropMusic } from '../../ui/theme/icons.ts';
import styles from './import.module.css';

/** Returns whether all dragged files are pictures, which may become a cover where an element accepts pictures. */
const carriesPictures = ({ dataTransfer }: DragEvent) =>
  [...(dataTransfer?.items ?? [])].every(({ type }) => type.startsWith('image/'));
const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;

/** Entries have to be taken while the event is handled, because the list is empty afterwards. */
const entriesOf = (items: DataTransferItemList): (File | FileSystemEntry)[] =>
  [...items]
    .filter((item) => item.kind === 'file')
    .map((item) => item.webkitGetAsEntry() ?? item.getAsFile()) // an item without an entry is a plain file
    .filter((item) => item !== null);

export function DropZone() {
  const { t } = useTranslation();
  const mayUpload = useSession()?.user.can_upload ?? false;
  const [isOver, setOver] = useState(false);
  /** A drag enters a child before it leaves the parent, so enter and leave events are counted. */
  const depth = useRef(0);

  useEffect(() => {
    const setDepth = (to: number) => {
      depth.current = to;
      setOver(to > 0);
    };
    const listen = new AbortController();
    const options = { signal: listen.signal };
    addEventListener(
      'dragenter',
      (event) => carriesFiles(event) && !carriesPictures(event) && setDepth(depth.current + 1),
      options,
    );
    addEventListener(
      'dragleave',
      (event) => carriesFiles(event) && !carriesPictures(event) && setDepth(Math.max(0, depth.current - 1)),
      options,
    );
    addEventListener('dragover', (event) => carriesFiles(event) && event.preventDefault(), options);
    addEventListener(
      'drop',
      (event) => {
        if (!event.dataTransfer || !carriesFiles(event)) return;
        event.preventDefault();
        setDepth(0);
        const dropped = entriesOf(event.dataTransfer.items);
        if (mayUpload && dropped.length > 0) addMusic(dropped);
      },
      options,
    );
    return () => listen.abort();
  }, [mayUpload]);

  if (!isOver) return null;
  return (
    <div className={styles.zone} aria-hidden>
      <IconDropMusic size={56} stroke={1.25} />
      <p>{t(mayUpload ? 'import.drop' : 'import.mayNot')}</p>
    </div>
  );
}
