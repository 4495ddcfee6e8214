import type { Inspection, LayerView, Row, SegmentView } from "../model";
import { workspace } from "../workspace";
import { IconButton } from "./button";
import { Notices } from "./notices";

const NAMES: Record<string, string> = {
  system: "Instructions",
  previous: "Library",
  turn: "Attached in this turn",
  history: "Earlier turns",
  user: "Your words",
};

const FORMS: Record<string, string> = {
  full: "in full",
  kept: "unchanged, by name",
  changes: "the changes only",
  dropped: "not used any more",
  error: "could not be read",
};

const CAUSES: Record<string, string> = {
  changed: "its text is another one",
  removed: "the earlier request went on there",
  epoch: "the window was full and history was cut",
};

const number = (value: number) => value.toLocaleString("en");

/** What a model was, or would be, given: how much of what, from where, and what a cache reuses of it. */
export function InspectionPanel({ inspection }: { inspection: Inspection }) {
  return (
    <aside className="note-panel inspection" aria-label="What the model is given">
      <header>
        <h2>What the model is given</h2>
        <IconButton icon="close" label="Close" onClick={() => workspace.set({ inspection: null })} />
      </header>
      <div className="note-body" tabIndex={0} role="region" aria-label="Layers">
        <Size inspection={inspection} />
        <Reuse inspection={inspection} />
        <Notices diagnostics={inspection.diagnostics ?? []} />
        <h3>Layers</h3>
        {inspection.layers.filter(isFilled).map((layer) => (
          <Layer key={layer.name} layer={layer} />
        ))}
        <h3>The request, message by message</h3>
        {inspection.messages.map((row, index) => (
          <Sent key={index} row={row} />
        ))}
        {(inspection.report ?? []).length > 0 && (
          <>
            <h3>Mended for the provider</h3>
            <pre className="raw" tabIndex={0} role="region" aria-label="Repairs">
              {JSON.stringify(inspection.report, null, 2)}
            </pre>
          </>
        )}
      </div>
    </aside>
  );
}

/** How the window is filled: one bar, and its parts in words. */
function Size({ inspection }: { inspection: Inspection }) {
  const { layers, history, tokens, reserve, window } = inspection;
  const parts = [
    ...layers.map((layer) => ({ name: layer.name, tokens: layer.tokens })),
    ...(history > 0 ? [{ name: "history", tokens: history }] : []),
  ].filter((part) => part.tokens > 0);
  const whole = window ?? tokens + reserve;
  return (
    <section className="size">
      <p className="figure">
        {number(tokens)} <small>tokens{window ? ` of ${number(window)}` : ""}</small>
      </p>
      <div className="bar" aria-hidden="true">
        {parts.map((part) => (
          <i key={part.name} className={part.name} style={{ width: `${Math.max(0.6, (100 * part.tokens) / whole)}%` }} />
        ))}
        <i className="reserve" style={{ width: `${(100 * reserve) / whole}%` }} />
      </div>
      <ul>
        {parts.map((part) => (
          <li key={part.name}>
            <i className={part.name} /> {NAMES[part.name] ?? part.name}
            <span>{number(part.tokens)}</span>
          </li>
        ))}
        <li>
          <i className="reserve" /> Kept for the answer
          <span>{number(reserve)}</span>
        </li>
      </ul>
    </section>
  );
}

function Reuse({ inspection }: { inspection: Inspection }) {
  const { seen, cost } = inspection;
  const share = seen.totalBytes > 0 ? Math.round((100 * seen.reusedBytes) / seen.totalBytes) : 0;
  const difference = seen.firstDifference;
  return (
    <p className="reuse">
      <b>{share} %</b> begins like the request before it
      {cost.cachedTokens > 0 && <>, about {number(cost.cachedTokens)} tokens that a cache reuses</>}.
      {difference && (
        <>
          {" "}
          The first difference is in message {difference.message + 1} ({NAMES[difference.layer] ?? difference.layer}):{" "}
          {CAUSES[difference.cause] ?? difference.cause}.
        </>
      )}
      {cost.dollars !== undefined && <> About ${cost.dollars.toFixed(4)}.</>}
    </p>
  );
}

const isFilled = (layer: LayerView) => layer.tokens > 0 || (layer.segments ?? []).length > 0;

function Layer({ layer }: { layer: LayerView }) {
  return (
    <details className="layer">
      <summary>
        <span>{NAMES[layer.name] ?? layer.name}</span>
        <span>{number(layer.tokens)}</span>
      </summary>
      {layer.segments && layer.segments.length > 0 && (
        <ul className="segments">
          {layer.segments.map((segment) => (
            <Segment key={segment.key} segment={segment} />
          ))}
        </ul>
      )}
      <pre className="raw" tabIndex={0} role="region" aria-label={NAMES[layer.name] ?? layer.name}>
        {layer.text || "empty"}
      </pre>
      <p className="quiet">Fingerprint {layer.fingerprint.slice(0, 16)}</p>
    </details>
  );
}

function Segment({ segment }: { segment: SegmentView }) {
  return (
    <li>
      <span>{segment.title || segment.key}</span>
      <small>
        {segment.kind}, {FORMS[segment.form] ?? segment.form}, {number(segment.tokens)} tokens
        {segment.recoverable === false && ", cannot be read again"}
      </small>
      <meter min={0} max={1} value={segment.share} aria-label="Share of the budget" />
    </li>
  );
}

function Sent({ row }: { row: Row }) {
  return (
    <details className="layer">
      <summary>
        <span>{row.role}</span>
        <span>{number((row.content ?? "").length)} letters</span>
      </summary>
      <pre className="raw" tabIndex={0} role="region" aria-label={row.role}>
        {row.content || JSON.stringify(row.parts, null, 2)}
      </pre>
    </details>
  );
}
