// Endpoints of internet radio stations.
import type { RadioService, StationFields } from '../../radio/service.ts';
import { NOTHING, superuser, user, type Endpoints } from '../endpoint.ts';
import { idOf, toId } from '../ids.ts';
import type { Params } from '../params.ts';

export interface RadioDeps {
  radio: RadioService;
}

export const radioEndpoints = ({ radio }: RadioDeps): Endpoints => ({
  getInternetRadioStations: user(({ shapes }) => ({
    internetRadioStations: {
      internetRadioStation: radio.list().map(({ id, name, streamUrl, homePageUrl }) => ({
        id: toId('radio', id),
        name,
        streamUrl,
        homePageUrl: homePageUrl ?? undefined,
        ...shapes.open(() => ({ coverArt: toId('radio', id) })),
      })),
    },
  })),
  createInternetRadioStation: superuser(({ params, user: by }) => (radio.add(by.id, stationOf(params)), NOTHING)),
  updateInternetRadioStation: superuser(
    ({ params, user: by }) => (radio.update(by.id, idOf('radio', params.required('id')), stationOf(params)), NOTHING),
  ),
  deleteInternetRadioStation: superuser(({ params }) => (radio.remove(idOf('radio', params.required('id'))), NOTHING)),
});

/** The protocol has `homepageUrl` in requests and `homePageUrl` in responses. */
const stationOf = (params: Params): StationFields => ({
  streamUrl: params.required('streamUrl'),
  name: params.required('name'),
  homePageUrl: params.text('homepageUrl') ?? params.text('homePageUrl') ?? null,
});
