import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { onDamagedChoices } from '../stored-choice.ts';
import { useUndoNotice } from '../ui/controls/undo-notice.tsx';

/** Lists the choices of this browser that could not be read and have their default values. */
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
