// Notices that are displayed as long as their problem lasts.
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { request } from '../../api/client.ts';
import { optionalPart } from '../../api/optional-part.ts';
import { statusQuery } from '../../api/status.ts';
import { IconOffline } from '../../ui/theme/icons.ts';
import styles from './notice.module.css';

const ProblemNotice = optionalPart(async () => (await import('./problem-notice.tsx')).ProblemNotice);

/** Displays the worst of the problems that the server reports. */
export function ServerProblem() {
  const { data } = useQuery(statusQuery());
  const [worst] = data?.problems ?? [];
  return (
    worst && (
      <Suspense fallback={null}>
        <ProblemNotice problem={worst} />
      </Suspense>
    )
  );
}

/** A notice about the connection. The desktop app reports at once that its server stopped. */
export function ConnectionNotice({ isRestarting }: { isRestarting: boolean }) {
  const { t } = useTranslation();
  return (
    <p role="status" className={styles.notice} data-lasting data-bottom>
      <IconOffline size={18} aria-hidden />
      <span>
        {t(isRestarting ? 'notice.restarting' : 'notice.disconnected')}{' '}
        <button type="button" onClick={() => void request('GET /auth/status').catch(() => undefined)}>
          {t('notice.tryNow')}
        </button>
      </span>
    </p>
  );
}
