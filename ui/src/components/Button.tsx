// The buttons of the design: one with a label and one with an icon. Both have an accessible name.
import type { ButtonHTMLAttributes, ReactNode } from "react";
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
  const classes = ["btn", variant === "plain" ? "" : variant, small ? "sm" : "", className ?? ""];
  return (
    <button type="button" className={classes.filter(Boolean).join(" ")} {...rest}>
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
  hint?: string;
};

export function IconButton({
  icon,
  label,
  size = 16,
  on,
  hint,
  className,
  disabled,
  ...rest
}: IconButtonProps) {
  const classes = ["icon-button", on ? "on" : "", disabled ? "disabled" : "", className ?? ""];
  return (
    <button
      type="button"
      className={classes.filter(Boolean).join(" ")}
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
