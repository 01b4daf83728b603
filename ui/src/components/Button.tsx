// The buttons of the design: one with a label and one with an icon. Both have an accessible name.

import type { ButtonHTMLAttributes, ReactNode } from "react";
import styles from "./Button.module.css";
import { classes } from "./classes";
import { Icon, type IconName } from "./Icon";
import { tip } from "./tip";

/** No button uses the native tooltip; `tip` provides the tooltip. */
type Attributes = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "title">;

type ButtonProps = Attributes & {
  icon?: IconName;
  iconSize?: number;
  variant?: "plain" | "primary" | "ghost" | "danger" | "loop";
  small?: boolean;
  children: ReactNode;
};

export function Button({
  icon,
  iconSize,
  variant = "plain",
  small,
  className,
  children,
  ...rest
}: ButtonProps) {
  const own = classes(styles.btn, variant !== "plain" && styles[variant], small && styles.sm);
  return (
    <button
      type="button"
      className={classes(own, "btn", /primary|danger/.test(variant) && variant, className)}
      {...rest}
    >
      {icon && <Icon name={icon} size={iconSize ?? (small ? 12 : 14)} />}
      {children}
    </button>
  );
}

type IconButtonProps = Attributes & {
  icon: IconName;
  label: string;
  size?: number;
  on?: boolean;
  small?: boolean;
  hint?: string;
};

export function IconButton({
  icon,
  label,
  size = 16,
  on,
  small,
  hint,
  className,
  disabled,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      className={classes(styles.iconButton, small && styles.sm, className)}
      aria-label={label}
      aria-pressed={on}
      {...tip(label, hint)}
      disabled={disabled}
      {...rest}
    >
      <Icon name={icon} size={size} />
    </button>
  );
}
