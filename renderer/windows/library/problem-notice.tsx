// Displays a notice as long as the server has a problem.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { detailOf } from '../../api/problem.ts';
import type { StatusOut } from '../../api/routes.ts';
import { useSession } from '../../api/session.ts';
import { believeClock, statusQuery } from '../../api/status.ts';
import { formatNumber } from '../../ui/format.ts';
import { IconProblem } from '../../ui/theme/icons.ts';
import { SETTINGS_WINDOW } from '../../ui/open-window.ts';
import '../../i18n/page-texts.ts';
import styles from './notice.module.css';

/** Displays a problem of the server, which the owner can repair from here. */
export function ProblemNotice({ problem: { code, tracks } }: { problem: StatusOut['problems'][number] }) {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser ?? false;
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
