// The addresses of the library, as a QR code and as text to copy or type.
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Skeleton } from '../../../ui/states.tsx';
import type { NetworkOut } from '../../../api/routes.ts';
import { CopyButton } from '../copy-button.tsx';
import { SettingRow } from '../setting-row.tsx';
import styles from '../settings.module.css';

const QrCode = lazy(async () => ({ default: (await import('../../../ui/controls/qr-code.tsx')).QrCode }));

export function Addresses({ network: { addresses, name, problem } }: { network: NetworkOut }) {
  const { t } = useTranslation();
  const [chosenUrl, setChosen] = useState<string | null>(null);
  const places = [
    ...addresses.map((address) => ({ url: address.url, note: address.interface })),
    ...(name && name.problem === null ? [{ url: name.url, note: t('settings.network.byName') }] : []),
  ];
  const shownAddress = places.find(({ url }) => url === chosenUrl) ?? places[0];
  if (!shownAddress)
    return (
      <SettingRow
        label={t('settings.network.addresses')}
        notes={
          <p role="alert" className={styles.fault}>
            {problem}
          </p>
        }
      />
    );
  return (
    <div className={styles.row} data-wide>
      <div className={styles.words}>
        <p className={styles.label}>{t('settings.network.addresses')}</p>
        <p className={styles.help}>{t('settings.network.addressesHelp')}</p>
      </div>
      <div className={styles.places}>
        <Suspense fallback={<Skeleton height="176px" width="176px" radius="10px" />}>
          <QrCode text={shownAddress.url} label={t('settings.network.code', { address: shownAddress.url })} />
        </Suspense>
        <ul className={styles.lines}>
          {places.map(({ url, note }) => (
            <li key={url} className={styles.place}>
              <div>
                {places.length > 1 ? (
                  <button
                    type="button"
                    className={styles.address}
                    aria-pressed={url === shownAddress.url}
                    aria-label={t('settings.network.showCode', { address: url })}
                    onClick={() => setChosen(url)}
                  >
                    {url}
                  </button>
                ) : (
                  <code className={styles.mono}>{url}</code>
                )}
                <span className={styles.hint}>{note}</span>
              </div>
              <CopyButton text={url} label={t('settings.copyThis', { text: url })} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
