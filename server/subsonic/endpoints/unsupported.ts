// Endpoints of features that Tonearm does not have. Clients hide the chat when its endpoint fails.
import { notFound } from '../../errors.ts';
import { userEndpoint, type Endpoints } from '../endpoint.ts';
import { Fault } from '../errors.ts';

const noChat = userEndpoint(() => {
  throw new Fault(0, 'Tonearm has no chat.');
});

export const unsupportedEndpoints: Endpoints = {
  getChatMessages: noChat,
  addChatMessage: noChat,
  getVideoInfo: userEndpoint(({ params }) => {
    throw notFound('video', params.required('id').slice(0, 40));
  }),
  getCaptions: userEndpoint(({ params }) => {
    throw notFound('video', params.required('id').slice(0, 40));
  }),
};
