import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { usePageTitle } from '../../ui/page.tsx';
import styles from './auth-layout.module.css';
import '../../i18n/page-texts.ts';

interface AuthLayoutProps {
  title: string;
  lead?: string | undefined;
  step?: { number: number; total: number };
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
          <ol className={styles.steps} aria-label={t('setup.step', { at: step.number, of: step.total })}>
            {Array.from({ length: step.total }, (_, i) => (
              <li
                key={i}
                data-reached={i < step.number || undefined}
                aria-current={i + 1 === step.number ? 'step' : undefined}
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
