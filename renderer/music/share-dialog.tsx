// The dialogs that share music and that change a share: what guests may do, until when, and the link with its QR code.
import { Checkbox, Modal, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { networkQuery, useShare } from '../api/network.ts';
import { detailOf } from '../api/problem.ts';
import type { ShareOut, TrackOut } from '../api/routes.ts';
import { useSession } from '../api/session.ts';
import { addressOf, endOfDayIn, useChangeShare, useCreateShare, useGuestOrigin } from '../api/shares.ts';
import { coverUrl, trackCover } from '../api/urls.ts';
import { Button } from '../ui/controls/button.tsx';
import { formText } from '../ui/controls/form-text.ts';
import { QrCode } from '../ui/controls/qr-code.tsx';
import { Segmented } from '../ui/controls/segmented.tsx';
import { Cover } from '../ui/cover.tsx';
import { formatLength, formatNumber } from '../ui/format.ts';
import { formatLongDate } from '../ui/long-date.ts';
import { IconCopyText, IconDone, IconLink, IconProblem } from '../ui/theme/icons.ts';
import type { Items } from './items.ts';
import '../i18n/page-texts.ts';
import styles from './share-dialog.module.css';

/** As the server limits them. */
const MAX_SHARED_TRACKS = 5_000;
const MIN_PASSWORD_LENGTH = 6;
const MAX_PASSWORD_LENGTH = 200;
const MAX_NAME_LENGTH = 1_000;

const PERIOD_DAYS = { day: 1, week: 7, month: 30 } as const;
type Period = keyof typeof PERIOD_DAYS | 'never';
const PERIODS: readonly Period[] = ['day', 'week', 'month', 'never'];
const textOf = (period: Period | 'same') => `share.period.${period}` as const;
const endOf = (period: Period): Date | null => (period === 'never' ? null : endOfDayIn(PERIOD_DAYS[period]));

/** Shares items, and then shows the link. */
export function ShareDialog({ items, onClose }: { items: Items; onClose: () => void }) {
  const { t } = useTranslation();
  const [share, setShare] = useState<ShareOut | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      title={items.name === '' ? t('share.dialogUnnamed') : t('share.dialog', { name: items.name })}
      closeButtonProps={{ 'aria-label': t('playlist.cancel') }}
    >
      {share ? <ShareLink share={share} onDone={onClose} /> : <NewShare items={items} onShared={setShare} />}
    </Modal>
  );
}

/** Changes a share, and shows its link. */
export function EditShareDialog({ share, onClose }: { share: ShareOut; onClose: () => void }) {
  const { t } = useTranslation();
  const change = useChangeShare();
  const [maySave, setMaySave] = useState(share.allows_saving);
  const [period, setPeriod] = useState<Period | 'same'>('same');
  const [removesPassword, setRemovesPassword] = useState(false);
  const end = period === 'same' ? share.expires_at : endOf(period);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = formText(event.currentTarget, 'password');
    change.mutate(
      {
        id: share.id,
        description: formText(event.currentTarget, 'name').trim() || null,
        allows_saving: maySave,
        ...(period !== 'same' && { expires_at: endOf(period)?.toISOString() ?? null }),
        ...(removesPassword ? { password: null } : password !== '' && { password }),
      },
      { onSuccess: onClose },
    );
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('share.editDialog', { name: share.name ?? t('share.unnamed') })}
      closeButtonProps={{ 'aria-label': t('playlist.cancel') }}
    >
      <form className={styles.form} onSubmit={submit}>
        <LinkField share={share} />
        <TextInput
          name="name"
          label={t('share.name')}
          defaultValue={share.description ?? share.name ?? ''}
          maxLength={MAX_NAME_LENGTH}
        />
        <SavingChoice value={maySave} onChange={setMaySave} />
        <PeriodChoice value={period} periods={['same', ...PERIODS]} end={end} onChange={setPeriod} />
        {!removesPassword && (
          <PasswordInput
            name="password"
            label={t(share.has_password ? 'share.newPassword' : 'share.password')}
            description={t(share.has_password ? 'share.newPasswordHelp' : 'share.passwordHelp')}
            autoComplete="new-password"
            minLength={MIN_PASSWORD_LENGTH}
            maxLength={MAX_PASSWORD_LENGTH}
            visibilityToggleButtonProps={{ 'aria-label': t('account.showPassword') }}
          />
        )}
        {share.has_password && (
          <Checkbox
            label={t('share.removePassword')}
            checked={removesPassword}
            onChange={(event) => setRemovesPassword(event.currentTarget.checked)}
          />
        )}
        <FormEnd label={t('share.change')} error={change.error} isBusy={change.isPending} />
      </form>
    </Modal>
  );
}

