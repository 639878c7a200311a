import type { Base, Module } from '../module.ts';
import { createRelay } from './relay.ts';
import { radioRoutes } from './routes.ts';
import { createRadioService } from './service.ts';
import { stationEvent } from './wire.ts';

export interface RadioTuning {
  /** Address of a station server that may be on this machine. */
  stationsFrom?: URL;
}

/** Titles are announced at most this often, however often stations change them. */
const ANNOUNCE_INTERVAL_MS = 1_000;

export function radioModule({ db, now, version, settings, events, tuning }: Base & { tuning: RadioTuning }) {
  let announceTimer: NodeJS.Timeout | undefined;
  const announceChange = (): void => {
    announceTimer ??= setTimeout(() => {
      announceTimer = undefined;
      events.publish(stationEvent, {});
    }, ANNOUNCE_INTERVAL_MS).unref();
  };
  const radio = createRadioService({ db, now, onChange: announceChange });
  const relay = createRelay({
    version,
    contact: () => settings.get('CONTACT'),
    testStation: tuning.stationsFrom,
    onChange: announceChange,
  });
  return {
    offers: { radio, relay },
    routes: radioRoutes(radio, relay),
    stop: () => clearTimeout(announceTimer),
  } satisfies Module;
}
