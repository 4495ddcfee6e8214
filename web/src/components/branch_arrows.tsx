import { api } from "../api";
import type { Branch } from "../model";
import { attempt } from "../workspace";
import { IconButton } from "./button";

interface Props {
  id: string;
  branch: Branch;
  disabled: boolean;
}

/** ‹ 2/3 › */
export function BranchArrows({ id, branch, disabled }: Props) {
  const { activeBranchIndex: place, count, ids = [] } = branch;
  if (count < 2 || ids.length < 2) return null;
  const go = (to: number) => {
    const target = ids[to];
    if (target !== undefined) void attempt(() => api.switchTo(id, target));
  };
  return (
    <span className="branch" role="group" aria-label={`Version ${place + 1} of ${count}`}>
      <IconButton icon="left" label="Earlier version" disabled={disabled || place === 0} onClick={() => go(place - 1)} />
      <span aria-hidden="true">
        {place + 1}/{count}
      </span>
      <IconButton
        icon="right"
        label="Later version"
        disabled={disabled || place >= count - 1}
        onClick={() => go(place + 1)}
      />
    </span>
  );
}