function NewShare({ items, onShared }: { items: Items; onShared: (share: ShareOut) => void }) {
  const { t } = useTranslation();
  const create = useCreateShare();
  const [loading] = useState(() => items.load());
  const [tracks, setTracks] = useState<TrackOut[]>();
  const [loadError, setLoadError] = useState<Error>();
  const [maySave, setMaySave] = useState(false);
  const [period, setPeriod] = useState<Period>('week');
  const { isLoading } = useGuestOrigin();
  useEffect(() => {
    loading.then(setTracks, setLoadError);
  }, [loading]);
  const problem =
    tracks === undefined
      ? undefined
      : tracks.length === 0
        ? t('share.noTracks')
        : tracks.length > MAX_SHARED_TRACKS
          ? t('share.tooMany', { most: formatNumber(MAX_SHARED_TRACKS), number: formatNumber(tracks.length) })
          : undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = formText(event.currentTarget, 'name').trim();
    const password = formText(event.currentTarget, 'password');
    // an album or a track is shown with its current name, unless it was given another one here
    const isNamedByItself = items.count === 1 && (items.kind === 'album' || items.kind === 'track');
    const shareTracks = (loaded: readonly TrackOut[]) => {
      if (loaded.length === 0 || loaded.length > MAX_SHARED_TRACKS) return;
      create.mutate(
        {
          track_ids: loaded.map(({ id }) => id),
          kind: items.count === 1 ? items.kind : null,
          description: name === '' || (isNamedByItself && name === items.name) ? null : name,
          expires_at: endOf(period)?.toISOString() ?? null,
          allows_saving: maySave,
          password: password === '' ? null : password,
        },
        { onSuccess: onShared },
      );
    };
    loading.then(shareTracks, setLoadError);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <div className={styles.what}>
        <Cover src={coverOf(items, tracks)} alt="" className={styles.cover} />
        <div>
          <p className={styles.facts}>
            {tracks &&
              [
                t('share.tracks', { count: tracks.length, number: formatNumber(tracks.length) }),
                formatLength(tracks.reduce((sum, { duration_ms }) => sum + (duration_ms ?? 0), 0)),
              ].join(', ')}
          </p>
          <p>{t('share.who')}</p>
        </div>
      </div>
      <ReachNotice />
      <TextInput name="name" label={t('share.name')} defaultValue={items.name} maxLength={MAX_NAME_LENGTH} />
      <SavingChoice value={maySave} onChange={setMaySave} />
      <PeriodChoice value={period} periods={PERIODS} end={endOf(period)} onChange={setPeriod} />
      <PasswordInput
        name="password"
        label={t('share.password')}
        description={t('share.passwordHelp')}
        autoComplete="new-password"
        minLength={MIN_PASSWORD_LENGTH}
        maxLength={MAX_PASSWORD_LENGTH}
        visibilityToggleButtonProps={{ 'aria-label': t('account.showPassword') }}
      />
      <FormEnd
        label={t('share.create')}
        error={create.error ?? loadError ?? null}
        problem={problem}
        isBusy={create.isPending || isLoading}
        autoFocus
      />
    </form>
  );
}

function coverOf(items: Items, tracks: readonly TrackOut[] | undefined): string | null {
  if (items.kind === 'album' && items.only) return items.only.has_cover ? coverUrl('albums', items.only.id, 160) : null;
  const track = tracks?.find(({ has_cover }) => has_cover);
  return track ? trackCover(track, 160) : null;
}

interface FormEndProps {
  label: string;
  error: Error | null;
  /** Why the form cannot be submitted. */
  problem?: string | undefined;
  isBusy: boolean;
  /** Whether the button has the focus first, so that Enter submits. */
  autoFocus?: boolean;
}

function FormEnd({ label, error, problem, isBusy, autoFocus = false }: FormEndProps) {
  return (
    <>
      <p role="alert" className={styles.fault}>
        {problem ?? (error && detailOf(error))}
      </p>
      <div className={styles.actions}>
        <Button
          type="submit"
          variant="primary"
          icon={IconLink}
          disabled={problem !== undefined}
          aria-busy={isBusy}
          {...(autoFocus && { 'data-autofocus': true })}
        >
          {label}
        </Button>
      </div>
    </>
  );
}

