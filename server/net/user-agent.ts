// Who we say we are: services ask for a name and a way to reach whoever runs this server.
const HOMEPAGE = 'https://tonearm.app';

export const userAgentOf = (version: string, contact: string | undefined): string =>
  `Tonearm/${version} ( ${contact ?? HOMEPAGE} )`;
