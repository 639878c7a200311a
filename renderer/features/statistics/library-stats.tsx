// The library by format, source, status and year, and disk usage.
import { useTranslation } from 'react-i18next';
import type { StorageStatsOut } from '../../../server/stats/wire.ts';
import { formatBytes, formatFormat, formatLength, formatNumber } from '../../ui/format.ts';
import { BarPlot } from './bar-plot.tsx';
import { Figure } from './figure.tsx';
import { fillYears } from './plot-data.ts';
import { RankPlot, type Rank } from './rank-plot.tsx';
import '../../i18n/page-texts.ts';
import styles from './statistics.module.css';

type Share = StorageStatsOut['by_format'][number];
const STATUSES = ['pending', 'enriched', 'failed', 'manual'] as const;

export function LibraryStats({ storage }: { storage: StorageStatsOut }) {
  const { t } = useTranslation();
  const nameOfStatus = (key: string) => {
    const status = STATUSES.find((candidate) => candidate === key);
    return status ? t(`metadataStatus.${status}`) : key;
  };
  const shares: [key: string, title: string, items: readonly Share[], nameOf: (key: string) => string][] = [
    ['format', t('statistics.byFormat'), storage.by_format, formatFormat],
    [
      'source',
      t('statistics.bySource'),
      storage.by_source,
      (key) =>
        key === 'local_folder' ? t('statistics.localFolder') : key === 'upload' ? t('statistics.uploads') : key,
    ],
    ['status', t('statistics.byStatus'), storage.by_metadata_status, nameOfStatus],
  ];
  const years = fillYears(storage.albums_by_year);
  return (
    <>
      <dl className={styles.tiles}>
        <div>
          <dt>{t('nav.tracks')}</dt>
          <dd>{formatNumber(storage.tracks)}</dd>
        </div>
        <div>
          <dt>{t('nav.albums')}</dt>
          <dd>{formatNumber(storage.albums)}</dd>
        </div>
        <div>
          <dt>{t('nav.artists')}</dt>
          <dd>{formatNumber(storage.artists)}</dd>
        </div>
        <div>
          <dt>{t('statistics.playingTime')}</dt>
          <dd>{formatLength(storage.duration_ms)}</dd>
        </div>
        <div>
          <dt>{t('statistics.size')}</dt>
          <dd>{formatBytes(storage.size_bytes)}</dd>
        </div>
      </dl>
      {years.length > 0 && (
        <Figure
          wide
          title={t('statistics.byYear')}
          summary={t('statistics.byYearSummary', { from: years[0]?.year, to: years.at(-1)?.year })}
          table={{
            columns: [t('sort.year'), t('nav.albums')],
            rows: years.map(({ year, albums }) => [String(year), albums]),
          }}
        >
          <BarPlot
            data={years.map(({ year, albums }) => ({ label: String(year), albums }))}
            value="albums"
            name={t('nav.albums')}
            format={formatNumber}
            height={180}
          />
        </Figure>
      )}
      {shares.map(
        ([key, title, items, nameOf]) =>
          items.length > 0 && (
            <Figure
              key={key}
              title={title}
              summary={t('statistics.topSummary', { title, name: nameOf(items[0]?.key ?? '') })}
              table={{
                columns: [t('sort.name'), t('nav.tracks'), t('statistics.bytes')],
                rows: items.map((item) => [nameOf(item.key), item.tracks, item.size_bytes]),
              }}
            >
              <RankPlot
                ranks={items.map((item) => ({
                  key: item.key,
                  name: nameOf(item.key),
                  by: formatBytes(item.size_bytes),
                  value: item.tracks,
                }))}
                format={(tracks) => t('statistics.tracks', { count: tracks, number: formatNumber(tracks) })}
              />
            </Figure>
          ),
      )}
      {storage.disk && <Disk disk={storage.disk} music={storage.size_bytes} />}
    </>
  );
}

/**
 * Disk usage. Referenced music may be on another disk, so its displayed size is limited to the used space of this
 * disk.
 */
function Disk({ disk, music }: { disk: NonNullable<StorageStatsOut['disk']>; music: number }) {
  const { t } = useTranslation();
  const musicBytes = Math.min(music, disk.used_bytes);
  const parts: Rank[] = [
    { key: 'music', name: t('statistics.music'), value: musicBytes },
    { key: 'other', name: t('statistics.other'), value: disk.used_bytes - musicBytes },
    { key: 'free', name: t('statistics.free'), value: disk.free_bytes },
  ];
  return (
    <Figure
      title={t('statistics.disk')}
      summary={t('statistics.diskSummary', {
        free: formatBytes(disk.free_bytes),
        total: formatBytes(disk.total_bytes),
      })}
      table={{ columns: [t('sort.name'), t('statistics.bytes')], rows: parts.map(({ name, value }) => [name, value]) }}
    >
      <RankPlot ranks={parts} format={formatBytes} />
    </Figure>
  );
}
