// A music folder that random steps change, and the rules that its tracks must follow afterwards, for files of the
// simulation and of real encoders.
import fs from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { Database, Statement } from 'better-sqlite3';
import type { TrackId } from '../../server/db/ids.ts';
import { seededRandom } from './seeded-random.ts';

export type Mode = 'copy' | 'reference';

const OPS = [
  'rename',
  'move',
  'retag',
  'retag album',
  'swap',
  'copy',
  'delete',
  'convert',
  'better copy',
  'slow upgrade',
  'drop worse',
  'split',
  'merge',
  'vanish',
  'return',
  'overwrite',
  'foreign',
  'remount',
  'trash',
  'restore',
  'scan',
  'scan part',
  'kill',
] as const;
export interface Step {
  op: (typeof OPS)[number];
  /** Numbers that choose files, names and moments, modulo their count. */
  picks: [number, number, number];
}

/** The content of a file. */
export interface Content {
  /** Number of the recording; several encodings can have the same number. */
  sound: number;
  audio: string;
  title: string;
  album: string;
  artist: string;
  /** Whether the file is too large to be hashed at once in reference mode. */
  isLarge: boolean;
}

export function randomSteps(seed: number): Step[] {
  const random = seededRandom(seed);
  const number = (): number => Math.floor(random() * 1_000);
  const steps = Array.from({ length: 3 + Math.floor(random() * 10) }, () => ({
    op: OPS[Math.floor(random() * OPS.length)] as Step['op'],
    picks: [number(), number(), number()] as Step['picks'],
  }));
  return steps.flatMap((step) => (step.op === 'slow upgrade' ? slowUpgrade(step.picks) : [step]));
}

/** Returns the steps in which a better copy is added, and the original file is removed after a scan. */
const slowUpgrade = (picks: Step['picks']): Step[] =>
  (['better copy', 'scan', 'drop worse'] as const).map((op) => ({ op, picks }));

/** Number of recordings of a sequence. Recordings with higher numbers come from outside. */
export const SOUNDS = 6;
/** The distance between the recording numbers of sequences that share a library. */
export const SOUNDS_PER_SEQUENCE = 100;
const isForeign = (sound: number): boolean => sound % SOUNDS_PER_SEQUENCE >= SOUNDS;

interface FolderDeps {
  /** The sequence's own folder, which contains all its files. */
  root: string;
  /** Returns the path of a folder of the sequence. */
  pathOf: (folder: string) => string;
  sourceIdAt: (path: string) => string;
  sequenceNumber: number;
  /** The folder to which vanished files are moved. */
  awayDir: string;
  isHeard: boolean;
  contentOf: (path: string) => Content;
  /** Writes a file with a new modification time. */
  write: (path: string, content: Content) => void;
  touch: (path: string) => void;
  /** Returns the audio of another encoding of a recording, for this extension. */
  convert: (sound: number, extension: string) => string;
  /** Returns the number of a new recording. */
  nextSound: () => number;
  hashOf: (audio: string) => string;
  soundOf: (audioHash: string | null) => number;
}

export type ChangingFolder = ReturnType<typeof createFolder>;

