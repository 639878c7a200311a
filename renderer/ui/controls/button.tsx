import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ComponentType, Ref } from 'react';
import type { Icon } from '../theme/icons.ts';
import styles from './button.module.css';
import { classNames } from '../class-names.ts';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: 'primary' | 'quiet' | 'plain';
  icon?: Icon;
}

export function Button({ variant = 'quiet', icon: Symbol, className, children, ...rest }: ButtonProps) {
  return (
    <button type="button" className={classNames(styles.button, styles[variant], className)} {...rest}>
      {Symbol && <Symbol size={18} aria-hidden />}
      {children}
    </button>
  );
}

/** An icon of the icon set, or one of css-icons.tsx. */
export type IconShape = ComponentType<{ size?: number | string; fill?: string; 'aria-hidden'?: boolean }>;

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** The accessible name and the tooltip. */
  label: string;
  icon: IconShape;
  size?: 'small' | 'medium' | 'large';
  filled?: boolean;
  iconSize?: number;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({
  label,
  icon: Symbol,
  size = 'medium',
  filled,
  iconSize = 20,
  className,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      data-tip={label}
      className={classNames(styles.icon, size !== 'medium' && styles[size], filled && styles.filled, className)}
      {...rest}
    >
      <Symbol size={iconSize} aria-hidden {...(filled ? { fill: 'currentColor' } : {})} />
    </button>
  );
}

interface ButtonAnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  variant?: 'primary' | 'quiet' | 'plain';
  icon?: Icon;
  ref?: Ref<HTMLAnchorElement>;
}

function ButtonAnchor({ variant = 'quiet', icon: Symbol, className, children, ref, ...rest }: ButtonAnchorProps) {
  return (
    <a ref={ref} className={classNames(styles.button, styles[variant], className)} {...rest}>
      {Symbol && <Symbol size={18} aria-hidden />}
      {children}
    </a>
  );
}

/** A link that looks like a button. */
export const ButtonLink = createLink(ButtonAnchor);
