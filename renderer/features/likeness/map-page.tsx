// A map of the library by its sound: tracks that sound alike are close to each other. The list beside the map contains
// the visible tracks.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { memo, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  fetchMapLine,
  likenessQuery,
  mapQuery,
  mapTracksQuery,
  type MapArea,
  type MapLine,
} from '../../api/likeness.ts';
import { detailOf } from '../../api/problem.ts';
import { trackQuery } from '../../api/tracks.ts';
import { ChosenTracks } from '../../music/chosen-tracks.tsx';
import { trackItems } from '../../music/items.ts';
import { oneTrack } from '../../music/track-drag.ts';
import { useActions } from '../../music/use-actions.ts';
import { usePlaylistCommands } from '../../music/use-playlist-commands.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { IconAdd, IconAddTo, IconFarther, IconPlay, IconRadio, IconWholeMap } from '../../ui/theme/icons.ts';
import { Page } from '../../ui/page.tsx';
import { useScheme } from '../../ui/theme/scheme.ts';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { MapCanvas, ZOOM_STEP } from './map-canvas.tsx';
import { genreColour } from './map-drawing.ts';
import { AnalysisLink, NotAnalyzed } from './sound-progress.tsx';
import {
  areaOf,
  fetchedArea,
  MAP_SIZE,
  thinned,
  wholeMap,
  zoomed,
  type Point,
  type Size,
  type View,
} from './map-view.ts';
import likeness from './likeness.module.css';
import '../../i18n/page-texts.ts';
import styles from './map.module.css';

const WHOLE_AREA: MapArea = { min_x: 0, min_y: 0, max_x: MAP_SIZE, max_y: MAP_SIZE };
const MAX_POINTS = 50_000;
/** With more points than one per this number of pixels, single points cannot be told apart. */
const PIXELS_A_POINT = 20;
const SETTLED_MS = 200;
const LISTED_TRACKS = 50;
const LINE_POINTS = 200;
const LINE_TRACKS = 20;
const LEGEND_GENRES = 12;
const INITIAL_VIEW: Size = { width: 800, height: 600 };
const TOOLS = ['walk', 'draw'] as const;

export function MapPage() {
  const { t } = useTranslation();
  const [size, setSize] = useState<Size | null>(null);
  const [view, setView] = useState<View>(() => wholeMap(INITIAL_VIEW));
  const [tool, setTool] = useState<(typeof TOOLS)[number]>('walk');
  const [line, setLine] = useState<Point[]>([]);
  const [chosenId, setChosen] = useState<number | null>(null);
  const shownView = size ?? INITIAL_VIEW;
  const [settledView] = useDebouncedValue(view, SETTLED_MS);
  const points = Math.min(MAX_POINTS, Math.ceil((shownView.width * shownView.height) / PIXELS_A_POINT / 1_000) * 1_000);
  const fetched = useMemo(() => (size ? fetchedArea(settledView, size) : WHOLE_AREA), [settledView, size]);
  const map = useQuery({ ...mapQuery(fetched, points), enabled: size !== null, placeholderData: keepPreviousData });
  const along = useMutation({
    mutationFn: () =>
      fetchMapLine(
        thinned(line, LINE_POINTS).map(({ x, y }) => ({ x: clamped(x), y: clamped(y) })),
        LINE_TRACKS,
      ),
  });
  const wholeMapQuery = useQuery({ ...mapQuery(WHOLE_AREA, 1_000), enabled: size === null });
  const mapData = map.data ?? wholeMapQuery.data;
  const error = map.error ?? wholeMapQuery.error;
  const onSize = (next: Size) => {
    if (size === null) setView(wholeMap(next));
    setSize(next);
  };
  const zoom = (factor: number) =>
    setView(zoomed(view, shownView, factor, { x: shownView.width / 2, y: shownView.height / 2 }));
  const changeLine = (next: Point[]) => {
    along.reset();
    setLine(next);
  };

  if (error && !mapData)
    return <ErrorState detail={detailOf(error)} onRetry={() => void (map.isError ? map : wholeMapQuery).refetch()} />;
  if (!mapData)
    return (
      <Page title={t('place.map')}>
        <Skeleton height="60vh" />
      </Page>
    );
  if (mapData.part.version === null || (size === null && mapData.part.total === 0))
    return (
      <Page title={t('place.map')}>
        <NotAnalyzed title={t('map.emptyTitle')}>{t('map.empty')}</NotAnalyzed>
      </Page>
    );
  return (
    <Page
      title={t('place.map')}
      tools={
        <>
          <Segmented
            label={t('map.tool')}
            value={tool}
            options={TOOLS.map((value) => ({ value, label: t(`map.tools.${value}`) }))}
            onChange={(value) => {
              setTool(value);
              changeLine([]);
            }}
          />
          <IconButton label={t('map.nearer')} icon={IconAdd} onClick={() => zoom(ZOOM_STEP)} />
          <IconButton label={t('map.farther')} icon={IconFarther} onClick={() => zoom(1 / ZOOM_STEP)} />
          <IconButton label={t('map.whole')} icon={IconWholeMap} onClick={() => setView(wholeMap(shownView))} />
        </>
      }
    >
      <PartOfLibrary />
      <div className={styles.both}>
        <div className={styles.side}>
          <MapCanvas
            part={mapData.part}
            area={mapData.area}
            view={view}
            onView={setView}
            onSize={onSize}
            isDrawing={tool === 'draw'}
            line={line}
            onLine={changeLine}
            onDrawn={() => along.mutate()}
            chosenId={chosenId}
            onChoose={setChosen}
          />
          <p className={styles.hint}>{t(tool === 'draw' ? 'map.drawHint' : 'map.hint')}</p>
          <Key genres={mapData.part.genres} />
        </div>
        <div className={styles.beside}>
          {chosenId !== null && <ChosenTrack id={chosenId} />}
          {along.error && (
            <p role="alert" className={likeness.error}>
              {detailOf(along.error)}
            </p>
          )}
          {along.data ? (
            <LineTracks tracks={along.data.items} onClear={() => changeLine([])} />
          ) : (
            <VisibleTracks view={settledView} size={shownView} />
          )}
        </div>
      </div>
    </Page>
  );
}

