// The editor of one example: it stands in the place of its code, with the results of both beside each other below.

import { copy } from "./command.js";
import { makeButton, makeControls } from "./controls.js";
import { makeEditor, selectLine, setCode } from "./editor.js";
import { make } from "./elements.js";
import { engineFor } from "./engines.js";
import { builtResult, show } from "./results.js";

let count = 0;

export function open(example, engines) {
  const { block, language, exercise } = example;
  if (example.panel) {
    example.panel.reopen();
    return;
  }
  const code = example.code.replace(/\n$/, "");
  const hint = `ob-play-hint-${(count += 1)}`;
  const built = builtResult(block);
  const yours = make("div", { className: "ob-play-yours" });
  const onPage = make("div", { className: "ob-play-built" });
  const status = make("p", { className: "ob-play-status", role: "status" });
  const panel = make("div", { className: "ob-play", role: "group", "aria-label": "The example, to be changed" });
  const what = exercise ? { do: "judge", exercise } : { do: "run", before: example.before };
  const controls = makeControls({
    name: exercise ? "Check" : "Run",
    engine: engineFor(language, engines),
    panel,
    status,
    message: () => ({ ...what, language, code: `${field.value}\n` }),
    show: (answer) => show(answer, yours, built, (line) => selectLine(field, line)),
  });
  const label = `Code of the example, in ${language === "qu" ? "Qu" : "Python"}`;
  const field = makeEditor({ code, label, describedBy: hint, run: controls.run });
  const canBeCommand = language === "qu" && !example.before.length;
  const bar = make(
    "div",
    { className: "ob-play-bar" },
    ...controls.buttons,
    makeButton("Reset", reset),
    ...(canBeCommand ? [makeButton("Copy as opbook eval", (button) => copy(field.value, button))] : []),
    makeButton("Close", close),
    make("span", { className: "ob-play-hint", id: hint }, `Ctrl-Enter ${exercise ? "checks" : "runs"}. Tab indents; Escape, then Tab leaves.`),
  );
  panel.append(field, bar, status, make("div", { className: "ob-play-results" }, onPage, yours));

  // The built results go into the panel, and back where they were when it is closed.
  function reopen() {
    block.after(panel);
    block.hidden = true;
    onPage.append(...built.elements);
    field.focus();
  }

  function close() {
    controls.stop();
    panel.replaceWith(...built.elements);
    block.hidden = false;
    block.querySelector(".ob-play-corner").focus();
  }

  function reset() {
    setCode(field, code);
    yours.replaceChildren();
    status.textContent = "The example is as it was before.";
  }

  example.panel = { reopen };
  reopen();
}
