import { useEffect, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './page.module.css';

/** What the tab says instead of the page: the track that plays. */
let playing: string | null = null;
let page: string | undefined;
const showTitle = (app: string): void => {
  document.title = playing ?? (page ? `${page} · ${app}` : app);
};

/** Sets the title of the tab and the window, while nothing plays. */
export function usePageTitle(title: string | undefined): void {
  const { t } = useTranslation();
  useEffect(() => {
    page = title;
    showTitle(t('app.name'));
  }, [title, t]);
}

/** The track that plays, in place of the page; null when nothing does. */
export function usePlayingTitle(title: string | null): void {
  const { t } = useTranslation();
  useEffect(() => {
    playing = title;
    showTitle(t('app.name'));
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
