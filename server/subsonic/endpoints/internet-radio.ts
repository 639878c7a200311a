// Endpoints of internet radio stations.
import type { RadioService, StationFields } from '../../radio/service.ts';
import { EMPTY_PAYLOAD, superuserEndpoint, userEndpoint, type Endpoints } from '../endpoint.ts';
import { idOf, toId } from '../ids.ts';
import type { Params } from '../params.ts';

export interface RadioDeps {
  radio: RadioService;
}

export const radioEndpoints = ({ radio }: RadioDeps): Endpoints => ({
  getInternetRadioStations: userEndpoint(({ shapes }) => ({
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
  createInternetRadioStation: superuserEndpoint(
    ({ params, user: caller }) => (radio.add(caller.id, stationOf(params)), EMPTY_PAYLOAD),
  ),
  updateInternetRadioStation: superuserEndpoint(
    ({ params, user: by }) => (
      radio.update(by.id, idOf('radio', params.required('id')), stationOf(params)),
      EMPTY_PAYLOAD
    ),
  ),
  deleteInternetRadioStation: superuserEndpoint(
    ({ params }) => (radio.remove(idOf('radio', params.required('id'))), EMPTY_PAYLOAD),
  ),
});

/** Reads the fields of a station. The protocol has `homepageUrl` in requests and `homePageUrl` in responses. */
const stationOf = (params: Params): StationFields => ({
  streamUrl: params.required('streamUrl'),
  name: params.required('name'),
  homePageUrl: params.text('homepageUrl') ?? params.text('homePageUrl') ?? null,
});
