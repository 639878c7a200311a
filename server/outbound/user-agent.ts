// The User-Agent of every outgoing request. MusicBrainz and others ask for a way to reach the person who runs the
// server: the setting CONTACT. If it is empty, no other address is sent.
export const userAgentOf = (version: string, contact: string | undefined): string =>
  contact === undefined ? `Tonearm/${version}` : `Tonearm/${version} ( ${contact} )`;
