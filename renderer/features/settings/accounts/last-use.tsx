import { useTranslation } from 'react-i18next';
import { formatAgo, formatDate } from '../../../ui/format.ts';

/** The time and address of the last use. */
export function LastUse({
  at,
  address,
  client,
}: {
  at: string | null;
  address: string | null;
  client?: string | null;
}) {
  const { t } = useTranslation();
  if (at === null) return t('settings.lastUse.never');
  const from = [client, address].filter(Boolean).join(' · ');
  return (
    <>
      <time dateTime={at} title={formatDate(at)}>
        {t('settings.lastUse.at', { when: formatAgo(at) })}
      </time>
      {from !== '' && ` · ${from}`}
    </>
  );
}
