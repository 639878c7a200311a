// The fields of what an account may do, for a new one and for one that there is.
import { NumberInput, Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RightName, UserTerms } from '../../../api/users.ts';
import { formText } from '../../../ui/controls/form-text.ts';

/** In their order here; one that is missing does not compile. The value is that of a new account. */
const RIGHTS: Record<RightName, boolean> = {
  can_edit: false,
  can_upload: true,
  can_download: true,
  can_share: true,
  can_jukebox: true,
  can_podcast: false,
};
export const RIGHT_NAMES = Object.keys(RIGHTS) as RightName[];
export const NEW_ACCOUNT: UserTerms = { ...RIGHTS, max_bitrate_kbps: null, quota_bytes: null };
const GIGABYTE = 1_000_000_000;
const MIN_KBPS = 32;
const MAX_KBPS = 10_000;

/** Empty is no limit; a unit after the number is not part of it. */
function limitOf(form: HTMLFormElement, name: string, unit = 1): number | null {
  const value = Number.parseFloat(formText(form, name));
  return Number.isNaN(value) ? null : Math.round(value * unit);
}

export function termsIn(form: HTMLFormElement): UserTerms {
  const values = new FormData(form);
  return {
    ...(Object.fromEntries(RIGHT_NAMES.map((name) => [name, values.has(name)])) as Record<RightName, boolean>),
    max_bitrate_kbps: limitOf(form, 'max_bitrate_kbps'),
    quota_bytes: limitOf(form, 'quota', GIGABYTE),
  };
}

export function RightsFields({ terms }: { terms: UserTerms }) {
  const { t } = useTranslation();
  return (
    <>
      {RIGHT_NAMES.map((name) => (
        <Switch
          key={name}
          name={name}
          defaultChecked={terms[name]}
          label={t(`settings.rights.${name}.label`)}
          description={t(`settings.rights.${name}.help`)}
        />
      ))}
      <NumberInput
        name="max_bitrate_kbps"
        label={t('settings.rights.bitrate')}
        description={t('settings.rights.noLimit')}
        defaultValue={terms.max_bitrate_kbps ?? ''}
        min={MIN_KBPS}
        max={MAX_KBPS}
        allowDecimal={false}
        suffix=" kbps"
      />
      <NumberInput
        name="quota"
        label={t('settings.rights.quota')}
        description={t('settings.rights.noLimit')}
        defaultValue={terms.quota_bytes === null ? '' : terms.quota_bytes / GIGABYTE}
        min={0}
        suffix=" GB"
      />
    </>
  );
}
