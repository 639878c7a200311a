// The equalizer of the chosen output device: curve with a handle for each band, presets, files, bypass.
import { NativeSelect, NumberInput, Switch, type NumberInputProps } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { desktop } from '../../../desktop.ts';
import {
  BAND_TYPES,
  fitGraphic,
  FREQUENCY,
  GAIN_DB,
  headroomDb,
  limitBand,
  MAX_BANDS,
  Q,
  responseDb,
  type Band,
  type BandType,
} from '../../../player/equalizer.ts';
import { parseEqualizerFile } from '../../../player/equalizer-file.ts';
import { EqualizerCurve } from '../../../music/equalizer-curve.tsx';
import styles from '../../../music/equalizer.module.css';
import { EqualizerPresets } from '../../../music/quick-sound.tsx';
import { useEqualizer } from '../../../music/use-equalizer.ts';
import { Button, IconButton } from '../../../ui/controls/button.tsx';
import { formatNumber } from '../../../ui/format.ts';
import { IconAdd, IconClose } from '../../../ui/theme/icons.ts';
import { Segmented } from '../../../ui/controls/segmented.tsx';
import { SettingGroup, SettingRow } from '../setting-row.tsx';
import rows from '../settings.module.css';

/** The headroom hardly depends on the sample rate; the player computes the headroom for its own rate. */
const SAMPLE_RATE_HZ = 48_000;
const MAX_FILE_BYTES = 1 << 20;

export function EqualizerSettings() {
  const { t } = useTranslation();
  const { equalizer, change } = useEqualizer();
  const { isOn, isGraphic, bands, preampDb } = equalizer;
  const [note, setNote] = useState('');
  const file = useRef<HTMLInputElement>(null);
  const decibels = (value: number) => t('equalizer.decibels', { value: formatNumber(Math.round(value * 10) / 10) });
  const setBand = (index: number, bandChanges: Partial<Band>) =>
    change({
      bands: bands.map((band, bandIndex) => (bandIndex === index ? limitBand({ ...band, ...bandChanges }) : band)),
    });

  const readFile = async (chosenFile: File | undefined) => {
    if (!chosenFile) return;
    const parsedFile = chosenFile.size > MAX_FILE_BYTES ? undefined : parseEqualizerFile(await chosenFile.text());
    if (!parsedFile) return setNote(t('equalizer.notRead', { name: chosenFile.name }));
    const { ignored, ...settings } = parsedFile;
    change({ ...settings, isOn: true });
    const message = t('equalizer.read', { name: chosenFile.name, count: parsedFile.bands.length });
    setNote(ignored.length > 0 ? `${message} ${t('equalizer.ignored', { count: ignored.length })}` : message);
  };

  return (
    <SettingGroup
      name="equalizer"
      title={t('equalizer.title')}
      lead={t(desktop ? 'equalizer.leadApp' : 'equalizer.lead')}
    >
      <SettingRow label={t('equalizer.on')} help={t('equalizer.onHelp')}>
        <Switch
          aria-label={t('equalizer.on')}
          checked={isOn}
          onChange={(event) => change({ isOn: event.currentTarget.checked })}
        />
      </SettingRow>
      <div className={styles.body} data-off={!isOn || undefined}>
        <div className={styles.tools}>
          <Segmented
            label={t('equalizer.kind')}
            value={isGraphic ? 'graphic' : 'parametric'}
            options={(['parametric', 'graphic'] as const).map((value) => ({ value, label: t(`equalizer.${value}`) }))}
            // the sound stays the same as far as the other kind of bands allows
            onChange={(value) =>
              change(
                value === 'graphic'
                  ? { isGraphic: true, bands: fitGraphic((frequency) => responseDb(bands, frequency, SAMPLE_RATE_HZ)) }
                  : { isGraphic: false },
              )
            }
          />
          <EqualizerPresets />
          <Button onClick={() => file.current?.click()}>{t('equalizer.file')}</Button>
          <input
            ref={file}
            type="file"
            accept=".txt,.csv,text/plain"
            className="visually-hidden"
            tabIndex={-1}
            aria-label={t('equalizer.file')}
            onChange={(event) => {
              void readFile(event.currentTarget.files?.[0]);
              event.currentTarget.value = '';
            }}
          />
        </div>
        <p role="status" className={rows.help}>
          {note}
        </p>
        <EqualizerCurve bands={bands} isGraphic={isGraphic} onChange={setBand} />
        <p className={rows.help}>
          {t('equalizer.headroom', { value: decibels(Math.min(preampDb, headroomDb(bands, SAMPLE_RATE_HZ))) })}
        </p>
        <div className={styles.preamp}>
          <NumberInput
            label={t('equalizer.preamp')}
            value={preampDb}
            min={GAIN_DB.min}
            max={0}
            step={0.5}
            suffix=" dB"
            onChange={(value) => typeof value === 'number' && change({ preampDb: Math.min(0, value) })}
          />
        </div>
        {!isGraphic && (
          <ol className={styles.bands}>
            {bands.map((band, index) => (
              <li key={index}>
                <BandFields band={band} number={index + 1} onChange={(bandChanges) => setBand(index, bandChanges)} />
                <IconButton
                  label={t('equalizer.remove', { number: index + 1 })}
                  icon={IconClose}
                  onClick={() => change({ bands: bands.filter((_, bandIndex) => bandIndex !== index) })}
                />
              </li>
            ))}
          </ol>
        )}
        {!isGraphic && bands.length < MAX_BANDS && (
          <div>
            <Button
              icon={IconAdd}
              onClick={() => change({ bands: [...bands, { type: 'peaking', frequency: 1_000, gainDb: 0, q: 1 }] })}
            >
              {t('equalizer.add')}
            </Button>
          </div>
        )}
      </div>
    </SettingGroup>
  );
}

