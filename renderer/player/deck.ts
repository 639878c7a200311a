// One audio element and what it is playing. The engine has two, so that the next track is loaded before this one ends.

export interface DeckListener {
  onChange: (deck: Deck) => void;
  onEnded: (deck: Deck) => void;
  onFailed: (deck: Deck) => void;
}

export class Deck {
  readonly #audio = new Audio();
  /** Key of the queue entry that is loaded. */
  key: number | null = null;
  #seekOnceLoaded: number | null = null;

  constructor(listener: DeckListener) {
    this.#audio.preload = 'auto';
    for (const event of ['timeupdate', 'durationchange', 'progress', 'playing', 'pause', 'waiting', 'seeked', 'canplay']) {
      this.#audio.addEventListener(event, () => listener.onChange(this));
    }
    this.#audio.addEventListener('loadedmetadata', () => {
      if (this.#seekOnceLoaded !== null) this.#audio.currentTime = this.#seekOnceLoaded / 1000;
      this.#seekOnceLoaded = null;
    });
    this.#audio.addEventListener('ended', () => listener.onEnded(this));
    this.#audio.addEventListener('error', () => {
      if (this.key !== null) listener.onFailed(this);
    });
  }

  load(key: number, src: string, positionMs = 0): void {
    this.key = key;
    this.#seekOnceLoaded = positionMs > 0 ? positionMs : null;
    this.#audio.src = src;
    this.#audio.load();
  }

  unload(): void {
    if (this.key === null) return;
    this.key = null;
    this.#seekOnceLoaded = null;
    this.#audio.pause();
    this.#audio.removeAttribute('src');
    this.#audio.load();
  }

  /** False when the browser wants a gesture first. */
  async play(): Promise<boolean> {
    try {
      await this.#audio.play();
      return true;
    } catch (error) {
      return !(error instanceof DOMException && error.name === 'NotAllowedError');
    }
  }

  pause(): void {
    this.#audio.pause();
  }

  seek(positionMs: number): void {
    if (this.#audio.readyState === HTMLMediaElement.HAVE_NOTHING) this.#seekOnceLoaded = positionMs;
    else this.#audio.currentTime = positionMs / 1000;
  }

  setVolume(volume: number, muted: boolean): void {
    // Loudness is felt by powers: a cubic curve makes the lower half of the slider useful.
    this.#audio.volume = volume ** 3;
    this.#audio.muted = muted;
  }

  get positionMs(): number {
    return this.#seekOnceLoaded ?? this.#audio.currentTime * 1000;
  }

  get durationMs(): number | null {
    return Number.isFinite(this.#audio.duration) ? this.#audio.duration * 1000 : null;
  }

  get bufferedMs(): number {
    const { buffered, currentTime } = this.#audio;
    for (let i = 0; i < buffered.length; i += 1) {
      if (buffered.start(i) <= currentTime + 0.25 && buffered.end(i) >= currentTime) return buffered.end(i) * 1000;
    }
    return 0;
  }

  get isStalled(): boolean {
    return this.#audio.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
  }
}
