import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './settings.module.css';

interface RowProps {
  label: string;
  help?: ReactNode;
  /** Id of the labelled control; without the id the label is plain text. */
  htmlFor?: string;
  /** The origin of the value, and when a change takes effect. */
  notes?: ReactNode;
  /** The control is on a line of its own. */
  wide?: boolean;
  children?: ReactNode;
}

export const helpId = (id: string): string => `${id}-help`;

/** The row of one setting: label, help and control. */
export function SettingRow({ label, help, htmlFor, notes, wide = false, children }: RowProps) {
  return (
    <div className={styles.row} data-wide={wide || undefined}>
      <div className={styles.words}>
        {htmlFor ? (
          <label htmlFor={htmlFor} className={styles.label}>
            {label}
          </label>
        ) : (
          <p className={styles.label}>{label}</p>
        )}
        {help && (
          <p id={htmlFor && helpId(htmlFor)} className={styles.help}>
            {help}
          </p>
        )}
        {notes}
      </div>
      {children && <div className={styles.control}>{children}</div>}
    </div>
  );
}

/** A group of setting rows. */
export function SettingGroup({ title, lead, children }: { title?: string; lead?: string; children: ReactNode }) {
  return (
    <section className={styles.group} aria-label={title}>
      {title && <h2>{title}</h2>}
      {lead && <p className={styles.lead}>{lead}</p>}
      <div className={styles.card}>{children}</div>
    </section>
  );
}

/** A “saved” message that screen readers announce. */
export function Saved({ shown }: { shown: boolean }) {
  const { t } = useTranslation();
  return (
    <span role="status" className={styles.saved}>
      {shown && t('settings.saved')}
    </span>
  );
}
