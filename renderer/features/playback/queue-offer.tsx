import { useTranslation } from 'react-i18next';
import { IconButton } from '../../ui/button.tsx';
import { IconClose, IconDevices } from '../../ui/icons.ts';
import { useUndoNotice } from '../../ui/undo-notice.tsx';
import styles from './player-bar.module.css';
import { useQueueOffer } from './use-queue-offer.ts';

/** Offers to continue what was playing on another device. */
export function QueueOffer() {
  const { t } = useTranslation();
  const { tell } = useUndoNotice();
  const offer = useQueueOffer();
  return (
    <div role="status" className={styles.offer} data-shown={offer !== null || undefined}>
      {offer && (
        <>
          <IconDevices size={16} aria-hidden />
          <span>
            {t(offer.client === null ? 'queueOffer.textUnnamed' : 'queueOffer.text', {
              title: offer.title,
              client: offer.client ?? '',
            })}
          </span>
          <button type="button" onClick={() => void offer.accept().catch((error: Error) => tell(error.message))}>
            {t('queueOffer.continue')}
          </button>
          <IconButton label={t('queueOffer.dismiss')} icon={IconClose} iconSize={16} onClick={offer.dismiss} />
        </>
      )}
    </div>
  );
}
