import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { usePageTitle } from '../../ui/page.tsx';
import styles from './auth-layout.module.css';

interface AuthLayoutProps {
  title: string;
  lead?: string;
  step?: { at: number; of: number };
  children: ReactNode;
}

/** The frame of the sign-in and setup pages. */
export function AuthLayout({ title, lead, step, children }: AuthLayoutProps) {
  const { t } = useTranslation();
  usePageTitle(title);
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <p className={styles.brand}>
          <img src="/favicon.svg" alt="" />
          {t('app.name')}
        </p>
        {step && (
          <ol className={styles.steps} aria-label={t('setup.step', { at: step.at, of: step.of })}>
            {Array.from({ length: step.of }, (_, i) => (
              <li
                key={i}
                data-reached={i < step.at || undefined}
                aria-current={i + 1 === step.at ? 'step' : undefined}
              />
            ))}
          </ol>
        )}
        <div>
          <h1>{title}</h1>
          {lead && <p className={styles.lead}>{lead}</p>}
        </div>
        {children}
      </div>
    </main>
  );
}

export const FormError = ({ children }: { children: ReactNode }) => (
  <p role="alert" className={styles.error}>
    {children}
  </p>
);
