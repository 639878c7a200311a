// Endpoints of the extension transcoding: the server decides in which format a client gets a track, and sends it.
import { AppError, asKnownFault } from '../../errors.ts';
import { PROBLEMS } from '../../http/problem.ts';
import type { LibraryService } from '../../library/service.ts';
import { isProfileName } from '../../media/transcode.ts';
import type { EpisodeSummary } from '../../podcasts/queries.ts';
import type { PodcastService } from '../../podcasts/service.ts';
import type { StreamingService } from '../../streaming/service.ts';
import { z } from 'zod';
import { bytesEndpoint, userEndpoint, type Call, type Endpoints } from '../endpoint.ts';
import { Fault, toFault } from '../errors.ts';
import { idOf } from '../ids.ts';
import { ClientInfo, decide, type DecidedTranscode, type SourceTrack } from '../transcoding-extension.ts';
import type { Fields } from '../xml.ts';

interface TranscodingDeps {
  streaming: StreamingService;
  podcasts: Pick<PodcastService, 'episode'>;
  library: Pick<LibraryService, 'getTrack'>;
}

/** Lowers the client's bit rate limits to that of the account. */
function limitClient(maxKbps: number | null, client: ClientInfo): ClientInfo {
  if (maxKbps === null) return client;
  const limitKbps = (kbps: number | undefined) => (kbps ? Math.min(kbps, maxKbps) : maxKbps);
  return {
    ...client,
    maxAudioBitrate: limitKbps(client.maxAudioBitrate),
    maxTranscodingAudioBitrate: limitKbps(client.maxTranscodingAudioBitrate),
  };
}

/** Encodes the decision itself as the token: it is not secret and not stored. */
const toToken = (decision: DecidedTranscode): string => Buffer.from(JSON.stringify(decision)).toString('base64url');
const TranscodeToken = z.strictObject({
  profile: z.string().refine(isProfileName),
  bitrateKbps: z.int().min(0).max(10_000),
  channels: z.int().min(1).max(8).optional(),
  sampleRateHz: z.int().min(8_000).max(192_000).optional(),
});

function fromToken(token: string): DecidedTranscode {
  const parsedToken = TranscodeToken.safeParse(jsonOf(Buffer.from(token, 'base64url').toString('utf8')));
  if (!parsedToken.success) throw new Fault(0, 'The parameter transcodeParams is not from this server.');
  return parsedToken.data as DecidedTranscode;
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** Describes an episode; before its download it is assumed to be MP3, as nearly all are. */
const sourceOf = ({ format, sizeBytes, durationMs }: EpisodeSummary): SourceTrack => ({
  format: format ?? 'mp3',
  codec: null,
  bitrateKbps: sizeBytes && durationMs ? Math.round((sizeBytes * 8) / durationMs) : null,
  channels: null,
  sampleRateHz: null,
  bitDepth: null,
});

export function transcodingEndpoints({ streaming, podcasts }: TranscodingDeps): Endpoints {
  async function decideTranscode({ user: { id, maxBitrateKbps }, params, body }: Call): Promise<Fields> {
    const mediaId = params.required('mediaId');
    const isEpisode = params.required('mediaType') === 'podcast';
    if (!isEpisode) checkMediaType(params.required('mediaType'));
    const track = isEpisode
      ? sourceOf(podcasts.episode(id, idOf('episode', mediaId)))
      : streaming.getTrack(idOf('track', mediaId));
    const client = ClientInfo.safeParse(jsonOf(body?.toString('utf8') ?? ''));
    if (!client.success)
      throw new Fault(10, 'A JSON body with the client’s capabilities is required (Content-Type: application/json).');
    const { canDirectPlay, reasons, source, target } = decide(
      track,
      limitClient(maxBitrateKbps, client.data),
      !isEpisode && (await streaming.canTranscode()), // episodes are sent unchanged
    );
    return {
      canDirectPlay,
      canTranscode: target !== undefined,
      transcodeReason: reasons,
      errorReason:
        canDirectPlay || target ? '' : 'This server cannot transcode to any format that the client can play.',
      ...(target && { transcodeParams: toToken(target.transcode) }),
      sourceStream: { ...source },
      ...(target && { transcodeStream: { ...target.stream } }),
    };
  }

  /** Sends the audio, and errors as HTTP statuses with a message instead of envelopes. */
  async function stream({ user, client, params, req, res, signal }: Call): Promise<void> {
    try {
      const id = idOf('track', params.required('mediaId'));
      checkMediaType(params.required('mediaType'));
      const { profile, bitrateKbps, channels, sampleRateHz } = fromToken(params.required('transcodeParams'));
      if (!(await streaming.canTranscode()))
        throw new AppError('unavailable', 'The server cannot transcode: it has no ffmpeg.');
      await streaming.send(
        req,
        res,
        id,
        {
          format: profile,
          maxBitrateKbps: bitrateKbps,
          startMs: Math.max(0, Math.round((params.number('offset') ?? 0) * 1_000)),
          channels,
          sampleRateHz,
          forceConversion: true,
          maxKbps: user.maxBitrateKbps,
          listener: `account ${user.id} ${client}`,
        },
        signal,
      );
    } catch (error) {
      const fault = toFault(error);
      if (!fault || res.headersSent) throw error;
      const appError = asKnownFault(error);
      const status = appError ? PROBLEMS[appError.code].status : fault.code === 70 ? 404 : 400;
      res.status(status).set(fault.headers).type('text/plain; charset=utf-8').end(`${fault.message}\n`);
    }
  }

  return {
    getTranscodeDecision: userEndpoint(async (call) => ({ transcodeDecision: await decideTranscode(call) })),
    getTranscodeStream: bytesEndpoint(stream),
  };
}

function checkMediaType(type: string): void {
  if (type === 'podcast') throw new Fault(70, 'There is no such podcast episode.');
  if (type !== 'song') throw new Fault(0, 'The parameter mediaType must be song or podcast.');
}
