// A text field in which one can write code: Tab indents, but Escape and then Tab leaves it, so that nobody is caught.

const INDENT = "    ";

export function makeEditor({ code, label, describedBy, run }) {
  const field = document.createElement("textarea");
  field.className = "ob-editor";
  field.value = code;
  field.spellcheck = false;
  field.setAttribute("aria-label", label);
  field.setAttribute("aria-describedby", describedBy);
  field.setAttribute("autocapitalize", "off");
  field.setAttribute("autocomplete", "off");
  field.setAttribute("autocorrect", "off");

  const resize = () => { field.rows = Math.min(Math.max(field.value.split("\n").length, 2), 30); };
  let leaves = false;

  field.addEventListener("input", resize);
  field.addEventListener("blur", () => { leaves = false; });
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();  // letters typed here are no shortcuts of the theme
    if (event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    } else if (event.key === "Enter") {
      event.preventDefault();
      insert(field, `\n${indentationFor(field)}`);
    } else if (event.key === "Tab" && !leaves) {
      event.preventDefault();
      if (event.shiftKey) outdent(field);
      else indent(field);
    }
    leaves = event.key === "Escape" || (leaves && ["Shift", "Tab"].includes(event.key));
  });
  resize();
  return field;
}

// What is set anew can be undone as well.
export function setCode(field, code) {
  field.focus();
  field.select();
  insert(field, code);
}

// A line that is to blame is shown and selected.
export function selectLine(field, number) {
  const lines = field.value.split("\n");
  const start = lines.slice(0, number - 1).reduce((sum, line) => sum + line.length + 1, 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[number - 1] ?? "").length);
}

// execCommand is the one way to write into a field that the browser's undo knows of.
function insert(field, text) {
  if (!document.execCommand("insertText", false, text)) field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input"));
}

function indentationFor(field) {
  const line = field.value.slice(0, field.selectionStart).split("\n").at(-1);
  return line.match(/^[ \t]*/)[0] + (line.trimEnd().endsWith(":") ? INDENT : "");
}

function indent(field) {
  if (field.selectionStart === field.selectionEnd) insert(field, INDENT);
  else replaceLines(field, (line) => (line ? INDENT + line : line));
}

function outdent(field) {
  replaceLines(field, (line) => line.replace(/^( {1,4}|\t)/, ""));
}

function replaceLines(field, change) {
  const { value, selectionStart, selectionEnd } = field;
  const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
  const after = value.indexOf("\n", selectionEnd);
  const end = after < 0 ? value.length : after;
  const lines = value.slice(start, end).split("\n").map(change).join("\n");
  field.setSelectionRange(start, end);
  insert(field, lines);
  field.setSelectionRange(start, start + lines.length);
}
