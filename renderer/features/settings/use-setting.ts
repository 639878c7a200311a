// A setting while it is being changed: chosen from a list, or typed.
import { useEffect, useState } from 'react';
import { faultOf, findFault, useChangeSettings, type SettingValue } from '../../api/settings.ts';
import type { SettingOut } from '../../api/routes.ts';

const CONFIRM_AFTER_MS = 250;

/** Shown as chosen at once, and as it was when the server refuses. */
export function useChoice({ key, value }: SettingOut) {
  const change = useChangeSettings();
  const [wish, setWish] = useState<SettingOut['value']>(null);
  return {
    value: wish ?? value,
    fault: change.error && faultOf(key, change.error),
    isSaved: change.isSuccess,
    choose(next: NonNullable<SettingOut['value']>) {
      setWish(next);
      change.mutate({ [key]: next }, { onSettled: () => setWish(null) });
    },
  };
}

/** An empty field is a setting at its default. */
const toValue = (text: string): SettingValue => (text.trim() === '' ? null : text.trim());

/** The server validates while the person types, and saves on `commit`. */
export function useDraft({ key, value, secret }: SettingOut) {
  const change = useChangeSettings();
  const saved = secret ? '' : String(value ?? '');
  const [draft, setDraft] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const text = draft ?? saved;
  const isChanged = draft !== null && draft.trim() !== saved;

  useEffect(() => {
    if (!isChanged) return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      // aborted: a later text is asked about instead
      findFault(key, toValue(draft), controller.signal).then(setFault, () => undefined);
    }, CONFIRM_AFTER_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [draft, isChanged, key]);

  const cancel = () => {
    setDraft(null);
    setFault(null);
  };
  return {
    text,
    fault,
    /** The server took the last change, and nothing was typed since. */
    isSaved: change.isSuccess && !isChanged,
    type(next: string) {
      setDraft(next);
      change.reset();
    },
    cancel,
    commit() {
      if (!isChanged || change.isPending) return;
      change.mutate(
        { [key]: toValue(draft) },
        { onSuccess: cancel, onError: (error) => setFault(faultOf(key, error)) },
      );
    },
  };
}
