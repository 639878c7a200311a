import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { SettingOut } from '../../api/routes.ts';
import { useJumpTarget } from './jump.ts';
import styles from './settings.module.css';

interface RowProps {
  /** Name in the address of the settings window, for settings that people can look for. */
  name?: string;
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
export function SettingRow({ name, label, help, htmlFor, notes, wide = false, children }: RowProps) {
  const { ref, isMarked } = useJumpTarget(name);
  return (
    <div
      ref={ref}
      className={styles.row}
      data-wide={wide || undefined}
      data-setting={name}
      data-marked={isMarked || undefined}
    >
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
      {children && (
        <div className={styles.control} data-control>
          {children}
        </div>
      )}
    </div>
  );
}

interface GroupProps {
  /** Name in the address of the settings window, for groups that people can look for. */
  name?: string;
  title?: string;
  lead?: string;
  children: ReactNode;
}

/** A group of setting rows. */
export function SettingGroup({ name, title, lead, children }: GroupProps) {
  const { ref, isMarked } = useJumpTarget(name);
  return (
    <section className={styles.group} aria-label={title}>
      {title && <h2>{title}</h2>}
      {lead && <p className={styles.lead}>{lead}</p>}
      <div ref={ref} className={styles.card} data-setting={name} data-marked={isMarked || undefined}>
        {children}
      </div>
    </section>
  );
}

/** Says who set a value that cannot be changed here. The name of the variable is only in the tooltip. */
export function SetByEnvironment({ setting }: { setting: Pick<SettingOut, 'key'> }) {
  const { t } = useTranslation();
  return <span title={setting.key.toUpperCase()}>{t('settings.origin.env')}</span>;
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
