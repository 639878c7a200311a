import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { onDamagedChoices } from '../stored-choice.ts';
import { useUndoNotice } from '../ui/controls/undo-notice.tsx';

/** Says which choices of this browser could not be read, and are as at first. */
export function DamagedChoices() {
  const { t, i18n } = useTranslation();
  const { tell } = useUndoNotice();
  useEffect(
    () =>
      onDamagedChoices((names) => {
        const list = new Intl.ListFormat(i18n.language).format(names.map((name) => t(`storedChoice.${name}`)));
        tell(t('storedChoice.damaged', { names: list }));
      }),
    [t, i18n, tell],
  );
  return null;
}
