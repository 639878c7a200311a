import { useEffect, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './page.module.css';

/** The playing track, which replaces the page's title in the tab. */
let playing: string | null = null;
let page: string | undefined;
const showTitle = (app: string): void => {
  document.title = playing ?? (page ? `${page} · ${app}` : app);
};

/** Sets the title of the tab and the window, which is displayed while nothing plays. */
export function usePageTitle(title: string | undefined): void {
  const { t } = useTranslation();
  useEffect(() => {
    page = title;
    showTitle(t('app.name'));
  }, [title, t]);
}

/** Displays the playing track instead of the page's title; null while nothing plays. */
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

/** A page with a heading, a count, and tools on the right. */
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
