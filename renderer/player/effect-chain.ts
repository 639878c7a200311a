// The effects between the volume and the destination: the equalizer, then the limiter.
import { toValidSettings, createFilters, effective, type Equalizer } from './equalizer.ts';
import limiterUrl from './limiter-worklet.ts?worker&url';

export interface EffectChain {
  input: AudioNode;
  output: AudioNode;
  close: () => void;
}

const limiterModules = new WeakMap<BaseAudioContext, Promise<void>>();

/**
 * Creates the effects. Resolves to null if no effect would change the sound. Throws if the browser cannot load the
 * limiter.
 */
export async function createEffectChain(
  context: BaseAudioContext,
  { equalizer, isLimited }: { equalizer: Partial<Equalizer> | null; isLimited: boolean },
): Promise<EffectChain | null> {
  const limiter = isLimited ? await createLimiter(context) : null;
  const filters = equalizer?.isOn === true ? filtersOf(context, toValidSettings(equalizer)) : null;
  if (!limiter) return filters;
  filters?.output.connect(limiter);
  return {
    input: filters?.input ?? limiter,
    output: limiter,
    close() {
      filters?.close();
      limiter.disconnect();
      limiter.port.postMessage('close');
    },
  };
}

function filtersOf(context: BaseAudioContext, settings: Equalizer): EffectChain | null {
  const isNeeded = settings.preampDb < 0 || effective(settings.bands).length > 0;
  return isNeeded ? createFilters(context, settings) : null;
}

async function createLimiter(context: BaseAudioContext): Promise<AudioWorkletNode> {
  const module = limiterModules.get(context) ?? context.audioWorklet.addModule(limiterUrl);
  limiterModules.set(context, module);
  await module.catch((error: unknown) => {
    limiterModules.delete(context); // the next chain tries to load the limiter again
    throw error;
  });
  return new AudioWorkletNode(context, 'limiter', {
    channelCount: 2,
    channelCountMode: 'explicit',
    outputChannelCount: [2],
  });
}
