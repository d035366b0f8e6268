// Lets the tables of builtins be filtered and sorted. Without this script they are plain tables, one for each category.
(function () {
  const byText = new Intl.Collator(document.documentElement.lang || "en", { numeric: true, sensitivity: "base" });
  const text = (row, column) => (row.cells[column].querySelector("a") || row.cells[column]).textContent;

  function set(box) {
    const tables = [...box.querySelectorAll("table")];
    const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
    const first = tables[0];
    rows.forEach((row) => {
      row.home = row.parentNode;
      row.words = row.textContent.toLowerCase();
    });

    // A table with all that themes put around it, and the heading above it.
    const groups = tables.map((table) => {
      let part = table;
      while (part.parentNode !== box) part = part.parentNode;
      const heading = part.previousElementSibling;
      return { table, parts: /^H\d$/.test(heading?.tagName) ? [part, heading] : [part] };
    });

    // The same text for all to read and hear: how many rows are left.
    const form = document.createElement("div");
    form.className = "ob-table-filter";
    form.innerHTML = '<label>Filter <input type="search" autocomplete="off" spellcheck="false"></label> <span role="status"></span>';
    const [input, status] = [form.querySelector("input"), form.querySelector("[role=status]")];
    box.before(form);

    function filter() {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      rows.forEach((row) => { row.hidden = !words.every((word) => row.words.includes(word)); });
      const sorted = box.hasAttribute("data-sorted");
      groups.forEach(({ table, parts: [part, heading] }) => {
        part.hidden = ![...table.tBodies[0].rows].some((row) => !row.hidden);
        if (heading) heading.hidden = part.hidden || sorted;
      });
      status.textContent = words.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length}` : "";
    }

    // Sorted, all rows stand in the first table.
    function sort(heading, column, direction) {
      tables.forEach((table) => [...table.tHead.rows[0].cells].forEach((cell) => cell.removeAttribute("aria-sort")));
      box.toggleAttribute("data-sorted", Boolean(direction));
      rows.forEach((row) => row.home.append(row));
      if (direction) {
        const sign = direction === "ascending" ? 1 : -1;
        const order = [...rows].sort((a, b) => sign * byText.compare(text(a, column), text(b, column)));
        first.tBodies[0].append(...order);
        first.tHead.rows[0].cells[column].setAttribute("aria-sort", direction);
      }
      filter();
      first.tHead.rows[0].cells[column].querySelector("button").focus();
    }

    tables.forEach((table) => [...table.tHead.rows[0].cells].forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = heading.textContent;
      heading.replaceChildren(button);
      button.addEventListener("click", () => {
        const next = { ascending: "descending", descending: "" };
        const now = heading.getAttribute("aria-sort");
        sort(heading, column, now ? next[now] : "ascending");
      });
    }));
    // What is filtered by stands in the address, so that it can be sent to somebody, and is there after Back.
    function remember() {
      const address = new URL(location.href);
      if (input.value) address.searchParams.set("q", input.value);
      else address.searchParams.delete("q");
      if (location.protocol !== "file:") history.replaceState(history.state, "", address);
    }

    input.addEventListener("input", () => { filter(); remember(); });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { input.value = ""; filter(); remember(); }
      event.stopPropagation();  // letters typed here are no shortcuts of the theme
    });

    input.value = new URLSearchParams(location.search).get("q") || "";
    filter();
  }

  function setTables() {
    document.querySelectorAll(".ob-table:not([data-set])").forEach((box) => {
      box.dataset.set = "";
      if (box.querySelector("table")) set(box);
    });
  }

  if (typeof document$ !== "undefined") document$.subscribe(setTables);
  else document.addEventListener("DOMContentLoaded", setTables);
})();
