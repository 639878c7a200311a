import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconCopyText, IconDone } from '../../ui/theme/icons.ts';
import { Button } from '../../ui/controls/button.tsx';

const DONE_FOR_MS = 2_000;

/**
 * A button that copies a text. Browsers have no clipboard over plain HTTP; the text beside the button can be selected
 * instead.
 */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation();
  const [isDone, setIsDone] = useState(false);
  useEffect(() => {
    if (!isDone) return undefined;
    const timer = setTimeout(() => setIsDone(false), DONE_FOR_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
  if (!(navigator as Partial<Navigator>).clipboard) return null;
  return (
    <Button
      icon={isDone ? IconDone : IconCopyText}
      aria-label={label}
      aria-live="polite"
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => setIsDone(true),
          () => undefined,
        )
      }
    >
      {t(isDone ? 'settings.copied' : 'settings.copy')}
    </Button>
  );
}
