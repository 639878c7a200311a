// Lists the packages that are part of the product: those in the bundles, and the native packages that are packed beside
// them. Versions and licences come from the lock file, which also has the packages of other systems.
import { readFileSync } from 'node:fs';
import { join, matchesGlob, sep } from 'node:path';
import { build, type Rolldown } from 'vite';

const root = join(import.meta.dirname, '..');
const BUILD_MODES = ['renderer', 'server', 'main', 'preload'];
/** Name endings of native packages, which have one package per system and are listed once. */
const SYSTEM_SUFFIX = /-(linux|darwin|win32)-(x64|arm64)(-gnu|-msvc)?$/;
const OTHER_SYSTEM_SUFFIX =
  /-(android|freebsd|linux|linuxmusl|webcontainers|win32)-(?!(x64|arm64)(-gnu|-msvc)?$)|-linuxmusl-|-wasm32/;

export interface ShippedPackage {
  name: string;
  version: string;
  licence: string;
  /** Path relative to the project's folder. The folder of a package for another system may not exist. */
  folder: string;
}

interface LockEntry {
  version: string;
  license?: string;
}

/** Returns each package once, sorted by name and version. */
export async function shippedPackages(): Promise<ShippedPackage[]> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  const shipped = new Map<string, ShippedPackage>();
  for (const folder of [...(await bundledFolders()), ...packedFolders(Object.keys(packages))]) {
    const locked = packages[folder];
    if (!locked) throw new Error(`${folder} is shipped, and not in the lock file.`);
    const name = folder
      .slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
      .replace(SYSTEM_SUFFIX, '-<system>');
    shipped.set(`${name} ${locked.version}`, {
      name,
      version: locked.version,
      licence: locked.license ?? 'not said',
      folder,
    });
  }
  return [...shipped.values()].toSorted((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

/** Returns the folders of all packages that are part of a bundle. */
async function bundledFolders(): Promise<Set<string>> {
  const folders = new Set<string>();
  // a test runner sets NODE_ENV to `test`, with which packages also bundle their warnings
  process.env['NODE_ENV'] = 'production';
  for (const mode of BUILD_MODES) {
    const bundle = (await build({
      mode,
      configFile: join(root, 'vite.config.ts'),
      logLevel: 'silent',
      build: { write: false },
    })) as Rolldown.RolldownOutput;
    for (const chunk of bundle.output) {
      const sources =
        chunk.type === 'asset'
          ? chunk.originalFileNames // an asset, such as a font, comes from these files
          : Object.entries(chunk.modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : []));
      for (const id of sources) {
        const folder = packageFolder(id);
        if (folder !== undefined) folders.add(folder);
      }
    }
  }
  return folders;
}

function packageFolder(id: string): string | undefined {
  return /node_modules\/(?:.+\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll(sep, '/'))?.[0];
}

/** Returns the folders that electron-builder.yml takes from node_modules, for any of the systems. */
function packedFolders(locked: string[]): string[] {
  const includedFolders = [
    ...readFileSync(join(root, 'electron-builder.yml'), 'utf8').matchAll(/^ {2}- (node_modules\/\S+)\/\*\*$/gm),
  ].map(([, folder]) => folder as string);
  return locked.filter(
    (folder) => includedFolders.some((pattern) => matchesGlob(folder, pattern)) && !OTHER_SYSTEM_SUFFIX.test(folder),
  );
}
