// Endpoints of features that Tonearm does not have. Clients request podcasts at every sync and expect an empty list;
// they hide chat when it fails.
import { forbidden, notFound } from '../../errors.ts';
import { NOTHING, superuser, user, type Endpoints } from '../endpoint.ts';
import { Fault } from '../errors.ts';

const noPodcasts = superuser(() => {
  throw forbidden('Tonearm has no podcasts.');
});
const noChat = user(() => {
  throw new Fault(0, 'Tonearm has no chat.');
});

export const unsupportedEndpoints: Endpoints = {
  getPodcasts: user(() => ({ podcasts: { channel: [] } })),
  getNewestPodcasts: user(() => ({ newestPodcasts: { episode: [] } })),
  getPodcastEpisode: user(({ params }) => {
    throw notFound('podcast episode', params.required('id').slice(0, 40));
  }),
  refreshPodcasts: user(() => NOTHING),
  createPodcastChannel: noPodcasts,
  deletePodcastChannel: noPodcasts,
  deletePodcastEpisode: noPodcasts,
  downloadPodcastEpisode: noPodcasts,
  getChatMessages: noChat,
  addChatMessage: noChat,
  getVideoInfo: user(({ params }) => {
    throw notFound('video', params.required('id').slice(0, 40));
  }),
  getCaptions: user(({ params }) => {
    throw notFound('video', params.required('id').slice(0, 40));
  }),
};
