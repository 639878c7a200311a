// Writes resources/NOTICES.md, which lists the shipped packages and their licences: npm run notices. Run it after a
// package was added, removed or updated; a test compares.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedPackages, type ShippedPackage } from './shipped-packages.ts';

const root = join(import.meta.dirname, '..');

const HEADER = `# Notices

Tonearm is made with the work of others. Written by \`npm run notices\` from what is really in the bundles and the packages; not by hand.

The desktop app is built on Electron, whose licence and those of Chromium and FFmpeg inside it lie beside the app (\`LICENSE.electron.txt\`,
\`LICENSES.chromium.html\`). Inside the packages below, some of it compiled to WebAssembly or to a native library:

| library | for | licence | source |
|---|---|---|---|
| Chromaprint, with parts of FFmpeg's resampler (\`@unimusic/chromaprint\`) | acoustic fingerprints | LGPL-2.1-or-later; its own code MIT | https://github.com/acoustid/chromaprint |
| mpg123 (\`mpg123-decoder\`) | decoding MP3 | LGPL-2.1; wrapper MIT | https://www.mpg123.de |
| libFLAC (\`@wasm-audio-decoders/flac\`) | decoding FLAC | BSD-3-Clause; wrapper MIT | https://xiph.org/flac |
| libvorbis, libogg (\`@wasm-audio-decoders/ogg-vorbis\`) | decoding Ogg Vorbis | BSD-3-Clause; wrapper MIT | https://xiph.org/vorbis |
| libopus (\`ogg-opus-decoder\`) | decoding Opus | BSD-3-Clause; wrapper MIT | https://opus-codec.org |
| codec-parser | finding frames of audio | LGPL-3.0-or-later | https://github.com/eshaz/codec-parser |
| libvips and what it is made of (\`@img/sharp-libvips-*\`, \`@img/sharp-win32-*\`) | resizing covers | LGPL-3.0-or-later and others, named in its \`versions.json\` | https://github.com/lovell/sharp-libvips |
| SQLite (\`better-sqlite3\`) | the database | public domain; wrapper MIT | https://sqlite.org |

What is under the LGPL may be replaced by a version of your own: libvips is a library file of its own beside the app, \`chromaprint.wasm\` lies
beside the server's files, and another release of \`mpg123-decoder\` or \`codec-parser\` goes into the source, which is public, and is built with it.
The texts: https://www.gnu.org/licenses/old-licenses/lgpl-2.1.html, https://www.gnu.org/licenses/lgpl-3.0.html

## Packages
`;

/** Returns the line of each package in NOTICES.md; a test expects the same lines. */
export const packageLines = (packages: ShippedPackage[]): string[] =>
  packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`);

/**
 * Returns the texts of all licences. Licences with the same words are printed once, with all their copyright holders.
 */
function licenceTexts(packages: ShippedPackage[]): string {
  const texts = new Map<string, { body: string; names: Set<string>; rights: Set<string> }>();
  for (const { name, folder } of packages) {
    const text = licenceOf(join(root, folder));
    if (text === undefined) continue;
    const lines = text
      .replaceAll('\r', '')
      .split('\n')
      .map((line) => line.trimEnd());
    const rights = lines.filter(isRightsLine);
    const body = lines
      .filter((line) => !isRightsLine(line))
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
    const words = body
      .toLowerCase()
      .replace(/[^a-z]+/g, '')
      .replace(/^(the)?mitlicense(mit)?/, '');
    const licence = texts.get(words) ?? { body, names: new Set(), rights: new Set() };
    licence.names.add(name);
    for (const rightsLine of rights) licence.rights.add(rightsLine.trim());
    texts.set(words, licence);
  }
  return [...texts.values()]
    .map(
      ({ body, names, rights }) =>
        `### ${[...names].join(', ')}\n\n${[...rights].join('  \n')}\n\n\`\`\`text\n${body}\n\`\`\`\n`,
    )
    .join('\n');
}

const isRightsLine = (line: string): boolean =>
  /^\s*(\(c\)|copyright\b(?! (notice|holder|owner|license|statement)))/i.test(line) &&
  /\d{4}|©|\(c\)/i.test(line) &&
  !/\[yyyy\]/.test(line);

function licenceOf(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined; // the package is for another system and not installed
  const name = readdirSync(folder).find((file) => /^(licen[cs]e|copying)(\.(md|txt|markdown|mit))?$/i.test(file));
  return name === undefined ? undefined : readFileSync(join(folder, name), 'utf8');
}

if (import.meta.main) {
  const packages = await shippedPackages();
  const table = ['| package | version | licence |', '|---|---|---|', ...packageLines(packages)].join('\n');
  writeFileSync(
    join(root, 'resources', 'NOTICES.md'),
    `${HEADER}\n${table}\n\n## Licences\n\n${licenceTexts(packages)}`,
  );
}
