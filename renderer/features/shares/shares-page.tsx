// The links with which the account shares music, with the number of visits and plays of each.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { detailOf } from '../../api/problem.ts';
import type { ShareOut } from '../../api/routes.ts';
import { useSession } from '../../api/session.ts';
import { endOfDayIn, sharesQuery, useChangeShare, useDeleteShare, type ShareChange } from '../../api/shares.ts';
import { coverUrl } from '../../api/urls.ts';
import { EditShareDialog } from '../../music/share-dialog.tsx';
import { Button, ButtonLink, IconButton } from '../../ui/controls/button.tsx';
import { FormButtons } from '../../ui/controls/form-buttons.tsx';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import { Cover } from '../../ui/cover.tsx';
import { formatLength, formatNumber } from '../../ui/format.ts';
import { formatLongDate } from '../../ui/long-date.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { IconAgain, IconDelete, IconEdit, IconEnded, IconLink } from '../../ui/theme/icons.ts';
import '../../i18n/page-texts.ts';
import styles from './shares.module.css';

/** Days for which a share that has ended is opened again. */
const DAYS_OF_ANOTHER_SHARE = 7;

export function SharesPage() {
  const { t } = useTranslation();
  const { data: shares, error, refetch } = useQuery(sharesQuery());
  const mayShare = useSession()?.user.can_share ?? false;
  const [edited, setEdited] = useState<ShareOut | null>(null);
  const openShares = shares?.filter(({ state }) => state === 'open') ?? [];
  const closedShares = shares?.filter(({ state }) => state !== 'open') ?? [];
  return (
    <Page title={t('share.title')} count={openShares.length > 0 ? formatNumber(openShares.length) : undefined}>
      {!mayShare && shares && <p className={styles.notice}>{t('share.mayNot')}</p>}
      {!shares && !error && <Skeleton height="160px" />}
      {error && !shares && <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />}
      {shares?.length === 0 && (
        <EmptyState
          icon={IconLink}
          title={t('share.emptyTitle')}
          actions={
            <ButtonLink to="/albums" variant="primary">
              {t('share.openAlbums')}
            </ButtonLink>
          }
        >
          {t('share.emptyHelp')}
        </EmptyState>
      )}
      {openShares.length > 0 && <ShareRows title={t('share.list')} shares={openShares} onEdit={setEdited} />}
      {closedShares.length > 0 && <ShareRows title={t('share.closedList')} shares={closedShares} onEdit={setEdited} />}
      {edited && <EditShareDialog share={edited} onClose={() => setEdited(null)} />}
    </Page>
  );
}

interface ShareRowsProps {
  title: string;
  shares: readonly ShareOut[];
  onEdit: (share: ShareOut) => void;
}

function ShareRows({ title, shares, onEdit }: ShareRowsProps) {
  return (
    <section className={styles.section}>
      <h2>{title}</h2>
      <ul>
        {shares.map((share) => (
          <ShareRow key={share.id} share={share} onEdit={() => onEdit(share)} />
        ))}
      </ul>
    </section>
  );
}

function ShareRow({ share, onEdit }: { share: ShareOut; onEdit: () => void }) {
  const { t } = useTranslation();
  const { done, tell } = useUndoNotice();
  const mayShare = useSession()?.user.can_share ?? false;
  const change = useChangeShare();
  const remove = useDeleteShare();
  const [isAsking, setAsking] = useState(false);
  const name = share.name ?? t('share.unnamed');
  const isOpen = share.state === 'open';
  const update = (body: ShareChange, onSuccess?: () => void) =>
    change.mutate(
      { id: share.id, ...body },
      { onError: (error) => tell(detailOf(error)), ...(onSuccess && { onSuccess }) },
    );
  const end = () =>
    update({ is_ended: true }, () => done(t('share.ended', { name }), () => update({ is_ended: false })));
  const shareAgain = () => update({ is_ended: false, expires_at: endOfDayIn(DAYS_OF_ANOTHER_SHARE).toISOString() });
  const facts = [
    share.kind && t(`share.kind.${share.kind}`),
    t('share.tracks', { count: share.track_count, number: formatNumber(share.track_count) }),
    formatLength(share.duration_ms),
    share.has_password && t('share.hasPassword'),
    share.allows_saving && t('share.mayBeSaved'),
  ];
  return (
    <li className={styles.share}>
      <Cover
        src={share.cover_track_id === null ? null : coverUrl('tracks', share.cover_track_id, 160)}
        alt=""
        className={styles.cover}
      />
      <div className={styles.words}>
        {isOpen ? (
          <a
            className={styles.name}
            href={share.path}
            target="_blank"
            rel="noreferrer"
            aria-label={t('share.open', { name })}
          >
            {name}
          </a>
        ) : (
          <p className={styles.name}>{name}</p>
        )}
        <p className={styles.facts}>{facts.filter(Boolean).join(' · ')}</p>
        <p className={styles.facts}>
          <strong>{stateText()}</strong> · {visitText()}
        </p>
      </div>
      {isAsking ? (
        <FormButtons
          label={t('share.removeNow')}
          disabled={remove.isPending}
          onConfirm={() => remove.mutate(share.id, { onError: (error) => tell(detailOf(error)) })}
          onCancel={() => setAsking(false)}
        />
      ) : (
        <div className={styles.actions}>
          {isOpen && <IconButton icon={IconEdit} label={t('share.edit', { name })} onClick={onEdit} />}
          {isOpen && <IconButton icon={IconEnded} label={t('share.end', { name })} onClick={end} />}
          {!isOpen && mayShare && (
            <Button icon={IconAgain} aria-label={t('share.againOf', { name })} onClick={shareAgain}>
              {t('share.again')}
            </Button>
          )}
          {!isOpen && (
            <IconButton icon={IconDelete} label={t('share.remove', { name })} onClick={() => setAsking(true)} />
          )}
        </div>
      )}
    </li>
  );

  function stateText(): string {
    if (share.state === 'ended') return t('share.state.ended');
    if (share.expires_at === null) return t('share.state.never');
    return t(`share.state.${share.state === 'expired' ? 'expired' : 'until'}`, {
      date: formatLongDate(share.expires_at),
    });
  }

  function visitText(): string {
    if (share.visit_count === 0) return t('share.notOpened');
    return [
      t('share.opened', { count: share.visit_count, number: formatNumber(share.visit_count) }),
      t('share.plays', { count: share.play_count, number: formatNumber(share.play_count) }),
    ].join(', ');
  }
}
