// Notices that are displayed as long as their problem lasts.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { request } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { believeClock, statusQuery } from '../../api/status.ts';
import { detailOf } from '../../api/problem.ts';
import { formatNumber } from '../../ui/format.ts';
import { IconOffline, IconProblem } from '../../ui/theme/icons.ts';
import { SETTINGS_WINDOW } from '../../ui/open-window.ts';
import styles from './notice.module.css';

/** The problems of the server, the worst first. The owner can repair the music folder here. */
export function ProblemNotice() {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser ?? false;
  const { data } = useQuery(statusQuery());
  const [worst] = data?.problems ?? [];
  if (!worst) return null;
  const { code, tracks } = worst;
  return (
    <p role="status" className={styles.notice} data-lasting data-bottom>
      <IconProblem size={18} aria-hidden />
      <span>
        {t(`problem.${code}`, { count: tracks ?? 0, number: formatNumber(tracks ?? 0) })}
        {isOwner && code === 'clock_doubted' && <ClockIsRight />}
        {isOwner && tracks !== null && (
          <>
            {' '}
            <a href={`${SETTINGS_WINDOW.href}#library`} target={SETTINGS_WINDOW.target}>
              {t('problem.settings')}
            </a>
          </>
        )}
      </span>
    </p>
  );
}

function ClockIsRight() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: believeClock,
    onSuccess: () => queries.invalidateQueries({ queryKey: statusQuery().queryKey }),
  });
  return (
    <>
      {' '}
      <button type="button" disabled={isPending} onClick={() => mutate()}>
        {t('problem.clockIsRight')}
      </button>{' '}
      {error && detailOf(error)}
    </>
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
