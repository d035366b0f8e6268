// The code of the definition, as it stands at the top of the page, of which one line can be lit.

import { make } from "../play/elements.js";

export function makeDefinition() {
  const code = document.querySelector(".ob-definition pre > code");
  const lines = (code ? linesOf(code) : []).map((html) => make("span", { className: "ob-live-line", innerHTML: `${html}\n` }));
  return {
    element: make("pre", { className: "ob-live-code", hidden: !code }, make("code", {}, ...lines)),
    light(number) {
      lines.forEach((line, i) => line.classList.toggle("ob-live-lit", i + 1 === number));
    },
  };
}

// The lines as HTML with their colours, unless one of these goes on over the end of a line.
function linesOf(code) {
  const lines = code.innerHTML.trimEnd().split("\n");
  const isWhole = (line) => make("span", { innerHTML: line }).innerHTML === line;
  if (lines.every(isWhole)) return lines;
  return code.textContent.trimEnd().split("\n").map((text) => make("span", { textContent: text }).innerHTML);
}