/** Says how many tracks are on the map while it lacks others. */
function PartOfLibrary() {
  const { t } = useTranslation();
  const { data } = useQuery(likenessQuery());
  if (!data || data.indexed === 0 || data.indexed >= data.total) return null;
  const isUnfinished = data.analyzed < data.total;
  return (
    <div className={styles.partly}>
      <p>
        {t('map.partly', { number: formatNumber(data.indexed), total: formatNumber(data.total) })}{' '}
        {t(isUnfinished ? 'map.othersLater' : 'map.othersNot')}
      </p>
      {isUnfinished && <AnalysisLink />}
    </div>
  );
}

const clamped = (value: number): number => Math.round(Math.min(MAP_SIZE, Math.max(0, value)));

const Key = memo(function Key({ genres }: { genres: readonly string[] }) {
  const { t } = useTranslation();
  const isDark = useScheme() === 'dark';
  return (
    <ul className={styles.key} aria-label={t('map.key')}>
      {genres.slice(0, LEGEND_GENRES).map((genre, i) => (
        <li key={genre}>
          <svg width="10" height="10" aria-hidden>
            <circle cx="5" cy="5" r="5" fill={genreColour(i, isDark)} />
          </svg>
          {genre}
        </li>
      ))}
    </ul>
  );
});

const ChosenTrack = memo(function ChosenTrack({ id }: { id: number }) {
  const { t } = useTranslation();
  const { run } = useActions();
  const { data: track, error } = useQuery(trackQuery(id));
  // the track was deleted after the map was made
  if (error && !track)
    return (
      <p role="alert" className={likeness.error}>
        {detailOf(error)}
      </p>
    );
  if (!track) return <Skeleton height="64px" />;
  const items = trackItems(oneTrack(track));
  return (
    <section aria-label={t('map.chosen')} aria-live="polite" className={styles.chosen}>
      <ChosenTracks label={t('map.chosen')} items={[{ track }]} from={t('place.map')} />
      <Button icon={IconRadio} onClick={() => void run('radio', items)}>
        {t('action.radio')}
      </Button>
    </section>
  );
});

/** The list of tracks near the drawn line. */
function LineTracks({ tracks, onClear }: { tracks: MapLine['items']; onClear: () => void }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const { keep } = usePlaylistCommands();
  const name = t('map.line');
  return (
    <section aria-label={name}>
      <h2>{name}</h2>
      {tracks.length === 0 ? (
        <p className={likeness.quiet}>{t('map.lineNone')}</p>
      ) : (
        <div className={likeness.tools}>
          <Button
            variant="primary"
            icon={IconPlay}
            onClick={() => player.playTracks(tracks, { shuffle: false, from: name })}
          >
            {t('player.play')}
          </Button>
          <Button icon={IconAddTo} onClick={() => void keep(name, tracks)}>
            {t('path.keep')}
          </Button>
          <Button onClick={onClear}>{t('map.clear')}</Button>
        </div>
      )}
      <ChosenTracks label={name} items={tracks.map((track) => ({ track }))} from={name} />
    </section>
  );
}

/** The list of the visible tracks, memoized so that it is not rendered for every frame while the map is panned. */
const VisibleTracks = memo(function VisibleTracks({ view, size }: { view: View; size: Size }) {
  const { t } = useTranslation();
  const [maxTracks, setMost] = useState(LISTED_TRACKS);
  const area = areaOf(view, size);
  const areaTracks = useQuery({
    ...mapTracksQuery(area, { limit: Math.min(maxTracks, 200), offset: 0 }),
    placeholderData: keepPreviousData,
  });
  const { data, error } = areaTracks;
  return (
    <section aria-label={t('map.here')}>
      <h2>{t('map.here')}</h2>
      <p className={likeness.quiet} aria-live="polite">
        {data && t('map.count', { count: data.total, number: formatNumber(data.total) })}
      </p>
      {error && !data && <ErrorState detail={detailOf(error)} onRetry={() => void areaTracks.refetch()} />}
      {data && (
        <ChosenTracks label={t('map.here')} items={data.items.map(({ track }) => ({ track }))} from={t('place.map')} />
      )}
      {data && data.total > data.items.length && maxTracks < 200 && (
        <Button onClick={() => setMost(maxTracks + LISTED_TRACKS)}>{t('map.moreTracks')}</Button>
      )}
    </section>
  );
});
