// A notice about settings that need a restart, and the restart: a button in the desktop app, a hint in a browser.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { IconAgain } from '../../ui/theme/icons.ts';
import { settingsQuery } from '../../api/settings.ts';
import { desktop } from '../../desktop.ts';
import { Button } from '../../ui/controls/button.tsx';
import styles from './settings.module.css';

/** A notice above the settings, displayed while a saved setting is not in effect yet. */
export function RestartNote() {
  const { t } = useTranslation();
  const { data } = useQuery(settingsQuery());
  if (!data?.items.some(({ restart_pending }) => restart_pending)) return null;
  return (
    <div className={styles.effect} role="status">
      <p>
        {t('settings.restart.pending')} {!desktop && t('settings.restart.where')}
      </p>
      <RestartButton />
    </div>
  );
}

/** A button only in the desktop app, because the server of a browser may run anywhere. */
export function RestartButton() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const restart = useMutation({
    mutationFn: async () => desktop?.restartServer(),
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    desktop && (
      <div className={styles.buttons}>
        <Button icon={IconAgain} disabled={restart.isPending} onClick={() => restart.mutate()}>
          {t(restart.isPending ? 'settings.restart.going' : 'settings.restart.now')}
        </Button>
      </div>
    )
  );
}
