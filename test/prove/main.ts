// npm run prove -- NAME --seed S: runs proofs that are too long for npm test, which runs a small part of each.
import { parseArgs } from 'node:util';

interface Options {
  seed: number;
  runs: number | undefined;
  /** Versions of npm and of Node.js for the proof `install`. */
  npm: string | undefined;
  node: string | undefined;
}
type Prove = (options: Options) => Promise<boolean>;

/** Loaders of the proofs by name. Only the requested proof is loaded, because some measure their own memory. */
const PROOF_MODULES: Record<string, () => Promise<Prove>> = {
  'analysis-kills': async () => (await import('./analysis-kills.ts')).proveAnalysisKills,
  artists: async () => (await import('./artists.ts')).proveArtists,
  backup: async () => (await import('./backup.ts')).proveBackup,
  charsets: async () => (await import('./charsets.ts')).proveCharsets,
  desktop: async () => (await import('./desktop.ts')).proveDesktop,
  encoders: async () => (await import('./encoders.ts')).proveEncoders,
  faults: async () => (await import('./faults.ts')).proveFaults,
  fingerprints: async () => (await import('./fingerprints.ts')).proveFingerprints,
  identity: async () => (await import('./identity.ts')).proveIdentity,
  imports: async () => (await import('./imports.ts')).proveImports,
  install: async () => (await import('./install.ts')).proveInstall,
  mending: async () => (await import('./mending.ts')).proveMending,
  migrations: async () => (await import('./migrations.ts')).proveMigrations,
  mutations: async () => (await import('./mutations.ts')).proveMutations,
  outages: async () => (await import('./outages.ts')).proveOutages,
  parsers: async () => (await import('./parsers.ts')).proveParsers,
  phones: async () => (await import('./phones.ts')).provePhones,
  rebuild: async () => (await import('./rebuild.ts')).proveRebuild,
  'releases-beside-navidrome': async () =>
    (await import('./releases-beside-navidrome.ts')).proveReleasesBesideNavidrome,
  regroupings: async () => (await import('./regroupings.ts')).proveRegroupings,
  'retagged-albums': async () => (await import('./retagged-albums.ts')).proveRetaggedAlbums,
  'subsonic-table': async () => (await import('./phones.ts')).proveSubsonicTable,
  sockets: async () => (await import('./sockets.ts')).proveSockets,
  tempo: async () => (await import('./tempo.ts')).proveTempo,
  tour: async () => (await import('./tour.ts')).proveTour,
  'identity-files': async () => (await import('./identity-files.ts')).proveIdentityFiles,
  'identity-table': async () => (await import('./identity-table.ts')).proveIdentityTable,
  kills: async () => (await import('./kills.ts')).proveKills,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    runs: { type: 'string' },
    cycles: { type: 'string' },
    npm: { type: 'string' },
    node: { type: 'string' },
  },
});
const [name = ''] = positionals;
const load = PROOF_MODULES[name];
if (!load) {
  console.error(
    `npm run prove -- NAME [--seed S] [--runs N]; NAME is one of: ${Object.keys(PROOF_MODULES).join(', ')}`,
  );
  process.exit(2);
}
const { runs = values.cycles, npm, node } = values;
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const prove = await load();
process.exit((await prove({ seed, runs: runs === undefined ? undefined : Number(runs), npm, node })) ? 0 : 1);
