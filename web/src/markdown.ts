/**
 * Markdown to HTML that cannot do anything.
 *
 * Two walls: the renderer knows no raw HTML at all, and what it writes is cleaned once more. Nothing is fetched from
 * another host: a picture elsewhere is a link to it. The result is a list of blocks, so that while a reply streams
 * only its last block changes.
 */

import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";
import type StateInline from "markdown-it/lib/rules_inline/state_inline.mjs";
import type Token from "markdown-it/lib/token.mjs";

import { pictureAddress } from "./api";
import { highlight } from "./highlight";

interface Environment {
  /** The note that the text comes from; its pictures are then those of the vault. */
  note?: string;
}

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false });
const { escapeHtml } = markdown.utils;
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

markdown.inline.ruler.before("link", "wikilink", wikilink);

/** `[[note]]`, `[[note#heading|words]]`, `![[picture.png]]` */
function wikilink(state: StateInline, silent: boolean): boolean {
  const match = /^!?\[\[([^[\]|\n]+)(?:\|([^[\]\n]+))?\]\]/.exec(state.src.slice(state.pos, state.pos + 500));
  if (match === null) return false;
  if (!silent) {
    const token = state.push("wikilink", "", 0);
    token.content = match[1]!.trim();
    token.info = (match[2] ?? match[1]!).trim();
    token.meta = { embedded: match[0].startsWith("!") };
  }
  state.pos += match[0].length;
  return true;
}

markdown.inline.ruler.before("image", "embed", (state, silent) => state.src[state.pos] === "!" && wikilink(state, silent));

markdown.renderer.rules["wikilink"] = (tokens, index, _options, environment: Environment) => {
  const token = tokens[index]!;
  const target = token.content;
  const embedded = (token.meta as { embedded: boolean }).embedded;
  if (embedded && /\.(png|jpe?g|gif|webp|svg|avif)$/i.test(target)) return picture(beside(target, undefined), token.info);
  const source = environment.note ? ` data-source="${escapeHtml(environment.note)}"` : "";
  return `<a href="#" class="wikilink" data-note="${escapeHtml(target)}"${source}>${escapeHtml(token.info)}</a>`;
};

const picture = (address: string, words: string) =>
  `<img src="${escapeHtml(address)}" alt="${escapeHtml(words)}" loading="lazy">`;

function beside(path: string, note: string | undefined): string {
  const folder = note?.includes("/") ? note.slice(0, note.lastIndexOf("/") + 1) : "";
  return pictureAddress(new URL(folder + path, "http://vault/").pathname.slice(1).split("/").map(decoded).join("/"));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

markdown.renderer.rules["image"] = (tokens, index, _options, environment: Environment) => {
  const token = tokens[index]!;
  const address = token.attrGet("src") ?? "";
  const words = token.content || "picture";
  if (address.startsWith("data:image/")) return picture(address, words);
  if (environment.note && !ELSEWHERE.test(address)) return picture(beside(address, environment.note), words);
  return `<a href="${escapeHtml(address)}" class="remote-picture">${escapeHtml(words)}</a>`;
};

markdown.renderer.rules["fence"] = (tokens, index) => codeBlock(tokens[index]!);
markdown.renderer.rules["code_block"] = (tokens, index) => codeBlock(tokens[index]!);

function codeBlock(token: Token): string {
  const language = (token.info.trim().split(/\s+/)[0] ?? "").toLowerCase();
  const code = token.content.replace(/\n$/, "");
  const shown = highlight(code, language) ?? escapeHtml(code);
  const name = language ? escapeHtml(language) : "text";
  return (
    `<div class="code"><div class="code-head"><span>${name}</span>` +
    `<button type="button" class="copy-code">Copy</button></div>` +
    `<pre tabindex="0" role="region" aria-label="Code, ${name}"><code>${shown}</code></pre></div>`
  );
}

markdown.renderer.rules["table_open"] = () => '<div class="table" tabindex="0" role="region" aria-label="Table"><table>';
markdown.renderer.rules["table_close"] = () => "</table></div>";

const cleaned = new Map<string, string>();
const KEPT = 3000;

function clean(html: string): string {
  let safe = cleaned.get(html);
  if (safe === undefined) {
    safe = DOMPurify.sanitize(html, {
      ADD_ATTR: ["target"],
      FORBID_TAGS: ["style", "form", "input", "textarea", "select", "iframe", "audio", "video", "svg", "math"],
      FORBID_ATTR: ["style", "srcset"],
    });
    if (cleaned.size >= KEPT) cleaned.delete(cleaned.keys().next().value!);
    cleaned.set(html, safe);
  }
  return safe;
}

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.nodeName === "A" && !node.classList.contains("wikilink")) {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  }
  if (node.nodeName === "IMG" && !/^(?:\/api\/pictures\/|data:image\/)/.test(node.getAttribute("src") ?? "")) {
    node.removeAttribute("src");
  }
});

/** Which of the blocks of a text holds a line, counted from 1. */
export function blockAt(text: string, line: number): number {
  const starts = markdown.parse(text, {}).flatMap((token) =>
    token.level === 0 && token.nesting >= 0 && token.map ? [token.map[0] + 1] : [],
  );
  return Math.max(0, starts.findLastIndex((start) => start <= line));
}

/** The text as blocks of safe HTML. */
export function renderBlocks(text: string, environment: Environment = {}): string[] {
  const env = { ...environment };
  const tokens = markdown.parse(text, env);
  const blocks: string[] = [];
  let start = 0;
  let depth = 0;
  tokens.forEach((token, index) => {
    depth += token.nesting;
    if (depth === 0) {
      blocks.push(clean(markdown.renderer.render(tokens.slice(start, index + 1), markdown.options, env)));
      start = index + 1;
    }
  });
  return blocks;
}
