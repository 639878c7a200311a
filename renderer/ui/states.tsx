// Empty and error states: they tell the next step, or what went wrong, with a button to retry.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconAgain, IconProblem, type Icon, IconNotFound } from './theme/icons.ts';
import { Button } from './controls/button.tsx';
import styles from './states.module.css';

export function EmptyState({
  icon: Symbol,
  title,
  isPage = false,
  children,
  actions,
}: {
  icon: Icon;
  title: string;
  /** True if the page has no other heading. */
  isPage?: boolean;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className={styles.state}>
      <Symbol className={styles.symbol} size={48} stroke={1.25} aria-hidden />
      <Heading>{title}</Heading>
      {children && <p>{children}</p>}
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}

export function ErrorState({
  detail,
  isPage = false,
  onRetry,
}: {
  detail: string;
  isPage?: boolean;
  onRetry?: () => void;
}) {
  const { t } = useTranslation();
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className={styles.state} role="alert">
      <IconProblem className={styles.symbol} size={48} stroke={1.25} aria-hidden />
      <Heading>{t('state.failed')}</Heading>
      <p>{detail}</p>
      {onRetry && (
        <div className={styles.actions}>
          <Button icon={IconAgain} onClick={onRetry}>
            {t('state.retry')}
          </Button>
        </div>
      )}
    </div>
  );
}

/** The page of an item that does not exist or was deleted. */
export function AbsentState({
  title,
  children,
  actions,
}: {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <EmptyState icon={IconNotFound} title={title} isPage actions={actions}>
      {children}
    </EmptyState>
  );
}

/** Placeholder for text or an image that is loading. Sizes are CSS lengths. */
export function Skeleton({
  width = '100%',
  height = '20px',
  radius,
}: {
  width?: string;
  height?: string;
  radius?: string;
}) {
  return (
    <div
      className={styles.skeleton}
      style={{ width, height, ...(radius ? { borderRadius: radius } : {}) }}
      aria-hidden
    />
  );
}
