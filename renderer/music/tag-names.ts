// The tags that tracks are filtered by, as they are displayed: a custom tag has its own name.
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { tagsQuery } from '../api/tags.ts';
import '../i18n/page-texts.ts';

export interface NamedTag {
  name: string;
  label: string;
  /** False if no track has the tag. */
  hasValues: boolean;
}

export const labelOfTag = (t: TFunction, name: string): string =>
  name === 'mood' || name === 'grouping' ? t(`tags.${name}`) : name;

/** Returns moods, groupings, and the tags that an administrator named; none while they are loading. */
export function useTags(): readonly NamedTag[] {
  const { t } = useTranslation();
  const { data } = useQuery(tagsQuery());
  return useMemo(
    () =>
      (data ?? []).map(({ name, value_count }) => ({ name, label: labelOfTag(t, name), hasValues: value_count > 0 })),
    [data, t],
  );
}
