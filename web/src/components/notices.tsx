import type { Diagnostic } from "../model";
import { Icon } from "./icons";

/** What there is to say about the turn: notes that are missing, turns that left the window, what was mended. */
export function Notices({ diagnostics }: { diagnostics: Diagnostic[] }) {
  return (
    <div className="notices" role="status">
      {diagnostics.map((one, index) => (
        <p key={index} className={`notice ${one.severity ?? "warning"}`}>
          <Icon name={one.severity === "info" ? "info" : "warning"} />
          <span>
            {one.where && !one.message.includes(one.where) && <b>{placeOf(one.where)}: </b>}
            {one.message}
          </span>
        </p>
      ))}
    </div>
  );
}

/** The place as a person knows it: a path, without the kind of thing that it names. */
const placeOf = (where: string): string => where.replace(/^[a-z]+:(?!\/)/i, "");
