import { useTranslation } from 'react-i18next';
import { formatAgo, formatDate } from '../../../ui/format.ts';

/** The time and address of the last use. */
export function LastUse({
  usedAt,
  address,
  client,
}: {
  usedAt: string | null;
  address: string | null;
  client?: string | null;
}) {
  const { t } = useTranslation();
  if (usedAt === null) return t('settings.lastUse.never');
  const from = [client, address].filter(Boolean).join(' · ');
  return (
    <>
      <time dateTime={usedAt} title={formatDate(usedAt)}>
        {t('settings.lastUse.at', { when: formatAgo(usedAt) })}
      </time>
      {from !== '' && ` · ${from}`}
    </>
  );
}
