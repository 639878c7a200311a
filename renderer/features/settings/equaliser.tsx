// The equaliser of the chosen output device: curve with a handle for each band, presets, files, bypass.
import { NativeSelect, NumberInput, Switch, type NumberInputProps } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { desktop } from '../../desktop.ts';
import {
  BAND_TYPES,
  checked,
  fitGraphic,
  FREQUENCY,
  GAIN_DB,
  headroomDb,
  limited,
  MAX_BANDS,
  PRESETS,
  Q,
  responseDb,
  type Band,
  type BandType,
  type Equaliser,
} from '../../player/equaliser.ts';
import { parseEqualiserFile } from '../../player/equaliser-file.ts';
import { setEqualiser, storedEqualiser, useSoundOutput } from '../../player/sound-output.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { IconAdd, IconClose } from '../../ui/icons.ts';
import { Segmented } from '../../ui/segmented.tsx';
import { EqualiserCurve } from './equaliser-curve.tsx';
import { SettingGroup, SettingRow } from './setting-row.tsx';
import styles from './equaliser.module.css';
import rows from './settings.module.css';

/** The headroom hardly depends on it; the player computes it for its own. */
const RATE = 48_000;
const MAX_FILE_BYTES = 1 << 20;

export function EqualiserSettings() {
  const { t } = useTranslation();
  const equaliser = checked(storedEqualiser(useSoundOutput()));
  const change = (some: Partial<Equaliser>) => setEqualiser({ ...equaliser, ...some });
  const { isOn, isGraphic, bands, preampDb } = equaliser;
  const [note, setNote] = useState('');
  const file = useRef<HTMLInputElement>(null);
  const decibels = (value: number) => t('equaliser.decibels', { value: formatNumber(Math.round(value * 10) / 10) });
  const setBand = (index: number, some: Partial<Band>) =>
    change({ bands: bands.map((band, at) => (at === index ? limited({ ...band, ...some }) : band)) });

  const read = async (chosen: File | undefined) => {
    if (!chosen) return;
    const parsed = chosen.size > MAX_FILE_BYTES ? undefined : parseEqualiserFile(await chosen.text());
    if (!parsed) return setNote(t('equaliser.notRead', { name: chosen.name }));
    const { ignored, ...settings } = parsed;
    change({ ...settings, isOn: true });
    const said = t('equaliser.read', { name: chosen.name, count: parsed.bands.length });
    setNote(ignored.length > 0 ? `${said} ${t('equaliser.ignored', { count: ignored.length })}` : said);
  };

  return (
    <SettingGroup title={t('equaliser.title')} lead={t(desktop ? 'equaliser.leadApp' : 'equaliser.lead')}>
      <SettingRow label={t('equaliser.on')} help={t('equaliser.onHelp')}>
        <Switch
          aria-label={t('equaliser.on')}
          checked={isOn}
          onChange={(event) => change({ isOn: event.currentTarget.checked })}
        />
      </SettingRow>
      <div className={styles.body} data-off={!isOn || undefined}>
        <div className={styles.tools}>
          <Segmented
            label={t('equaliser.kind')}
            value={isGraphic ? 'graphic' : 'parametric'}
            options={(['parametric', 'graphic'] as const).map((value) => ({ value, label: t(`equaliser.${value}`) }))}
            // the sound stays as it is, as far as the bands of the other kind can
            onChange={(value) =>
              change(
                value === 'graphic'
                  ? { isGraphic: true, bands: fitGraphic((frequency) => responseDb(bands, frequency, RATE)) }
                  : { isGraphic: false },
              )
            }
          />
          <NativeSelect
            aria-label={t('equaliser.preset')}
            value=""
            data={[
              { value: '', label: t('equaliser.preset') },
              ...Object.keys(PRESETS).map((value) => ({ value, label: t(`equaliser.presets.${value as 'flat'}`) })),
            ]}
            onChange={({ currentTarget: { value } }) =>
              PRESETS[value] && change({ isGraphic: true, bands: PRESETS[value], preampDb: 0, isOn: true })
            }
          />
          <Button onClick={() => file.current?.click()}>{t('equaliser.file')}</Button>
          <input
            ref={file}
            type="file"
            accept=".txt,.csv,text/plain"
            className="visually-hidden"
            tabIndex={-1}
            aria-label={t('equaliser.file')}
            onChange={(event) => {
              void read(event.currentTarget.files?.[0]);
              event.currentTarget.value = '';
            }}
          />
        </div>
        <p role="status" className={rows.help}>
          {note}
        </p>
        <EqualiserCurve bands={bands} isGraphic={isGraphic} onChange={setBand} />
        <p className={rows.help}>
          {t('equaliser.headroom', { value: decibels(Math.min(preampDb, headroomDb(bands, RATE))) })}
        </p>
        <div className={styles.preamp}>
          <NumberInput
            label={t('equaliser.preamp')}
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
                <BandFields band={band} number={index + 1} onChange={(some) => setBand(index, some)} />
                <IconButton
                  label={t('equaliser.remove', { number: index + 1 })}
                  icon={IconClose}
                  onClick={() => change({ bands: bands.filter((_, at) => at !== index) })}
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
              {t('equaliser.add')}
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
  const label = (what: string) => t('equaliser.ofBand', { what, number });
  return (
    <>
      <NativeSelect
        aria-label={label(t('equaliser.type'))}
        value={band.type}
        data={BAND_TYPES.map((value) => ({ value, label: t(`equaliser.types.${value}`) }))}
        onChange={(event) => onChange({ type: event.currentTarget.value as BandType })}
      />
      <LimitedInput
        aria-label={label(t('equaliser.frequency'))}
        value={Math.round(band.frequency * 10) / 10}
        {...FREQUENCY}
        suffix=" Hz"
        onChange={(frequency) => onChange({ frequency })}
      />
      <LimitedInput
        aria-label={label(t('equaliser.gain'))}
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

/** What is typed is left alone until it is within the limits, or the field is left: 100 begins with 1. */
function LimitedInput({ value, min, max, onChange, ...props }: LimitedProps) {
  const [typed, setTyped] = useState<number | string | null>(null);
  return (
    <NumberInput
      {...props}
      value={typed ?? value}
      min={min}
      max={max}
      hideControls
      onChange={(now) => {
        setTyped(now);
        if (typeof now === 'number' && now >= min && now <= max) onChange(now);
      }}
      onBlur={() => setTyped(null)} // after onChange with what is within the limits
    />
  );
}