function SavingChoice({ value, onChange }: { value: boolean; onChange: (maySave: boolean) => void }) {
  const { t } = useTranslation();
  const mayDownload = useSession()?.user.can_download ?? false;
  if (!mayDownload) return null;
  return (
    <div className={styles.choice}>
      <span>{t('share.what')}</span>
      <Segmented
        label={t('share.what')}
        value={value ? 'save' : 'listen'}
        options={(['listen', 'save'] as const).map((name) => ({ value: name, label: t(`share.${name}`) }))}
        onChange={(name) => onChange(name === 'save')}
      />
    </div>
  );
}

interface PeriodChoiceProps<T extends Period | 'same'> {
  value: T;
  periods: readonly T[];
  end: string | Date | null;
  onChange: (period: T) => void;
}

function PeriodChoice<T extends Period | 'same'>({ value, periods, end, onChange }: PeriodChoiceProps<T>) {
  const { t } = useTranslation();
  return (
    <div className={styles.choice}>
      <span>{t('share.until')}</span>
      <Segmented
        label={t('share.until')}
        value={value}
        options={periods.map((period) => ({ value: period, label: t(textOf(period)) }))}
        onChange={onChange}
      />
      <p className={styles.facts} aria-live="polite">
        {end === null ? t('share.untilNever') : t('share.untilDate', { date: formatLongDate(end) })}
      </p>
    </div>
  );
}

/** Says that no other device can open the link, and offers to change that. */
function ReachNotice() {
  const { t } = useTranslation();
  const { origin, isLoading } = useGuestOrigin();
  const { data: network } = useQuery({ ...networkQuery(), enabled: origin === null });
  const isOwner = useSession()?.user.is_superuser ?? false;
  const shareOnNetwork = useShare();
  if (origin !== null || isLoading) return null;
  const maySwitch = isOwner && network?.locked_because === null;
  return (
    <div className={styles.reach} role="status">
      <IconProblem size={18} aria-hidden />
      <p>
        {t('share.onlyHere')} {!maySwitch && t('share.askAdministrator')}{' '}
        {shareOnNetwork.error && detailOf(shareOnNetwork.error)}
      </p>
      {maySwitch && (
        <Button disabled={shareOnNetwork.isPending} onClick={() => shareOnNetwork.mutate(true)}>
          {t('share.onNetwork')}
        </Button>
      )}
    </div>
  );
}

function ShareLink({ share, onDone }: { share: ShareOut; onDone: () => void }) {
  const { t } = useTranslation();
  const { origin } = useGuestOrigin();
  const address = addressOf(share, origin);
  return (
    <div className={styles.form}>
      <ReachNotice />
      <LinkField share={share} focused />
      {origin !== null && (
        <div className={styles.code}>
          <QrCode text={address} label={t('share.qrCode', { address })} />
        </div>
      )}
      <p className={styles.facts}>
        {share.expires_at === null
          ? t('share.untilNever')
          : t('share.untilDate', { date: formatLongDate(share.expires_at) })}
      </p>
      <div className={styles.actions}>
        <Button onClick={onDone}>{t('share.done')}</Button>
      </div>
    </div>
  );
}

/** The link, with buttons that copy it and pass it to another app of this device. */
function LinkField({ share, focused = false }: { share: ShareOut; focused?: boolean }) {
  const { t } = useTranslation();
  const { origin } = useGuestOrigin();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const copyButton = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'copied' | 'selected' | null>(null);
  const address = addressOf(share, origin);
  useEffect(() => {
    if (focused) copyButton.current?.querySelector('button')?.focus();
  }, [focused]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(address);
      setState('copied');
    } catch {
      // browsers have no clipboard over plain HTTP, and people may forbid its use
      field.current?.focus();
      field.current?.select();
      setState('selected');
    }
  };
  const send = () => {
    // a person may close the sheet of the system without choosing an app
    navigator.share({ url: address, ...(share.name !== null && { title: share.name }) }).catch(() => undefined);
  };
  const canSend = (navigator as Partial<Navigator>).share !== undefined;
  return (
    <div className={styles.choice}>
      <label htmlFor={id}>{t('share.link')}</label>
      <input
        id={id}
        ref={field}
        className={styles.link}
        readOnly
        value={address}
        onFocus={(event) => event.currentTarget.select()}
      />
      <div className={styles.actions} ref={copyButton}>
        <Button
          variant={focused ? 'primary' : 'quiet'}
          icon={state === 'copied' ? IconDone : IconCopyText}
          onClick={() => void copy()}
        >
          {t(state === 'copied' ? 'share.copied' : 'share.copy')}
        </Button>
        {canSend && (
          <Button icon={IconLink} onClick={send}>
            {t('share.send')}
          </Button>
        )}
      </div>
      <p role="status" className={styles.facts}>
        {state === 'selected' && t('share.selected')}
      </p>
    </div>
  );
}
