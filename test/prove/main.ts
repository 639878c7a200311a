// npm run prove -- NAME --seed S: proofs too long for npm test, which runs a slice of each.
import { parseArgs } from 'node:util';
import { proveAnalysisKills } from './analysis-kills.ts';
import { proveArtists } from './artists.ts';
import { proveBackup } from './backup.ts';
import { proveCharsets } from './charsets.ts';
import { proveDesktop } from './desktop.ts';
import { proveEncoders } from './encoders.ts';
import { proveFingerprints } from './fingerprints.ts';
import { proveIdentityFiles } from './identity-files.ts';
import { proveIdentityTable } from './identity-table.ts';
import { proveIdentity } from './identity.ts';
import { proveMending } from './mending.ts';
import { proveMigrations } from './migrations.ts';
import { proveMutations } from './mutations.ts';
import { provePhones, proveSubsonicTable } from './phones.ts';
import { proveSockets } from './sockets.ts';
import { proveTempo } from './tempo.ts';
import { proveRebuild } from './rebuild.ts';
import { proveTour } from './tour.ts';
import { proveKills } from './kills.ts';

const PROOFS: Record<string, (options: { seed: number; runs: number | undefined }) => Promise<boolean>> = {
  'analysis-kills': proveAnalysisKills,
  artists: proveArtists,
  backup: proveBackup,
  charsets: proveCharsets,
  desktop: proveDesktop,
  encoders: proveEncoders,
  fingerprints: proveFingerprints,
  identity: proveIdentity,
  mending: proveMending,
  migrations: proveMigrations,
  mutations: proveMutations,
  phones: provePhones,
  rebuild: proveRebuild,
  'subsonic-table': proveSubsonicTable,
  sockets: proveSockets,
  tempo: proveTempo,
  tour: proveTour,
  'identity-files': proveIdentityFiles,
  'identity-table': proveIdentityTable,
  kills: proveKills,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, runs: { type: 'string' }, cycles: { type: 'string' } },
});
const [name = ''] = positionals;
const proof = PROOFS[name];
if (!proof) {
  console.error(`npm run prove -- NAME [--seed S] [--runs N]; NAME is one of: ${Object.keys(PROOFS).join(', ')}`);
  process.exit(2);
}
const { runs = values.cycles } = values;
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
process.exit((await proof({ seed, runs: runs === undefined ? undefined : Number(runs) })) ? 0 : 1);
