// The form fields for the rights of a new or existing account.
import { NumberInput, Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RightName, UserTerms } from '../../../api/users.ts';
import { formText } from '../../../ui/controls/form-text.ts';

/**
 * The rights in the order of their fields, with the values of a new account. If a right is missing here, the code does
 * not compile.
 */
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

/** Returns the number in a field; null, no limit, for an empty field. A unit typed after the number is ignored. */
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
