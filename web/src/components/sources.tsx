import type { Part, Row } from "../model";
import { openNote } from "../workspace";
import { Icon } from "./icons";

export function sourcesOf(row: Row): Part[] {
  const own = (row.parts ?? []).filter((part) => part.type === "source");
  return [...own, ...(row.children ?? []).flatMap(sourcesOf)];
}

/** What an answer rests on, beside it: sentences that it quotes, then the passages that were found for it. */
export function Sources({ sources }: { sources: Part[] }) {
  if (sources.length === 0) return null;
  const quoted = sources.filter((source) => source.quote);
  const found = sources.filter((source) => !source.quote);
  return (
    <aside className="sources" aria-label="Sources">
      {quoted.map((source, index) => (
        <figure key={index}>
          <blockquote>{spoken(source.quote ?? "")}</blockquote>
          <figcaption>
            <SourceName source={source} />
          </figcaption>
        </figure>
      ))}
      {found.length > 0 && (
        <div className="found">
          <p>{quoted.length > 0 ? "Found as well" : "Found"}</p>
          <ul>
            {found.map((source, index) => (
              <li key={index}>
                <SourceName source={source} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </aside>
  );
}

/** A quoted sentence as it is read: a link to a note is its words. */
const spoken = (quote: string): string => quote.replace(/!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]/g, "$1");

function SourceName({ source }: { source: Part }) {
  const name = source.title || source.path || source.url || "source";
  const { path } = source;
  if (path) {
    return (
      <button type="button" onClick={() => openNote(path, source.startLine, source.quote)}>
        <Icon name="note" />
        <span>
          {name}
          {lines(source)}
        </span>
      </button>
    );
  }
  if (source.url && /^https?:/.test(source.url)) {
    return (
      <a href={source.url} target="_blank" rel="noopener noreferrer nofollow">
        {name}
      </a>
    );
  }
  return <span>{name + lines(source)}</span>;
}

function lines({ startLine, endLine }: Part): string {
  if (!startLine) return "";
  return endLine && endLine > startLine ? `, lines ${startLine}–${endLine}` : `, line ${startLine}`;
}
