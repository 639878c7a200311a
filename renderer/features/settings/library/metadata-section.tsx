import { useTranslation } from 'react-i18next';
import { Slider } from '../../../ui/controls/slider.tsx';
import type { SettingOut } from '../../../api/routes.ts';
import { formatPercent } from '../../../ui/format.ts';
import { helpOf, labelOf } from '../../../i18n/setting-texts.ts';
import { settingName } from '../../../music/setting-sections.ts';
import { SettingList } from '../setting-list.tsx';
import { Saved, SetByEnvironment, SettingRow } from '../setting-row.tsx';
import styles from '../settings.module.css';
import { useChoice } from '../use-setting.ts';

const [CAREFUL, BOLD] = [0.9, 0.6];

export function MetadataSection() {
  const { t } = useTranslation();
  return (
    <SettingList
      group="metadata"
      title={t('settings.metadata.identify')}
      special={{ fpid_trust_score: (setting) => <TrustField key={setting.key} setting={setting} /> }}
    />
  );
}

/** The threshold as a slider, with an explanation of its effect. */
function TrustField({ setting }: { setting: SettingOut }) {
  const { t } = useTranslation();
  const { value: chosenValue, choose, fault, isSaved } = useChoice(setting);
  const value = Number(chosenValue);
  const percent = formatPercent(value);
  const effect = value >= CAREFUL ? 'careful' : value >= BOLD ? 'balanced' : 'bold';
  return (
    <SettingRow
      name={settingName(setting.key)}
      wide
      label={labelOf(setting)}
      help={helpOf(setting)}
      notes={
        setting.origin === 'env' && (
          <p className={styles.notes}>
            <SetByEnvironment setting={setting} />
          </p>
        )
      }
    >
      <div className={styles.slider}>
        <Slider
          label={labelOf(setting)}
          value={value}
          max={1}
          step={0.01}
          valueText={percent}
          disabled={setting.origin === 'env'}
          hoverText={formatPercent}
          onChange={(next) => choose(Math.round(next * 100) / 100)}
        />
        <p className={styles.scale} aria-hidden>
          <span>{t('settings.trust.low')}</span>
          <span>{t('settings.trust.high')}</span>
        </p>
        <p className={styles.effect}>
          {t(`settings.trust.${effect}`, { percent })} <Saved shown={isSaved} />
        </p>
        <p role="alert" className={styles.fault}>
          {fault}
        </p>
      </div>
    </SettingRow>
  );
}
