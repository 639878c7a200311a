import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../api/session.ts';
import { settingsQuery } from '../api/settings.ts';
import { desktop } from '../desktop.ts';
import { nameOfLanguage, useLanguageChoice } from '../i18n/language.ts';
import { addSettingTexts } from '../i18n/setting-texts.ts';
import { usePlayer } from '../player/use-player.ts';
import { formatNumber } from '../ui/format.ts';
import { useSchemeChoice } from '../ui/theme/scheme.ts';
import { findableSettings, type FoundSetting } from './setting-places.ts';

/** Returns every setting that the signed-in account may change, with its present value. */
export function useFindableSettings(): FoundSetting[] {
  const { t } = useTranslation();
  useState(addSettingTexts);
  const user = useSession()?.user;
  const isOwner = user?.is_superuser ?? false;
  const { data } = useQuery({ ...settingsQuery(), enabled: isOwner });
  const scheme = useSchemeChoice();
  const language = useLanguageChoice();
  const crossfadeS = usePlayer((state) => state.crossfadeS);
  const replayGain = usePlayer((state) => state.replayGain);
  const preampDb = usePlayer((state) => state.preampDb);
  const values: Partial<Record<string, string>> = {
    theme: t(`scheme.${scheme}`),
    language:
      language === 'system'
        ? t(desktop ? 'settings.general.languageSystemApp' : 'settings.general.languageSystem')
        : nameOfLanguage(language),
    crossfade: crossfadeS === 0 ? t('settings.playback.off') : t('settings.playback.seconds', { count: crossfadeS }),
    'replay-gain': t(`settings.playback.mode.${replayGain}`),
    preamp: t('settings.playback.decibels', { value: `${preampDb > 0 ? '+' : ''}${formatNumber(preampDb)}` }),
  };
  return findableSettings(
    { isOwner, isApp: desktop !== null, canJukebox: user?.can_jukebox ?? false },
    data?.items ?? [],
    t,
    (name) => values[name],
  );
}
