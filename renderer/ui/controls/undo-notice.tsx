// The notice with an Undo button, for completed actions and for actions that run when the notice closes.
import { notifications } from '@mantine/notifications';
import { useTranslation } from 'react-i18next';
import { doLater, UNDO_MS } from './undoable.ts';
import styles from './undo-notice.module.css';

let nextId = 1;
/** Undo functions of the open notices, oldest first. */
const offeredUndos = new Map<string, () => void>();

/** Undoes the latest action; used by a keyboard shortcut. */
export const undoLatest = (): void => [...offeredUndos.values()].at(-1)?.();

interface Later {
  message: string;
  /** Keys of the items that are hidden from now on, such as `track:7`. */
  keys: readonly string[];
  run: () => Promise<unknown>;
  onUndo?: () => void;
}

export function useUndoNotice() {
  const { t } = useTranslation();
  const tell = (message: string) =>
    void notifications.show({ message, closeButtonProps: { 'aria-label': t('notice.close') } });

  /** Displays the notice; returns the function that hides it. */
  function show(message: string, onUndo: () => void, autoClose: number | false): () => void {
    const id = `undo-${nextId++}`;
    const hide = () => void notifications.hide(id);
    const undo = () => {
      hide();
      onUndo();
    };
    offeredUndos.set(id, undo);
    notifications.show({
      id,
      autoClose,
      withCloseButton: false,
      onClose: () => offeredUndos.delete(id),
      message: (
        <span className={styles.notice}>
          <span>{message}</span>
          <button type="button" className={styles.undo} onClick={undo}>
            {t('notice.undo')}
          </button>
        </span>
      ),
    });
    return hide;
  }

  return {
    tell,
    /** Reports a completed action, which `undo` reverts. */
    done: (message: string, undo: () => void) => void show(message, undo, UNDO_MS),
    /** Runs an action when the notice closes. Returns the undo function. */
    later({ message, keys, run, onUndo }: Later): () => void {
      const undo = doLater({
        keys,
        run,
        onEnd: () => hide(),
        onFailure: (error) => tell(error instanceof Error ? error.message : String(error)),
      });
      const takeBack = () => {
        undo();
        onUndo?.();
      };
      const hide = show(message, takeBack, false);
      return takeBack;
    },
  };
}
