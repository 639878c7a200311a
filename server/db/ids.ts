// Branded integers, so that an AlbumId cannot be passed where a TrackId is needed. Ids get their brand where they
// enter: in the schema and in zod.
import { z } from 'zod';

export type TrackId = number & z.BRAND<'TrackId'>;
export type AlbumId = number & z.BRAND<'AlbumId'>;
export type ArtistId = number & z.BRAND<'ArtistId'>;
export type GenreId = number & z.BRAND<'GenreId'>;
export type UserId = number & z.BRAND<'UserId'>;
export type SessionId = number & z.BRAND<'SessionId'>;
export type AppPasswordId = number & z.BRAND<'AppPasswordId'>;
export type JobId = number & z.BRAND<'JobId'>;
export type PlaylistId = number & z.BRAND<'PlaylistId'>;
export type DownloadId = number & z.BRAND<'DownloadId'>;
export type RadioStationId = number & z.BRAND<'RadioStationId'>;
export type MusicFolderId = number & z.BRAND<'MusicFolderId'>;
export type PodcastId = number & z.BRAND<'PodcastId'>;
export type EpisodeId = number & z.BRAND<'EpisodeId'>;
export type ShareId = number & z.BRAND<'ShareId'>;
export type PlayId = number & z.BRAND<'PlayId'>;
export type RegroupingId = number & z.BRAND<'RegroupingId'>;
export type PersonId = number & z.BRAND<'PersonId'>;
export type TrackEditId = number & z.BRAND<'TrackEditId'>;
export type HistoryImportId = number & z.BRAND<'HistoryImportId'>;

/** Integers of 15 digits are exact in every language. */
export const MAX_ID = 10 ** 15 - 1;

const id = z.int().positive().max(MAX_ID).meta({ description: 'positive integer' });
export const TrackIdIn = id.brand<'TrackId'>();
export const AlbumIdIn = id.brand<'AlbumId'>();
export const ArtistIdIn = id.brand<'ArtistId'>();
export const UserIdIn = id.brand<'UserId'>();
export const SessionIdIn = id.brand<'SessionId'>();
export const AppPasswordIdIn = id.brand<'AppPasswordId'>();
export const JobIdIn = id.brand<'JobId'>();
export const PlaylistIdIn = id.brand<'PlaylistId'>();
export const MusicFolderIdIn = id.brand<'MusicFolderId'>();
export const DownloadIdIn = id.brand<'DownloadId'>();
export const PodcastIdIn = id.brand<'PodcastId'>();
export const RadioStationIdIn = id.brand<'RadioStationId'>();
export const EpisodeIdIn = id.brand<'EpisodeId'>();
export const ShareIdIn = id.brand<'ShareId'>();
export const PlayIdIn = id.brand<'PlayId'>();
export const RegroupingIdIn = id.brand<'RegroupingId'>();
export const PersonIdIn = id.brand<'PersonId'>();
export const TrackEditIdIn = id.brand<'TrackEditId'>();
export const HistoryImportIdIn = id.brand<'HistoryImportId'>();