interface BandProps {
  band: Band;
  number: number;
  onChange: (change: Partial<Band>) => void;
}

function BandFields({ band, number, onChange }: BandProps) {
  const { t } = useTranslation();
  const label = (valueName: string) => t('equalizer.ofBand', { what: valueName, number });
  return (
    <>
      <NativeSelect
        aria-label={label(t('equalizer.type'))}
        value={band.type}
        data={BAND_TYPES.map((value) => ({ value, label: t(`equalizer.types.${value}`) }))}
        onChange={(event) => onChange({ type: event.currentTarget.value as BandType })}
      />
      <LimitedInput
        aria-label={label(t('equalizer.frequency'))}
        value={Math.round(band.frequency * 10) / 10}
        {...FREQUENCY}
        suffix=" Hz"
        onChange={(frequency) => onChange({ frequency })}
      />
      <LimitedInput
        aria-label={label(t('equalizer.gain'))}
        value={Math.round(band.gainDb * 10) / 10}
        {...GAIN_DB}
        step={0.5}
        suffix=" dB"
        onChange={(gainDb) => onChange({ gainDb })}
      />
      <LimitedInput
        aria-label={label('Q')}
        value={Math.round(band.q * 100) / 100}
        {...Q}
        step={0.1}
        prefix="Q "
        onChange={(q) => onChange({ q })}
      />
    </>
  );
}

interface LimitedProps extends Omit<NumberInputProps, 'value' | 'onChange'> {
  value: number;
  min: number;
  max: number;
  onChange: (value: number) => void;
}

/**
 * A number field that keeps the typed text until the value is within the limits or the field loses the focus: typing
 * 100 begins with 1.
 */
function LimitedInput({ value, min, max, onChange, ...props }: LimitedProps) {
  const [typedValue, setTyped] = useState<number | string | null>(null);
  return (
    <NumberInput
      {...props}
      value={typedValue ?? value}
      min={min}
      max={max}
      hideControls
      onChange={(now) => {
        setTyped(now);
        if (typeof now === 'number' && now >= min && now <= max) onChange(now);
      }}
      onBlur={() => setTyped(null)} // runs after onChange with the value within the limits
    />
  );
}
