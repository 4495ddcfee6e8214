import { memo, useMemo, type MouseEvent } from "react";

import { api } from "../api";
import { renderBlocks } from "../markdown";
import { attempt, workspace } from "../workspace";

interface Props {
  text: string;
  note?: string;
}

/** Markdown, block by block: a block whose HTML did not change is not touched. */
export const MarkdownView = memo(function MarkdownView({ text, note }: Props) {
  const blocks = useMemo(() => renderBlocks(text, note ? { note } : {}), [text, note]);
  return (
    <div className="markdown" onClick={clicked}>
      {blocks.map((html, index) => (
        <Block key={index} html={html} />
      ))}
    </div>
  );
});

const Block = memo(function Block({ html }: { html: string }) {
  return <div dangerouslySetInnerHTML={{ __html: html }} />;
});

function clicked(event: MouseEvent): void {
  const target = event.target as HTMLElement;
  const link = target.closest<HTMLElement>("a.wikilink");
  if (link) {
    event.preventDefault();
    void follow(link.dataset["note"] ?? "", link.dataset["source"]);
  } else if (target.closest(".copy-code")) {
    void copyCode(target.closest(".copy-code") as HTMLElement);
  }
}

async function follow(link: string, source: string | undefined): Promise<void> {
  const found = await attempt(() => api.link(link.split("#")[0] ?? link, source));
  if (found === undefined) return;
  if (found.path === null) workspace.set({ failure: `There is no note “${link}”.` });
  else workspace.set({ note: found.path });
}

async function copyCode(button: HTMLElement): Promise<void> {
  await navigator.clipboard.writeText(button.closest(".code")?.querySelector("code")?.textContent ?? "");
  button.textContent = "Copied";
  window.setTimeout(() => (button.textContent = "Copy"), 1500);
}
