import type { Diagnostic } from "../model";
import { Icon } from "./icons";

/** What there is to say about the turn: notes that are missing, turns that left the window, what was mended. */
export function Notices({ diagnostics }: { diagnostics: Diagnostic[] }) {
  return (
    <div className="notices" role="status">
      {diagnostics.map((one, index) => (
        <p key={index} className={`notice ${one.severity ?? "warning"}`}>
          <Icon name={one.severity === "info" ? "info" : "warning"} />
          <span>{one.message}</span>
        </p>
      ))}
    </div>
  );
}
