// The devices of the account: what plays where, moving the music from one to another, and the jukebox.
import { Switch, TextInput } from '@mantine/core';
import { useId, useRef, useState, type FormEvent, type MouseEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { OWN_DEVICE } from '../../api/device-news.ts';
import { deviceName, useDevices, type Device } from '../../api/devices.ts';
import { useSession } from '../../api/session.ts';
import { useDeviceNotes } from '../../player/device-notes.ts';
import { chooseSpeaker, useSpeakerChoice } from '../../player/jukebox-choice.ts';
import { currentEntry, isSounding } from '../../player/player.ts';
import { useCurrentTrack, usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Slider } from '../../ui/controls/slider.tsx';
import { formatPercent } from '../../ui/format.ts';
import { SoundBars } from '../../ui/sound-bars.tsx';
import { IconDevices, IconEdit, IconMuted, IconPause, IconPlay, IconVolume } from '../../ui/theme/icons.ts';
import '../../i18n/device-texts.ts';
import styles from './devices-section.module.css';

export function DevicesSection() {
  const { t } = useTranslation();
  const devices = useDevices();
  const otherDevices = devices.filter(({ id }) => id !== OWN_DEVICE);
  const mayBeSpeaker = useSession()?.user.can_jukebox ?? false;
  return (
    <section className={styles.section} aria-label={t('devices.title')}>
      <h3>{t('devices.title')}</h3>
      <ul className={styles.list}>
        <OwnDevice />
        {otherDevices.map((device) => (
          <OtherDevice key={device.id} device={device} />
        ))}
      </ul>
      {otherDevices.length === 0 && <p className={styles.help}>{t('devices.alone')}</p>}
      {mayBeSpeaker && <SpeakerSwitch />}
    </section>
  );
}

/** This window, whose name is that of its browser or app. */
function OwnDevice() {
  const { t } = useTranslation();
  const { agent } = useDeviceNotes();
  const player = usePlayerCommands();
  const track = useCurrentTrack();
  const sounding = usePlayer(isSounding);
  const volume = usePlayer((state) => (state.muted ? 0 : state.volume));
  const name = useDevices().find(({ id }) => id === OWN_DEVICE)?.name ?? deviceName();
  return (
    <li className={styles.device} aria-label={t('devices.thisWindow')} data-here>
      <DeviceName
        name={name}
        title={t('devices.thisWindow')}
        isPlaying={sounding}
        onRename={(newName) => agent?.rename(OWN_DEVICE, newName)}
      >
        <span>{name}</span>
        {sounding && track && <span>{t('devices.plays', { title: track.title })}</span>}
      </DeviceName>
      <VolumeSlider name={t('devices.thisWindow')} volume={volume} onChange={(to) => player.setVolume(to)} />
    </li>
  );
}

function OtherDevice({ device }: { device: Device }) {
  const { t } = useTranslation();
  const { agent, note, pending } = useDeviceNotes();
  const hasQueue = usePlayer((state) => currentEntry(state) !== null);
  const sounding = usePlayer(isSounding);
  const { id, name, track, playing, volume, muted } = device;
  const isPending = pending === id;
  /** The buttons change with what plays where, so the focus stays on the device. */
  const keepFocus = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => currentTarget.closest('li')?.focus();
  const needsTap = note?.kind === 'tap' && note.id === id;
  return (
    <li className={styles.device} aria-label={name} tabIndex={-1}>
      <DeviceName
        name={name}
        title={name}
        isPlaying={playing}
        onRename={(newName) => agent?.rename(id, newName)}
        toggle={
          track && (
            <IconButton
              label={t(playing ? 'devices.pause' : 'devices.play', { name })}
              icon={playing ? IconPause : IconPlay}
              onClick={() => (playing ? agent?.pause(id) : agent?.play(id))}
            />
          )
        }
      >
        <span aria-live="polite">
          {note?.kind === 'waits' && note.id === id
            ? t('devices.waits')
            : track
              ? [t(playing ? 'devices.plays' : 'devices.paused', { title: track.title }), track.artist_name]
                  .filter(Boolean)
                  .join(' · ')
              : t('devices.idle')}
        </span>
      </DeviceName>
      <div className={styles.actions}>
        {(track || needsTap) && (
          <Button
            variant={playing ? 'primary' : 'quiet'}
            disabled={isPending}
            onClick={(event) => {
              keepFocus(event);
              agent?.playHere(id);
            }}
          >
            {t(needsTap ? 'queueOffer.tapToPlay' : 'queueOffer.playHere')}
          </Button>
        )}
        {hasQueue && (sounding || !playing) && (
          <Button
            className={styles.playOn}
            disabled={isPending}
            onClick={(event) => {
              keepFocus(event);
              agent?.playOn(id);
            }}
          >
            {t('devices.playOn', { name })}
          </Button>
        )}
      </div>
      <VolumeSlider name={name} volume={muted ? 0 : volume} onChange={(to) => agent?.setVolume(id, to)} />
    </li>
  );
}

interface DeviceNameProps {
  /** The name that can be changed. */
  name: string;
  /** The first line. */
  title: string;
  isPlaying: boolean;
  onRename: (name: string) => void;
  /** The button that pauses and resumes. */
  toggle?: ReactNode;
  children: ReactNode;
}

function DeviceName({ name, title, isPlaying, onRename, toggle, children }: DeviceNameProps) {
  const { t } = useTranslation();
  const [typedName, setTypedName] = useState<string | null>(null);
  const renameButton = useRef<HTMLButtonElement>(null);
  const close = () => {
    setTypedName(null);
    requestAnimationFrame(() => renameButton.current?.focus());
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (typedName?.trim()) onRename(typedName.trim());
    close();
  };
  if (typedName !== null)
    return (
      <form className={styles.rename} onSubmit={save}>
        <TextInput
          aria-label={t('devices.name')}
          value={typedName}
          maxLength={60}
          autoFocus
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => setTypedName(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.stopPropagation();
            close();
          }}
        />
        <Button type="submit" variant="primary">
          {t('devices.save')}
        </Button>
      </form>
    );
  return (
    <div className={styles.head}>
      <span className={styles.icon} aria-hidden>
        {isPlaying ? <SoundBars moving /> : <IconDevices size={20} />}
      </span>
      <div className={styles.words}>
        <strong>{title}</strong>
        {children}
      </div>
      <IconButton
        ref={renameButton}
        label={t('devices.rename', { name })}
        icon={IconEdit}
        iconSize={16}
        onClick={() => setTypedName(name)}
      />
      {toggle}
    </div>
  );
}

function VolumeSlider({ name, volume, onChange }: { name: string; volume: number; onChange: (to: number) => void }) {
  const { t } = useTranslation();
  return (
    <div className={styles.volume}>
      {volume === 0 ? <IconMuted size={16} aria-hidden /> : <IconVolume size={16} aria-hidden />}
      <Slider
        label={t('devices.volume', { name })}
        value={volume}
        max={1}
        step={0.01}
        live
        valueText={formatPercent(volume)}
        onChange={onChange}
      />
    </div>
  );
}

function SpeakerSwitch() {
  const { t } = useTranslation();
  const id = useId();
  const isSpeaker = useSpeakerChoice();
  return (
    <div className={styles.speaker}>
      <label htmlFor={id}>{t('speaker.be')}</label>
      <Switch
        id={id}
        checked={isSpeaker}
        aria-describedby={`${id}-help`}
        onChange={(event) => chooseSpeaker(event.currentTarget.checked)}
      />
      <p id={`${id}-help`}>{t('speaker.help')}</p>
    </div>
  );
}
