import { useEffect, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './page.module.css';

/** Sets the title of the tab and the window. */
export function usePageTitle(title: string | undefined): void {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = title ? `${title} · ${t('app.name')}` : t('app.name');
  }, [title, t]);
}

interface PageProps {
  title: string;
  count?: string | undefined;
  tools?: ReactNode;
  children: ReactNode;
}

/** A page with a heading, a count and its tools on the right. */
export function Page({ title, count, tools, children }: PageProps) {
  usePageTitle(title);
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <h1>{title}</h1>
        {count !== undefined && (
          <span className={styles.count} aria-live="polite">
            {count}
          </span>
        )}
        {tools && <div className={styles.tools}>{tools}</div>}
      </header>
      {children}
    </div>
  );
}
