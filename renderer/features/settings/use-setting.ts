// The state of a setting while it is changed in a list or a text field.
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { faultOf, findFault, useChangeSettings, type SettingValue } from '../../api/settings.ts';
import type { SettingOut } from '../../api/routes.ts';
import { byteText, separatorOf, serverByteText } from './byte-text.ts';

const CONFIRM_AFTER_MS = 250;

/** Displays a choice at once, and the previous value if the server rejects the choice. */
export function useChoice({ key, value }: SettingOut) {
  const change = useChangeSettings();
  const [chosenValue, setWish] = useState<SettingOut['value']>(null);
  return {
    value: chosenValue ?? value,
    fault: change.error && faultOf(key, change.error),
    isSaved: change.isSuccess,
    choose(next: SettingOut['value']) {
      setWish(next);
      change.mutate({ [key]: next }, { onSettled: () => setWish(null) });
    },
  };
}

/** Returns null, the default, for an empty field. */
function toValue(text: string, unit: SettingOut['unit']): SettingValue {
  const trimmedText = text.trim();
  if (trimmedText === '') return null;
  return unit === 'bytes' ? serverByteText(trimmedText) : trimmedText;
}

/** Validates on the server while the person types, and saves on `commit`. */
export function useDraft({ key, value, secret, unit }: SettingOut) {
  const { language } = useTranslation().i18n;
  const change = useChangeSettings();
  const savedText = secret
    ? ''
    : unit === 'bytes' && typeof value === 'number'
      ? byteText(value, separatorOf(language))
      : String(value ?? '');
  const [draft, setDraft] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const text = draft ?? savedText;
  const isChanged = draft !== null && draft.trim() !== savedText;

  useEffect(() => {
    if (!isChanged) return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      // an aborted check is ignored, because a newer text is being checked
      findFault(key, toValue(draft, unit), controller.signal).then(setFault, () => undefined);
    }, CONFIRM_AFTER_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [draft, isChanged, key, unit]);

  const cancel = () => {
    setDraft(null);
    setFault(null);
  };
  return {
    text,
    fault,
    /** True if the server accepted the last change, and the text has not changed since. */
    isSaved: change.isSuccess && !isChanged,
    type(next: string) {
      setDraft(next);
      change.reset();
    },
    cancel,
    commit() {
      if (!isChanged || change.isPending) return;
      change.mutate(
        { [key]: toValue(draft, unit) },
        { onSuccess: cancel, onError: (error) => setFault(faultOf(key, error)) },
      );
    },
  };
}
