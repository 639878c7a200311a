import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { IconNotFound } from '../../ui/theme/icons.ts';
import { waitForServer } from '../../api/client.ts';
import { detailOf, isUnreachable } from '../../api/problem.ts';
import { ButtonLink } from '../../ui/controls/button.tsx';
import { usePageTitle } from '../../ui/page.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';

/**
 * Returns whether the code of a page could not be loaded, because the server is gone or was updated. Browsers do not
 * retry a failed import, so the window is reloaded.
 */
const isMissingCode = (error: unknown): boolean =>
  (error instanceof TypeError && /import|module/i.test(error.message)) ||
  // an error of the bundler's loader about a page's styles
  (error instanceof Error && error.message.startsWith('Unable to preload'));

/** An error of a whole page. */
export function RouteError({ error }: ErrorComponentProps) {
  const { t } = useTranslation();
  const router = useRouter();
  const isPassing = isUnreachable(error);
  useEffect(() => {
    if (isPassing) void waitForServer().then(() => router.invalidate());
  }, [isPassing, router]);
  if (isMissingCode(error))
    return <ErrorState isPage detail={t('error.unreachable')} onRetry={() => location.reload()} />;
  return <ErrorState isPage detail={detailOf(error)} onRetry={() => void router.invalidate()} />;
}

export function NotFound() {
  const { t } = useTranslation();
  usePageTitle(t('notFound.title'));
  return (
    <EmptyState
      icon={IconNotFound}
      title={t('notFound.title')}
      isPage
      actions={<ButtonLink to="/">{t('notFound.home')}</ButtonLink>}
    >
      {t('notFound.text')}
    </EmptyState>
  );
}
