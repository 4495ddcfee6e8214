import type { ButtonHTMLAttributes, Ref } from "react";

import { Icon, type IconName } from "./icons";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: IconName;
  label: string;
  ref?: Ref<HTMLButtonElement>;
}

/** A button that shows an icon and says its words to whoever asks. */
export function IconButton({ icon, label, className = "", ...rest }: Props) {
  return (
    <button type="button" className={`icon-button ${className}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
