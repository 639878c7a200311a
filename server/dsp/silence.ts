// Measures the silence at both ends of a track, exact to a frame. A frame is silent if no channel is above -60 dBFS.

const MAX_SILENT_AMPLITUDE = 0.001;

export function createSilenceMeter() {
  let [frames, firstLoudFrame, lastLoudFrame] = [0, -1, -1];
  const isLoud = (data: readonly Float32Array[], frame: number): boolean => {
    for (const channel of data) if (Math.abs(channel[frame] as number) > MAX_SILENT_AMPLITUDE) return true;
    return false;
  };
  return {
    push(data: readonly Float32Array[], count: number): void {
      if (firstLoudFrame < 0)
        for (let i = 0; i < count && firstLoudFrame < 0; i++) if (isLoud(data, i)) firstLoudFrame = frames + i;
      let i = count - 1;
      while (i >= 0 && !isLoud(data, i)) i--;
      if (i >= 0) lastLoudFrame = frames + i;
      frames += count;
    },
    /** Returns numbers of frames. A track that is silent throughout has leading silence only. */
    finish: (): { leading: number; trailing: number; frames: number } =>
      firstLoudFrame < 0
        ? { leading: frames, trailing: 0, frames }
        : { leading: firstLoudFrame, trailing: frames - 1 - lastLoudFrame, frames },
  };
}
