/** Colours for code, for the languages that people paste into chats. Unknown ones stay plain. */

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const languages = {
  bash, c, cpp, csharp, css, diff, go, ini, java, javascript, json, markdown, python, ruby, rust, sql, typescript, xml, yaml,
};
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

const known = new Map<string, string>();
const KEPT = 500;
const LONGEST = 50_000;

/** The code as HTML (escaped), or null when the language is not known or the code is very long. */
export function highlight(code: string, language: string): string | null {
  if (!hljs.getLanguage(language) || code.length > LONGEST) return null;
  const key = `${language}\n${code}`;
  let html = known.get(key);
  if (html === undefined) {
    html = hljs.highlight(code, { language, ignoreIllegals: true }).value;
    if (known.size >= KEPT) known.delete(known.keys().next().value!);
    known.set(key, html);
  }
  return html;
}
