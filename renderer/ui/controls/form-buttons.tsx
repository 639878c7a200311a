// The buttons at the end of a form or below a question: one that confirms and one that cancels.
import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import styles from './form-buttons.module.css';

interface FormButtonsProps {
  label: string;
  disabled: boolean;
  onCancel: () => void;
  /**
   * Called on confirmation of a question; a form is submitted instead. The confirm button of a question has the focus,
   * so that Enter confirms.
   */
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
