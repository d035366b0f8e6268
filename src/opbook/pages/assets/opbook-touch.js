// Pictures that one can touch: a heatmap says what a cell is, one with switches has buttons for cells, and an example that
// was run with several values has a slider. Without this script pictures are what they were, and stand below each other.
// All numbers and sentences are those of the build; nothing is computed here.
(function () {
  const SVG = "http://www.w3.org/2000/svg";
  const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

  // As in play/elements.js, which only modules can load: this script works in a page that was opened from a folder as well.
  function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name in element) element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  function setHeatmap(svg) {
    const figure = svg.closest(".ob-figure");
    const data = JSON.parse(svg.dataset.cells);
    const last = { row: data.rows.length - 1, column: data.columns.length - 1 };
    const isFirst = figure === figure.parentNode.querySelector(":scope > .ob-figure");
    const told = data.told?.map((row) => row.split(";").map((cell) => cell.split(" ").map((line) => data.lines[line])));
    const said = make("span", { className: "ob-said", role: "status" });
    if (isFirst || data.told) said.append(data.choices ? "Click cells to block and allow them." : "Point at a cell, or use the arrow keys.");
    figure.append(said);
    if (told) said.style.setProperty("--ob-lines", 2 + Math.max(...told.flat().map((lines) => lines.length)));
    figure.classList.toggle("ob-told", Boolean(data.told));

    // What is known of a cell whose row is shown with these entries, of which some may be switched off.
    function say(row, column, entries, isOn = () => true) {
      const list = (items) => `[${items.join(", ")}]`;
      const value = `${data.joined > 1 ? "mean " : ""}${entries[column]}${isOn(column) ? "" : ", blocked"}`;
      const lines = (told?.[row][column] ?? []).join("\n")
        .replaceAll("{value}", entries[column])
        .replaceAll("{row}", list(entries))
        .replaceAll(/\{on ([^}]*)\}/g, (_, items) => list(items.split(" ").map((item, i) => (isOn(i) ? item : "−∞"))));
      said.replaceChildren(make("strong", {}, `${data.rows[row]}, ${data.columns[column]}: ${value}`), lines && `\n${lines}`);
    }

    (data.choices ? setSwitches : setPointer)({ svg, figure, data, last, said, say });
  }

  function setPointer({ svg, figure, data, last, said, say }) {
    const [wide, high] = data.size;
    const at = { row: 0, column: 0 };
    const marker = document.createElementNS(SVG, "rect");
    marker.setAttribute("class", "ob-marker");
    marker.setAttribute("width", wide - 1);
    marker.setAttribute("height", high - 1);

    function show(row, column) {
      Object.assign(at, { row, column });
      marker.setAttribute("x", column * wide);
      marker.setAttribute("y", row * high);
      svg.append(marker);
      say(row, column, data.values[row].split(" "));
    }

    function point(event) {
      const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const [row, column] = [Math.floor(place.y / high), Math.floor(place.x / wide)];
      const isCell = row >= 0 && column >= 0 && row <= last.row && column <= last.column;
      if (isCell && !(marker.isConnected && row === at.row && column === at.column)) show(row, column);
    }

    svg.addEventListener("pointermove", point);
    svg.addEventListener("pointerdown", point);
    figure.tabIndex = 0;
    figure.setAttribute("role", "application");  // so that a screen reader hands over the arrow keys
    figure.setAttribute("aria-label", `${svg.querySelector("title").textContent}. Arrow keys go from cell to cell.`);
    figure.addEventListener("keydown", (event) => {
      const next = moved(event, at, last);
      if (next) show(...(marker.isConnected ? next : [at.row, at.column]));
    });
  }

  // Where an arrow key leads to, Home and End along the row.
  function moved(event, { row, column }, last) {
    if (event.ctrlKey || event.metaKey || event.altKey) return null;
    const [down, right] = ARROWS[event.key] ?? [0, { Home: -Infinity, End: Infinity }[event.key]];
    if (right === undefined) return null;
    event.preventDefault();
    const within = (place, most) => Math.max(0, Math.min(place, most));
    return [within(row + down, last.row), within(column + right, last.column)];
  }

  function setSwitches({ svg, figure, data, last, said, say }) {
    const chosen = [...data.chosen];
    const entries = (row) => data.choices[row][chosen[row]].split(" ");
    const isOn = (row, column) => Boolean(chosen[row] >> column & 1);

    function button(row, column) {
      const made = make("button", { type: "button", tabIndex: row || column ? -1 : 0 });
      const tell = () => say(row, column, entries(row), (other) => isOn(row, other));
      made.addEventListener("click", () => {
        chosen[row] ^= 1 << column;
        draw();
        tell();
      });
      made.addEventListener("pointerenter", tell);
      made.addEventListener("focus", () => {
        cells.flat().forEach((one) => { one.tabIndex = one === made ? 0 : -1; });
        tell();
      });
      made.addEventListener("keydown", (event) => {
        const next = moved(event, { row, column }, last);
        if (next) cells[next[0]][next[1]].focus();
      });
      return made;
    }

    function draw() {
      cells.forEach((buttons, row) => entries(row).forEach((value, column) => {
        const cell = buttons[column];
        cell.textContent = value;
        cell.setAttribute("aria-pressed", isOn(row, column));
        cell.setAttribute("aria-label", `${data.rows[row]} may look at ${data.columns[column]}: ${value}`);
        cell.style.setProperty("--ob-strength", `${100 * Math.abs(Number(value.replace("−", "-"))) / data.most}%`);
      }));
    }

    const cells = data.rows.map((_, row) => data.columns.map((_, column) => button(row, column)));
    const heads = data.columns.map((name) => make("th", { scope: "col" }, name));
    const lines = cells.map((buttons, row) => make("tr", {}, make("th", { scope: "row" }, data.rows[row]), ...buttons.map((one) => make("td", {}, one))));
    const table = make("table", { className: "ob-switches" }, make("thead", {}, make("tr", {}, make("td"), ...heads)), make("tbody", {}, ...lines));
    const presets = data.presets.map(([name, choice]) => {
      const made = make("button", { type: "button", className: "ob-preset" }, name);
      made.addEventListener("click", () => {
        chosen.splice(0, chosen.length, ...choice);
        draw();
        said.replaceChildren(`${name}: ${data.rows.map((row, i) => `${row} [${entries(i).join(", ")}]`).join("; ")}`);
      });
      return made;
    });
    draw();
    svg.after(make("span", { className: "ob-board" }, table, make("span", { className: "ob-presets" }, ...presets)));
  }

  // The texts of a block of code that make up the value in the line `name = value`.
  function valueIn(block, name) {
    const code = block?.querySelector("pre > code");
    const line = code?.textContent.match(new RegExp(`^(${name} = )(.*)$`, "m"));
    if (!line) return [];
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    const [start, end] = [line.index + line[1].length, line.index + line[0].length];
    const found = [];
    for (let at = 0; at < end && texts.nextNode(); at += texts.currentNode.length) {
      if (at >= start) found.push(texts.currentNode);
    }
    return found;
  }

  // The slider puts one value at a time into the code, and shows what that printed, in the output below, and drew.
  function setFrames(box) {
    const frames = [...box.querySelectorAll(":scope > .ob-frame")];
    const first = frames.findIndex((frame) => frame.hasAttribute("data-shown"));
    const { name } = box.dataset;
    const above = box.parentNode.previousElementSibling;
    const output = above?.matches(".language-output") ? above.querySelector("pre > code") : null;
    const built = output?.innerHTML;
    const written = valueIn(output ? above.previousElementSibling : above, name);
    const now = make("span", { className: "ob-now" });
    const heard = make("span", { className: "ob-heard", role: "status" });
    const slider = make("input", { type: "range", min: 0, max: frames.length - 1, value: first, "aria-label": name });
    slider.setAttribute("value", first);  // where it goes back to

    function show() {
      const frame = frames[slider.value];
      const { value } = frame.dataset;
      const printed = frame.querySelector(".ob-printed").textContent;
      frames.forEach((one) => one.toggleAttribute("data-shown", one === frame));
      now.textContent = `${name} = ${value}`;
      slider.setAttribute("aria-valuetext", value);
      written.forEach((text, i) => { text.data = i ? "" : value; });
      if (output && frames[first] === frame) output.innerHTML = built;
      else if (output) output.textContent = printed;
      return [printed, ...[...frame.querySelectorAll("desc")].map((one) => one.textContent)].join(" ");
    }

    slider.addEventListener("input", () => { heard.textContent = show(); });
    show();
    const ticks = frames.map((frame) => make("span", {}, frame.dataset.value));
    const scale = make("span", { className: "ob-scale" }, slider, make("span", { className: "ob-ticks", "aria-hidden": "true" }, ...ticks));
    box.prepend(make("span", { className: "ob-slider" }, now, scale, heard));
  }

  // Pictures come with the page, with the next one, and with what a reader has run.
  let waiting = false;

  function begin() {
    waiting = false;
    document.querySelectorAll(".ob-figure:not([data-set]) > svg[data-cells]").forEach((svg) => {
      svg.parentNode.dataset.set = "";
      setHeatmap(svg);
    });
    document.querySelectorAll(".ob-frames:not([data-set])").forEach((box) => {
      box.dataset.set = "";
      setFrames(box);
    });
  }

  function soon() {
    if (!waiting) requestAnimationFrame(begin);
    waiting = true;
  }

  new MutationObserver(soon).observe(document.documentElement, { childList: true, subtree: true });
  addEventListener("load", soon);
})();
