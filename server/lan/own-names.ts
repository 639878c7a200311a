// The names under which other devices in the network reach this computer.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

const RESOLVER_FILE = '/etc/resolv.conf';

/** Returns the computer's name, alone and with each domain of its network, in lower case. */
export function ownHostNames(): string[] {
  const name = hostname().toLowerCase().replace(/\.$/, '');
  const [shortName = name] = name.split('.');
  return [...new Set([name, shortName, ...searchDomains().map((domain) => `${shortName}.${domain}`)])].filter(Boolean);
}

/** Returns the domains in which names without a dot are looked up, as in `nas.lan`. */
function searchDomains(): string[] {
  if (process.platform === 'win32') return [process.env['USERDNSDOMAIN'] ?? ''].filter(Boolean).map(inLowerCase);
  try {
    const lines = readFileSync(RESOLVER_FILE, 'utf8').split('\n');
    const domains = lines
      .filter((line) => /^(search|domain)\s/.test(line))
      .flatMap((line) => line.split(/\s+/).slice(1));
    return domains.filter((domain) => /^[\w.-]+$/.test(domain)).map((domain) => inLowerCase(domain.replace(/\.$/, '')));
  } catch {
    return []; // on a system without the file there are no such domains
  }
}

const inLowerCase = (text: string): string => text.toLowerCase();
