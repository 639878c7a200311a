// A setting that is chosen and not typed: shown as chosen at once, and as it was when the server does not take it.
import { useState } from 'react';
import type { SettingOut } from '../../../server/settings/wire.ts';
import { faultOf, useChangeSettings } from '../../api/settings.ts';

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
