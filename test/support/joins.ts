// Measures how well two halves of a tone are joined in a recording: the phase of the second half relative to the first
// shows a shift, and samples around the join that differ from the tone are a gap.

export interface Join {
  /** Milliseconds by which the second half is late (positive, a gap) or early (an overlap). */
  shiftMs: number;
  /** Duration of the gap near the join, in milliseconds. */
  holeMs: number;
}

interface Recording {
  samples: Float32Array;
  rate: number;
}
interface Wave {
  amplitude: number;
  phase: number;
}

const CLEAR_S = 0.03;
const WINDOW_S = 0.25;
/**
 * Tolerated deviation as a fraction of the amplitude: more than the error of a codec in its first samples, less than
 * any click.
 */
const TOLERANCE = 0.3;
const AUDIBLE = 0.02;

/** Measures a join. `joinSample` is the frame at which the second half should start. */
export function measureJoin({ samples, rate }: Recording, joinSample: number, hz: number): Join {
  const step = (2 * Math.PI * hz) / rate;
  const clear = Math.round(CLEAR_S * rate);
  const window = Math.round(Math.round(WINDOW_S * hz) * (rate / hz));
  const fitBefore = fit(samples, joinSample - clear - window, joinSample - clear, step);
  const fitAfter = fit(samples, joinSample + clear, joinSample + clear + window, step);
  if (fitBefore.amplitude < AUDIBLE || fitAfter.amplitude < AUDIBLE)
    throw new Error(`There is no tone of ${hz} Hz around frame ${joinSample}`);
  const phaseShift = fitAfter.phase - fitBefore.phase;
  const wrapped = Math.atan2(Math.sin(phaseShift), Math.cos(phaseShift));
  let strangeSamples = 0;
  for (let i = joinSample - clear; i < joinSample + clear; i += 1) {
    const offset = Math.min(
      ...[fitBefore, fitAfter].map(({ amplitude, phase }) =>
        Math.abs((samples[i] ?? 0) - amplitude * Math.sin(step * i + phase)),
      ),
    );
    if (offset > TOLERANCE * fitBefore.amplitude) strangeSamples += 1;
  }
  return { shiftMs: (-wrapped / step / rate) * 1000, holeMs: (strangeSamples / rate) * 1000 };
}

function fit(samples: Float32Array, from: number, to: number, step: number): Wave {
  let sin = 0;
  let cos = 0;
  for (let i = from; i < to; i += 1) {
    sin += (samples[i] ?? 0) * Math.sin(step * i);
    cos += (samples[i] ?? 0) * Math.cos(step * i);
  }
  return { amplitude: (2 * Math.hypot(sin, cos)) / (to - from), phase: Math.atan2(cos, sin) };
}

/** Returns the first and the last frame (exclusive) with sound. */
export function soundingPart(samples: Float32Array): { first: number; end: number } {
  return {
    first: samples.findIndex((value) => Math.abs(value) > AUDIBLE),
    end: samples.findLastIndex((value) => Math.abs(value) > AUDIBLE) + 1,
  };
}
