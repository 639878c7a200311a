// The buttons at the end of a form, or below a question: what it does, and a way out.
import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import styles from './form-buttons.module.css';

interface FormButtonsProps {
  label: string;
  disabled: boolean;
  onCancel: () => void;
  /** For a question; a form is submitted. It has the focus, so that Enter answers. */
  onConfirm?: () => void;
}

export function FormButtons({ label, disabled, onCancel, onConfirm }: FormButtonsProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.buttons}>
      <Button
        variant="primary"
        disabled={disabled}
        {...(onConfirm ? { autoFocus: true, onClick: onConfirm } : { type: 'submit' as const })}
      >
        {label}
      </Button>
      <Button variant="plain" onClick={onCancel}>
        {t('form.cancel')}
      </Button>
    </div>
  );
}
