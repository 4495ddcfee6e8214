import type { Inspection, SegmentView } from "../model";
import { openNote } from "../workspace";
import { Icon } from "./icons";

const FORMS: Record<string, string> = {
  full: "in full",
  kept: "kept, by name",
  changes: "changes only",
  dropped: "dropped",
  error: "not read",
};

const TOLD: Record<string, string> = {
  full: "The whole text is in this request.",
  kept: "The model has the text from an earlier turn, unchanged; here it is only named.",
  changes: "The model has an older text; here is what changed since.",
  dropped: "It is not attached any more; the model is told so.",
  error: "It could not be read; the model is told why.",
};

const OWN = new Set(["system", "user"]);

export const number = (value: number) => value.toLocaleString("en");

/** Every source of the turn: how it went in, and how much of the budget (of the request, without one) it takes. */
export function Segments({ inspection }: { inspection: Inspection }) {
  const segments = inspection.layers.flatMap((layer) => layer.segments ?? []).filter((one) => !OWN.has(one.kind));
  if (segments.length === 0) return null;
  return (
    <>
      <h3>Sources</h3>
      <ul className="segments">
        {segments.map((segment) => (
          <Segment key={segment.key} segment={segment} whole={inspection.window ? undefined : inspection.tokens} />
        ))}
      </ul>
    </>
  );
}

function Segment({ segment, whole }: { segment: SegmentView; whole: number | undefined }) {
  const { form, kind, tokens } = segment;
  const share = whole ? tokens / whole : segment.share;
  return (
    <li>
      <p>
        <Name segment={segment} />
        <span className={`form ${form}`} title={TOLD[form]}>
          {FORMS[form] ?? form}
        </span>
      </p>
      <div className="bar" aria-hidden="true">
        <i className="turn" style={{ width: `${Math.max(0.6, 100 * share)}%` }} />
      </div>
      <small>
        {kind === "search" ? "found by search" : kind === form ? "" : kind}
        {segment.recoverable === false && ", cannot be read again"}
        <span>
          {number(tokens)} tokens, {percent(share)} of the {whole ? "request" : "budget"}
        </span>
      </small>
    </li>
  );
}

const percent = (share: number) => (share < 0.001 ? "under 0.1 %" : `${(100 * share).toFixed(1)} %`);

/** `note:path#heading` and `search:path:3-9` lead to their note. */
function Name({ segment }: { segment: SegmentView }) {
  const title = segment.title || segment.key;
  const found = /^(?:note:([^#]+)|search:(.+):(\d+)-(\d+)$)/.exec(segment.key);
  const path = found?.[1] ?? found?.[2];
  if (path === undefined) return <span className="name">{title}</span>;
  const line = found?.[3];
  return (
    <button type="button" className="name" title={path} onClick={() => openNote(path, line ? Number(line) : undefined)}>
      <Icon name="note" />
      {title}
      {line && `, lines ${line}–${found![4]}`}
    </button>
  );
}
