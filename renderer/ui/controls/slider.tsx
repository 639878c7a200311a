// A custom slider over a native range input, which provides keyboard, touch and screen reader support.
import { useState, type ReactNode } from 'react';
import styles from './slider.module.css';

interface SliderProps {
  label: string;
  value: number;
  min?: number;
  max: number;
  step: number;
  /** The value as text for screen readers. */
  valueText: string;
  /** A value from 0 to max, drawn behind the slider's value, such as the buffered range. */
  buffered?: number;
  /** A marked range, such as the repeated part. */
  part?: { from: number; to: number };
  /** Called while dragging if `live`, otherwise once at the end. */
  onChange: (value: number) => void;
  live?: boolean;
  /** Returns the tooltip text at the pointer. */
  hoverText?: (value: number) => string;
  disabled?: boolean;
  /** Drawn behind the slider, vertically centred. */
  backdrop?: ReactNode;
}

export function Slider({
  label,
  value,
  min = 0,
  max,
  step,
  valueText,
  buffered = 0,
  part,
  onChange,
  live = false,
  hoverText,
  disabled = false,
  backdrop,
}: SliderProps) {
  const [dragged, setDragged] = useState<number | null>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const shownValue = dragged ?? value;
  const percent = (position: number) =>
    `${max > min ? Math.min(100, Math.max(0, ((position - min) / (max - min)) * 100)) : 0}%`;
  const commit = () => {
    if (dragged !== null && !live) onChange(dragged);
    setDragged(null);
  };
  return (
    <div
      className={styles.slider}
      onPointerMove={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        setHovered(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * (max - min) + min);
      }}
      onPointerLeave={() => setHovered(null)}
    >
      {backdrop}
      <div className={styles.track} />
      {buffered > 0 && <div className={`${styles.part} ${styles.buffer}`} style={{ width: percent(buffered) }} />}
      <div className={`${styles.part} ${styles.value}`} style={{ width: percent(shownValue) }} />
      {part && (
        <div
          className={styles.marked}
          style={{ left: percent(part.from), right: `calc(100% - ${percent(Math.max(part.from, part.to))})` }}
        />
      )}
      {!disabled && <div className={styles.thumb} style={{ left: percent(shownValue) }} />}
      <input
        type="range"
        className={styles.input}
        aria-label={label}
        aria-valuetext={valueText}
        min={min}
        max={max}
        step={step}
        value={shownValue}
        disabled={disabled}
        onPointerDown={() => setDragged(value)}
        onPointerUp={commit}
        onPointerCancel={() => setDragged(null)}
        onChange={(event) => {
          const next = event.currentTarget.valueAsNumber;
          if (dragged === null || live) onChange(next);
          if (dragged !== null) setDragged(next);
        }}
      />
      {hoverText && hovered !== null && !disabled && (
        <div className={styles.tip} style={{ left: percent(hovered) }} aria-hidden>
          {hoverText(hovered)}
        </div>
      )}
    </div>
  );
}
