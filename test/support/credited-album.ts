// An album of two works and one other track, whose tags name composers, performers and other people.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { id3, id3Frame, silentMp3, utf8Text } from './audio-bytes.ts';

const MOVEMENTS = ['Allegro moderato', 'Scherzo', 'Andante cantabile', 'Finale'];
const SONATA = 'Sonata for violin and piano in A major, op. 13';
const TRIO = 'Piano trio in D minor, op. 49';

const named = (name: string, value: string) => id3Frame('TXXX', utf8Text(`${name}\0${value}`));

/** Writes the files below `dir`. The album artist is `Clara Hale`, who is also the composer of the last track. */
export function addCreditedAlbum(dir: string): void {
  const folder = join(dir, 'Credited');
  mkdirSync(folder, { recursive: true });
  const addTrack = (track: number, title: string, composer: string, frames: Buffer[]): void =>
    writeFileSync(
      join(folder, `${track}.mp3`),
      Buffer.concat([
        id3([
          id3Frame('TIT2', utf8Text(title)),
          id3Frame('TPE1', utf8Text('Clara Hale')),
          id3Frame('TPE2', utf8Text('Clara Hale')),
          id3Frame('TALB', utf8Text('Chamber Music')),
          id3Frame('TRCK', utf8Text(String(track))),
          id3Frame('TDRC', utf8Text('1998')),
          id3Frame('TCOM', utf8Text(composer)),
          id3Frame('TIPL', utf8Text('producer\0Petra Voss\0engineer\0Emil Stone')),
          ...frames,
        ]),
        silentMp3(400 + track),
      ]),
    );
  const movement = (work: string, number: number): Buffer[] => [
    named('WORK', work),
    id3Frame('MVNM', utf8Text(MOVEMENTS[number - 1] ?? '')),
    id3Frame('MVIN', utf8Text(`${number}/${MOVEMENTS.length}`)),
  ];
  MOVEMENTS.forEach((name, i) => {
    addTrack(i + 1, `${SONATA}: ${name}`, 'Gustav Faure', [
      ...movement(SONATA, i + 1),
      id3Frame('TMCL', utf8Text('violin\0Anna Quill\0piano\0Clara Hale')),
    ]);
    addTrack(i + 5, `${TRIO}: ${name}`, 'Felix Bartholdy', [
      ...movement(TRIO, i + 1),
      id3Frame('TMCL', utf8Text('violin\0Anna Quill\0cello\0Ben Orth\0piano\0Clara Hale')),
    ]);
  });
  addTrack(9, 'Romance', 'Clara Hale', [id3Frame('TPE3', utf8Text('Conrad Weil'))]);
}
