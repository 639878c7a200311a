// The User-Agent of every outgoing request. MusicBrainz and others ask for a way to reach whoever runs the server; that
// is the setting CONTACT, and nobody else's address is sent when it is empty.
export const userAgentOf = (version: string, contact: string | undefined): string =>
  contact === undefined ? `Tonearm/${version}` : `Tonearm/${version} ( ${contact} )`;
