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
  let announcing: NodeJS.Timeout | undefined;
  const changed = (): void => {
    announcing ??= setTimeout(() => {
      announcing = undefined;
      events.publish(stationEvent, {});
    }, ANNOUNCE_INTERVAL_MS).unref();
  };
  const radio = createRadioService({ db, now, changed });
  const relay = createRelay({
    version,
    contact: () => settings.get('CONTACT'),
    allowed: tuning.stationsFrom,
    changed,
  });
  return {
    offers: { radio, relay },
    routes: radioRoutes(radio, relay),
    stop: () => clearTimeout(announcing),
  } satisfies Module;
}