export function createFolder({
  root,
  pathOf,
  sourceIdAt,
  sequenceNumber: sequence,
  awayDir,
  isHeard,
  contentOf,
  write,
  touch,
  convert,
  nextSound,
  hashOf,
  soundOf,
}: FolderDeps) {
  let movedFiles = 0;

  const listFiles = (folder: string): string[] =>
    fs.existsSync(folder)
      ? fs
          .readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort()
      : [];
  function rename(from: string, to: string): void {
    fs.mkdirSync(dirname(to), { recursive: true });
    fs.renameSync(from, to);
  }

  function change({ op, picks: [firstPick, secondPick, thirdPick] }: Step): void {
    const files = listFiles(root);
    const [firstFile, secondFile] = [files[firstPick % files.length], files[secondPick % files.length]];
    const targetPath = join(pathOf(`folder ${secondPick % 3}`), `${thirdPick % 8}${extname(firstFile ?? '.mp3')}`);
    switch (op) {
      case 'rename':
        if (firstFile && !files.includes(join(dirname(firstFile), basename(targetPath))))
          rename(firstFile, join(dirname(firstFile), basename(targetPath)));
        break;
      case 'move':
        if (firstFile && !files.includes(targetPath)) rename(firstFile, targetPath);
        break;
      case 'retag':
        if (firstFile) retag(firstFile, secondPick, thirdPick);
        break;
      case 'retag album': {
        if (!firstFile) break;
        const { album } = contentOf(firstFile);
        // retags all files of the album or every second file
        for (const [n, file] of files.filter((path) => contentOf(path).album === album).entries())
          if (thirdPick % 2 === 0 || n % 2 === 0)
            rewrite(
              file,
              { ...contentOf(file), album: `Album ${secondPick % 5}`, artist: `Quay ${thirdPick % 3}` },
              secondPick,
            );
        break;
      }
      case 'swap':
        if (!firstFile || !secondFile || firstFile === secondFile) break;
        rename(firstFile, `${firstFile}.away`);
        rename(secondFile, firstFile);
        rename(`${firstFile}.away`, secondFile);
        if (thirdPick % 3 > 0) retag(firstFile, thirdPick, thirdPick);
        if (thirdPick % 3 > 1) retag(secondFile, thirdPick, secondPick);
        break;
      case 'copy':
        if (!firstFile || files.includes(targetPath)) break;
        fs.mkdirSync(dirname(targetPath), { recursive: true });
        fs.copyFileSync(firstFile, targetPath);
        touch(targetPath);
        break;
      case 'delete':
        if (firstFile && files.length > 2) fs.rmSync(firstFile);
        break;
      case 'convert': {
        if (!firstFile) break;
        const target = thirdPick % 2 === 0 ? firstFile : `${firstFile.slice(0, -extname(firstFile).length)}.flac`;
        if (target !== firstFile && files.includes(target)) break;
        const contentBefore = contentOf(firstFile);
        const content = { ...contentBefore, audio: convert(contentBefore.sound, extname(target)) };
        if (target !== firstFile) fs.rmSync(firstFile);
        write(target, content);
        break;
      }
      case 'better copy': {
        if (!firstFile) break;
        const contentBefore = contentOf(firstFile);
        const target =
          thirdPick % 2 === 0 ? `${firstFile.slice(0, -extname(firstFile).length)}.flac` : `${targetPath}.flac`;
        if (files.includes(target)) break;
        write(target, { ...contentBefore, audio: convert(contentBefore.sound, '.flac') });
        if (secondPick % 3 === 0) retag(target, firstPick, thirdPick);
        break;
      }
      case 'drop worse': {
        const soundsLike = (path: string): number => contentOf(path).sound;
        const worse = files.filter((file) =>
          files.some(
            (betterFile) =>
              betterFile !== file && betterFile.endsWith('.flac') && soundsLike(betterFile) === soundsLike(file),
          ),
        );
        if (files.length > 2 && worse.length > 0) fs.rmSync(worse[firstPick % worse.length] as string);
        break;
      }
      case 'split':
        for (const file of files
          .filter((path) => dirname(path) === pathOf(`folder ${firstPick % 3}`))
          .slice(0, 1 + (secondPick % 3))) {
          const target = join(pathOf(`split ${thirdPick % 2}`), basename(file));
          if (!fs.existsSync(target)) rename(file, target);
        }
        break;
      case 'merge':
        for (const file of files.filter((path) => dirname(path) === pathOf(`split ${firstPick % 2}`))) {
          const target = join(pathOf(`folder ${secondPick % 3}`), basename(file));
          if (!fs.existsSync(target)) rename(file, target);
        }
        break;
      case 'vanish':
        if (firstFile && files.length > 2) rename(firstFile, join(awayDir, `${++movedFiles}${extname(firstFile)}`));
        break;
      case 'return': {
        const goneFiles = listFiles(awayDir);
        const returningFile = goneFiles[firstPick % goneFiles.length];
        const target =
          returningFile && join(pathOf(`folder ${secondPick % 3}`), `${thirdPick % 8}${extname(returningFile)}`);
        if (target && !files.includes(target)) rename(returningFile, target);
        break;
      }
      case 'overwrite':
        if (firstFile && secondFile && firstFile !== secondFile && files.length > 2) {
          if (thirdPick % 2 === 0) rename(firstFile, secondFile);
          else {
            fs.writeFileSync(secondFile, fs.readFileSync(firstFile));
            touch(secondFile);
          }
        }
        break;
      case 'foreign': {
        if (!firstFile) break;
        const sound = nextSound();
        write(thirdPick % 2 === 0 ? firstFile : targetPath, {
          sound,
          audio: `${sound}-0`,
          title: `Title ${sound}`,
          album: `Album ${secondPick % 3}`,
          artist: `Quay ${thirdPick % 2}`,
          isLarge: sound % 2 === 0,
        });
      }
    }
  }

  function retag(path: string, firstPick: number, secondPick: number): void {
    const contentBefore = contentOf(path);
    // without fingerprints, only tags can identify music after its bytes have changed
    const title = isHeard ? `Title ${firstPick % 20}` : `Title ${contentBefore.sound}.${firstPick % 20}`;
    const content = { ...contentBefore, title, album: `Album ${secondPick % 3}`, artist: `Quay ${firstPick % 2}` };
    rewrite(path, content, secondPick);
  }

  function rewrite(path: string, content: Content, pick: number): void {
    if (pick % 2 === 0) return write(path, content);
    write(`${path}.new`, content); // most programs replace the file
    rename(`${path}.new`, path);
  }

  interface Row {
    id: TrackId;
    source_id: string;
    audio_hash: string | null;
    former: string | null;
    title: string;
    availability: string;
    /** 1 if the track plays from its file in a music folder. */
    in_place: 0 | 1;
    comment: string | null;
    isrc: string | null;
  }

  const isOwn = (sound: number): boolean => Math.floor(sound / SOUNDS_PER_SEQUENCE) === sequence;

  /** Returns the violated rules, one per line. */
  function faults(client: Database): string[] {
    const violations: string[] = [];
    const rows = client
      .prepare<[], Row>(
        `SELECT id, source_id, t.audio_hash, h.audio_hash AS former, title, availability, comment, isrc,
            storage_uri LIKE 'file:%' AS in_place
          FROM tracks t LEFT JOIN former_audio h ON h.track_id = t.id`,
      )
      .all()
      .filter((row) => row.audio_hash === null || isOwn(soundOf(row.audio_hash)));
    /** Previous audio of tracks that were matched by path and then merged with a track of the same audio. */
    const formerOfJoined = Map.groupBy(
      client
        .prepare<[], { id: TrackId; former: string }>(
          `SELECT t.merged_into AS id, row.value ->> 'audio_hash' AS former
            FROM trashed_tracks t, json_each(t.snapshot, '$.rows') one, json_each(one.value, '$.rows') row
            WHERE t.merged_into IS NOT NULL AND one.value ->> 'table' = 'former_audio'`,
        )
        .all(),
      ({ id }) => id,
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const bySourceId = new Map(rows.map((row) => [row.source_id, row]));
    const onDisk = listFiles(root).map((path) => ({ path: sourceIdAt(path), content: contentOf(path) }));
    const audioOnDisk = new Set(onDisk.map(({ content }) => hashOf(content.audio)));
    const pathsOnDisk = new Set(onDisk.map(({ path }) => path));
    /**
     * Returns whether a track was assigned by its path, as happens if nothing else decides: other music replaced the
     * track's file, no track and no fingerprint identifies that music, and the track's own audio is nowhere. If this
     * audio comes back, the track gets it again. Without fingerprints, no track is recognized in audio that was encoded
     * again.
     */
    const isByPath = ({ id, audio_hash, former }: Row): boolean =>
      [former, ...(formerOfJoined.get(id) ?? []).map((joinedTrack) => joinedTrack.former)].some(
        (formerHash) => formerHash !== null && !audioOnDisk.has(formerHash),
      ) &&
      (isForeign(soundOf(audio_hash)) ||
        (!isHeard &&
          (audio_hash !== hashOf(`${soundOf(audio_hash)}-0`) ||
            rows.every((row) => row.id === id || row.audio_hash !== audio_hash))));
    for (const { path, content } of onDisk) {
      const row = bySourceId.get(path);
      if (!row) violations.push(`${path} is no track`);
      else if (row.audio_hash !== hashOf(content.audio) || row.availability !== 'available')
        violations.push(`${path} is ${row.audio_hash} (${row.availability}) and sounds like ${content.audio}`);
      else if (row.comment === null && row.title !== content.title) violations.push(`${path} has another title`);
    }
    const plays = client
      .prepare<[], { track_id: TrackId | null; title: string }>('SELECT track_id, title FROM plays')
      .all()
      .filter(({ title }) => isOwn(Number(title)));
    const perRow = Map.groupBy(plays, ({ track_id }) => track_id);
    for (const { track_id, title } of plays) {
      const row = track_id === null ? undefined : byId.get(track_id);
      if (!row) violations.push(`a play of ${title} is lost`);
      else if (soundOf(row.audio_hash) !== Number(title) && row.audio_hash !== null && !isByPath(row))
        violations.push(`a play of ${title} is on track ${row.id}, which sounds like ${row.audio_hash}`);
    }
    const replacedIds = new Set(client.prepare<[], TrackId>('SELECT track_id FROM replaced_tracks').pluck().all());
    const isThere = (row: Row): boolean => bySourceId.get(row.source_id) === row && pathsOnDisk.has(row.source_id);
    const goneRows = rows.filter((row) => !isThere(row) && !replacedIds.has(row.id));
    /**
     * Returns whether a better copy took the place of this track: it must be the only one, and no other track may have
     * become it.
     */
    function becameAnother(row: Row): boolean {
      const sound = soundOf(row.audio_hash);
      if (!isHeard || sound < 0 || row.former !== null) return false;
      const betterRows = rows.filter((candidate) => isThere(candidate) && soundOf(candidate.audio_hash) === sound);
      return (
        new Set(betterRows.map((candidate) => candidate.audio_hash)).size === 1 &&
        betterRows.every(
          (candidate) => candidate.id > row.id && candidate.former === null && !replacedIds.has(candidate.id),
        ) &&
        // a killed scan may have added a track whose file was renamed before its audio was read
        goneRows.every(
          (goneRow) => goneRow === row || (goneRow.audio_hash !== null && soundOf(goneRow.audio_hash) !== sound),
        )
      );
    }
    for (const row of rows) {
      if (goneRows.includes(row) && perRow.has(row.id) && becameAnother(row))
        violations.push(
          `track ${row.id} (${row.source_id}) is left behind: a better copy of ${row.audio_hash} is there`,
        );
      const count = perRow.get(row.id)?.length ?? 0;
      if (count > 0 && !pathsOnDisk.has(row.source_id) && row.audio_hash !== null && audioOnDisk.has(row.audio_hash))
        violations.push(`track ${row.id} (${row.source_id}) is left behind: its audio ${row.audio_hash} is there`);
      if (!pathsOnDisk.has(row.source_id) && row.in_place && row.availability === 'available')
        violations.push(`track ${row.id} (${row.source_id}) has no file and is available`);
      if (row.source_id.includes('#')) violations.push(`track ${row.id} is called ${row.source_id}`);
      const tables = [
        'playlist_entries WHERE track_id = ?',
        "like_states WHERE liked AND item_type = 'track' AND item_id = ?",
      ];
      for (const table of tables) {
        const hung = client.prepare(`SELECT count(*) FROM ${table}`).pluck().get(row.id) as number;
        if (count > 0 && hung === 0) violations.push(`track ${row.id} has plays, and nothing in ${table}`);
      }
      for (const edit of [row.comment, row.isrc]) {
        const isOfOther = edit !== null && edit !== `edit ${soundOf(row.audio_hash)}`;
        if (isOfOther && row.audio_hash !== null && !isByPath(row))
          violations.push(`${edit} is on track ${row.id}, which sounds like ${row.audio_hash}`);
      }
    }
    for (const { title } of plays) {
      const column = editedColumn(Number(title));
      if (column === undefined) continue;
      const editedValues = new Set([...rows.map((row) => row[column]), ...editsInMerges(client, column)]);
      if (!editedValues.has(`edit ${title}`)) violations.push(`edit ${title} is lost`);
    }
    return violations;
  }

  return { listed: listFiles, change, faults };
}

/**
 * Returns the names that tracks have at first. Tracks whose metadata is edited as a whole keep them, so they have their
 * own album.
 */
export const firstNames = (sound: number, sequence = 0): Pick<Content, 'album' | 'artist'> => {
  const keptSuffix = editedColumn(sound) === 'comment' ? ' kept' : '';
  return { album: `Album ${sequence}${keptSuffix}`, artist: `Quay ${sequence}${keptSuffix}` };
};

/**
 * Returns the edited column of a track: one of three tracks is edited as a whole (`comment`), one of three only in one
 * field, which does not change its status.
 */
const editedColumn = (sound: number): 'comment' | 'isrc' | undefined =>
  (['comment', 'isrc', undefined] as const)[sound % 3];

/**
 * Returns the edits of tracks that were merged into an edited track: the kept track displays its own edit, and an undo
 * restores the other one.
 */
const editsInMerges = (client: Database, column: string): string[] =>
  client
    .prepare<[], string>(
      `SELECT m.snapshot ->> '$.track.${column}' FROM trashed_tracks m JOIN tracks t ON t.id = m.merged_into
        WHERE t.provenance ->> '$.${column}' = 'manual'`,
    )
    .pluck()
    .all();

/** Plays and likes every new track, adds it to a playlist, and edits two of three, with the name of the sound. */
export function hang(client: Database, soundOf: FolderDeps['soundOf'], stamp: () => number): void {
  const newTracks = client
    .prepare<[], { id: TrackId; audio_hash: string | null }>(
      `SELECT id, audio_hash FROM tracks WHERE audio_hash IS NOT NULL
        AND id NOT IN (SELECT track_id FROM plays WHERE track_id IS NOT NULL)`,
    )
    .all();
  if (newTracks.length === 0) return;
  const [play, like, add, editComment, editIsrc] = [
    'INSERT INTO plays (user_id, track_id, title, played_at) VALUES (1, ?, ?, ?)',
    "INSERT INTO like_states (user_id, item_type, item_id, liked, since) VALUES (1, 'track', ?, 1, 0)",
    'INSERT INTO playlist_entries (playlist_id, position, track_id, added_at) VALUES (1, ?, ?, 0)',
    `UPDATE tracks SET metadata_status = 'manual', comment = ?,
      provenance = json_set(coalesce(provenance, '{}'), '$.comment', 'manual') WHERE id = ?`,
    `UPDATE tracks SET isrc = ?, provenance = json_set(coalesce(provenance, '{}'), '$.isrc', 'manual') WHERE id = ?`,
  ].map((sql) => client.prepare(sql)) as [Statement, Statement, Statement, Statement, Statement];
  const edits = { comment: editComment, isrc: editIsrc };
  const hangAll = client.transaction(() => {
    for (const { id, audio_hash } of newTracks) {
      const sound = soundOf(audio_hash);
      play.run(id, `${sound}`, stamp());
      like.run(id);
      add.run(stamp(), id);
      const column = editedColumn(sound);
      if (column) edits[column].run(`edit ${sound}`, id);
    }
  });
  hangAll.immediate();
}
