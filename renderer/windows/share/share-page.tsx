import { useEffect, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { fetchShare, readShareState, type GuestShare } from '../../api/guest-share.ts';
import type { Player } from '../../player/player.ts';
import { PlayerContext } from '../../player/use-player.ts';
import { Button } from '../../ui/controls/button.tsx';
import { HeroSkeleton } from '../../ui/hero.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { formatLongDate } from '../../ui/long-date.ts';
import { IconAgain, IconEnded, IconExpired, IconNotFound } from '../../ui/theme/icons.ts';
import { openGuestPlayer } from './guest-player.ts';
import { PasswordForm } from './password-form.tsx';
import { SharedMusic } from './shared-music.tsx';
import styles from './share.module.css';

/** Loads the page again when the share has ended, because the server then sends the page that says why. */
const reload = (): void => location.reload();

export function SharePage() {
  const { state, expiredAt } = readShareState();
  if (state === 'open') return <OpenShare />;
  if (state === 'locked') return <LockedShare />;
  return <ClosedShare state={state} expiredAt={expiredAt} />;
}

function LockedShare() {
  const [isUnlocked, setUnlocked] = useState(false);
  return isUnlocked ? (
    <OpenShare />
  ) : (
    <Frame>
      <PasswordForm onUnlocked={() => setUnlocked(true)} onGone={reload} />
    </Frame>
  );
}

function OpenShare() {
  const { t } = useTranslation();
  const [opened, setOpened] = useState<{ share: GuestShare; player: Player } | 'failed' | null>(null);
  const load = () =>
    void fetchShare().then((share) => setOpened(share ? { share, player: openGuestPlayer(share, reload) } : 'failed'));
  useEffect(load, []);
  useTitle(typeof opened === 'object' && opened ? (opened.share.name ?? t('guest.sharedMusic')) : null);
  if (opened === null)
    return (
      <Frame>
        <HeroSkeleton />
      </Frame>
    );
  if (opened === 'failed')
    return (
      <Frame>
        <ErrorState isPage detail={t('guest.unreachable')} onRetry={reload} />
      </Frame>
    );
  return (
    <PlayerContext value={opened.player}>
      <SharedMusic share={opened.share} />
    </PlayerContext>
  );
}

/** Says why nothing is shared here, without naming the music or its owner. */
function ClosedShare({ state, expiredAt }: { state: 'expired' | 'ended' | 'unknown'; expiredAt: string | undefined }) {
  const { t } = useTranslation();
  const title = t(`guest.${state}.title`);
  useTitle(title);
  return (
    <Frame>
      <EmptyState
        isPage
        icon={{ expired: IconExpired, ended: IconEnded, unknown: IconNotFound }[state]}
        title={title}
        actions={
          <Button icon={IconAgain} onClick={reload}>
            {t('guest.lookAgain')}
          </Button>
        }
      >
        {state === 'expired' && expiredAt
          ? t('guest.expired.help', { date: formatLongDate(expiredAt) })
          : t(`guest.${state === 'expired' ? 'ended' : state}.help`)}
      </EmptyState>
    </Frame>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div className={styles.window}>
      <main className={styles.state}>{children}</main>
      <footer className={styles.program}>{t('app.name')}</footer>
    </div>
  );
}

function useTitle(title: string | null): void {
  const { t } = useTranslation();
  useEffect(() => {
    if (title !== null) document.title = `${title} · ${t('app.name')}`;
  }, [title, t]);
}
