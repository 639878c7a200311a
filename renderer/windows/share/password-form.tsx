import { useId, useRef, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { enterPassword } from '../../api/guest-share.ts';
import { Button } from '../../ui/controls/button.tsx';
import { formText } from '../../ui/controls/form-text.ts';
import { IconLocked } from '../../ui/theme/icons.ts';
import styles from './share.module.css';

type Problem = 'wrong' | 'tooMany' | 'unreachable';
const PROBLEMS: Record<number, Problem> = { 403: 'wrong', 429: 'tooMany' };

/** Asks for the password of the share. Says nothing about the music. */
export function PasswordForm({ onUnlocked, onGone }: { onUnlocked: () => void; onGone: () => void }) {
  const { t } = useTranslation();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = formText(event.currentTarget, 'password');
    setBusy(true);
    const status = await enterPassword(password);
    setBusy(false);
    if (status === 204) return onUnlocked();
    if (status === 404 || status === 410) return onGone();
    setProblem(PROBLEMS[status] ?? 'unreachable');
    field.current?.focus();
    field.current?.select();
  };
  return (
    <form className={styles.password} onSubmit={(event) => void submit(event)}>
      <IconLocked size={48} stroke={1.25} aria-hidden />
      <h1>{t('guest.sharedMusic')}</h1>
      <p>{t('guest.password.help')}</p>
      <label htmlFor={id}>{t('guest.password.label')}</label>
      <input
        id={id}
        ref={field}
        name="password"
        type="password"
        autoComplete="off"
        autoFocus
        required
        maxLength={200}
        aria-invalid={problem === 'wrong' || undefined}
        aria-describedby={`${id}-problem`}
      />
      <p id={`${id}-problem`} role="alert" className={styles.problem}>
        {problem && t(`guest.password.${problem}`)}
      </p>
      <Button type="submit" variant="primary" disabled={isBusy}>
        {t('guest.password.open')}
      </Button>
    </form>
  );
}
